/** Where holds leave a pass: a worker that is held before a phase stands at that phase, not at the one before it. */
import { PHASES } from "../base/geometry.ts";
import type { Hold, Phase, Reconcile } from "../base/rows.gen.ts";
import { SLACK } from "../model/holds.ts";

const STAND_IN = "hold ";

/** A phase as it is drawn: from when its token stands there. */
export interface Stop extends Phase {
  /** How much of it was a hold, µs; Infinity while that lasts. */
  readonly held?: number;
}

/** stopped draws a pass with its holds (oldest first): its token goes to a phase when it is held before it. */
export function stopped(pass: Reconcile, holds: readonly Hold[]): Reconcile {
  if (holds.length === 0) return pass;
  const phases = holds.reduce<readonly Stop[]>(stopAt, pass.phases);
  const door = holds.find((hold) => (hold.reconcile ?? "") === "");
  return { ...pass, phases: [...phases], start: door === undefined ? pass.start : Math.min(pass.start, door.from) };
}

function stopAt(phases: readonly Stop[], { phase: name, from, to }: Hold): readonly Stop[] {
  const lasting = to === 0 ? Infinity : to - from;
  const before = phases.filter((phase) => phase.from <= from);
  const after = phases.slice(before.length);
  // A later phase that only the hold has filled was never gone through.
  while (before.length > 1 && isFilled(before.at(-1), name, from)) before.pop();
  const next = after.findIndex((phase) => phase.name === name);
  const begun = next >= 0 && after.slice(0, next).every((phase) => phase.to === phase.from) ? after[next] : undefined;
  const rest = begun === undefined ? after : after.slice(next + 1);
  const last = before.at(-1);
  const end = begun?.to ?? to;
  if (last?.name === name) {
    const whole = last.to === 0 || (begun === undefined && last.to > to && to > 0) ? last.to : end;
    return [...before.slice(0, -1), { ...last, to: whole, held: (last.held ?? 0) + lasting }, ...rest];
  }
  if (last !== undefined && (last.to === 0 || last.to > from)) before[before.length - 1] = { ...last, to: from };
  return [...before, { name, from, to: end, held: lasting }, ...rest];
}

function isFilled(phase: Stop | undefined, name: string, from: number): boolean {
  return phase !== undefined && placeOf(phase.name) > placeOf(name) && from - phase.from <= SLACK;
}

function placeOf(name: string): number {
  return PHASES.findIndex((phase) => phase === name);
}

/** standIn is what is drawn of an item that is held before its dequeue, until its pass is told. */
export function standIn(hold: Hold): Reconcile {
  const { controller, item = "", worker, from, to } = hold;
  return {
    row: "reconcile",
    key: `${STAND_IN}${hold.key}`,
    controller,
    source: "",
    item,
    object: { kind: "", name: "" },
    worker,
    from,
    start: from,
    to,
    result: "lost",
    queue: { depth: 0, requeues: 0 },
    causes: [],
    causeCounts: {},
    phases: [{ name: "dequeue", from, to }],
    reads: [],
    plan: [],
    writes: [],
    writeCount: 0,
    failedWrites: 0,
    readCount: 0,
    next: { why: "" },
  };
}

export function isStandIn(pass: Reconcile): boolean {
  return pass.key.startsWith(STAND_IN);
}
