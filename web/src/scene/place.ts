/** Where one journey's token is at a time. */
import type { Geometry, Point } from "../base/geometry.ts";
import type { Journey, Step } from "../layout/types.ts";
import { between, edgePath, seatOf, setOff } from "./path.ts";
import type { Token } from "./types.ts";

/** How long a token glides from its line to its seat and back, in µs; less when its stay is short. */
const GLIDE = 90_000;

/** stepAt is the index of the step that holds t, -1 when t is outside the journey. */
export function stepAt(journey: Journey, t: number): number {
  const { steps } = journey;
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i];
    if (step !== undefined && step.from <= t && t < step.to) return i;
  }
  return -1;
}

/** placed draws a journey's token in its step i at t. */
export function placed(geometry: Geometry, journey: Journey, i: number, t: number): Token | undefined {
  const step = journey.steps[i];
  if (step === undefined) return undefined;
  const { x, y } = step.kind === "move" ? moving(geometry, step, t) : staying(geometry, journey, i, step, t);
  return {
    id: journey.id,
    kind: journey.kind,
    lane: journey.lane,
    x,
    y,
    shape: step.shape,
    tone: step.tone,
    halo: journey.own,
    label: journey.label,
    sub: i >= journey.told ? journey.outcome : journey.sub,
    item: journey.item,
    reconcile: journey.reconcile,
    write: journey.write,
    count: journey.count,
    ...(step.kind === "move" ? { edge: step.edge } : { node: step.node }),
  };
}

/** changesAt is t while a token of this step moves, otherwise when it will next. */
export function changesAt(step: Step, t: number): number {
  if (step.kind === "move" || t - step.from < GLIDE || step.to - t <= GLIDE) return t;
  return step.to - GLIDE;
}

function moving(geometry: Geometry, step: Extract<Step, { kind: "move" }>, t: number): Point {
  const p = setOff((t - step.from) / (step.to - step.from));
  return edgePath(geometry, step.edge, step.back ? 1 - p : p);
}

function staying(
  geometry: Geometry,
  journey: Journey,
  i: number,
  step: Extract<Step, { kind: "stay" }>,
  t: number,
): Point {
  const seat = seatOf(geometry, step.node, journey.seat);
  const entry = endOf(geometry, journey.steps[i - 1], 1);
  const exit = endOf(geometry, journey.steps[i + 1], 0);
  const glide = Math.min(GLIDE, (step.to - step.from) / 2);
  if (entry !== undefined && t - step.from < glide) return between(entry, seat, (t - step.from) / glide);
  if (exit !== undefined && step.to - t < glide) return between(exit, seat, (step.to - t) / glide);
  return seat;
}

/** Where a neighbouring move ends (end 1) or begins (end 0). */
function endOf(geometry: Geometry, step: Step | undefined, end: 0 | 1): Point | undefined {
  if (step?.kind !== "move") return undefined;
  return edgePath(geometry, step.edge, step.back ? 1 - end : end);
}
