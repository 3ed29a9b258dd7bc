/** Keeps the order of the truth between what one pass did and the events that came meanwhile. */
import type { Journey, Step } from "./types.ts";

const never = (): number => -Infinity;

/**
 * gateOf gives, for a true time, when the newest of what had happened by then is drawn: a phase, or a write that has
 * reached the API server. journeys are those of the group before.
 */
export function gateOf(journeys: readonly Journey[] | undefined): (at: number) => number {
  const marks = (journeys ?? []).flatMap((journey) => journey.steps.filter((step) => marked(journey, step)));
  if (marks.length === 0) return never;
  return (at) => marks.reduce((gate, step) => (trueFrom(step) <= at ? Math.max(gate, step.from) : gate), -Infinity);
}

function marked(journey: Journey, step: Step): boolean {
  if (step.kind !== "stay" || step.node === "queue" || step.node === "requeue") return false;
  return journey.kind === "pass" || (journey.kind === "write" && step.node === "api");
}

function trueFrom(step: Step): number {
  return step.kind === "stay" && step.trueFrom > 0 ? step.trueFrom : Infinity;
}
