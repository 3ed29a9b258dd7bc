import type { Reconcile } from "../base/rows.gen.ts";
import { failed, hasRefused } from "../model/samples.ts";
import type { EdgeId, NodeId } from "../base/geometry.ts";
import type { Journey, Shape, Step, Tone } from "./types.ts";
import { TRAVEL } from "./timing.ts";

/** A look: the shape and tone that a token has on a stretch of its way. */
export interface Look {
  readonly shape: Shape;
  readonly tone: Tone;
}

export const IN_FLIGHT: Look = { shape: "circle", tone: "accent" };
export const DONE: Look = { shape: "tick", tone: "ok" };
export const FAILED: Look = { shape: "triangle", tone: "error" };
/** Done, though a write was refused: the only tick that is hollow. */
export const REFUSED: Look = { shape: "tick", tone: "warn" };
export const WAITING: Look = { shape: "ring", tone: "warn" };
export const STALE: Look = { shape: "diamond", tone: "warn" };
export const OWN: Look = { shape: "halo", tone: "own" };

/** lookOf is the one verdict on a pass as a whole, which every place shows that tells of it. */
export function lookOf(pass: Reconcile): Look {
  if (pass.to === 0) return IN_FLIGHT;
  if (failed(pass.result)) return FAILED;
  if (pass.result !== "success") return WAITING;
  return hasRefused(pass) ? REFUSED : DONE;
}

/** What a stay shows beside its display times. */
export interface StayTruth {
  readonly from: number;
  readonly to: number;
  readonly until?: number;
  readonly held?: number | undefined;
}

const NO_TRUTH: StayTruth = { from: NaN, to: NaN };

/** Builds a journey's steps one after the other, so that they cannot leave a hole. */
export class Way {
  readonly steps: Step[] = [];
  /** Where the last step ends. */
  t: number;

  constructor(from: number) {
    this.t = from;
  }

  /** Travels an edge. Nothing is added to a way that has already come to an open stay. */
  move(edge: EdgeId, look: Look, back = false, length = TRAVEL): this {
    if (this.t === Infinity) return this;
    this.steps.push({ kind: "move", edge, back, from: this.t, to: this.t + length, ...look });
    this.t += length;
    return this;
  }

  /** Stays at a node until to, or not at all when that has passed. */
  stay(node: NodeId, to: number, look: Look, truth: StayTruth = NO_TRUTH): this {
    if (this.t === Infinity || to <= this.t) return this;
    const { from: trueFrom, to: trueTo, until = 0, held } = truth;
    const stop = held === undefined ? {} : { held };
    this.steps.push({ kind: "stay", node, from: this.t, to, ...look, trueFrom, trueTo, until, ...stop });
    this.t = to;
    return this;
  }
}

/** squeeze maps the times of steps after start so that end becomes to; earlier ones stay what they are. */
export function squeeze(steps: readonly Step[], start: number, end: number, to: number): Step[] {
  return retimed(steps, squeezing(start, end, to));
}

/** squeezing is the map of times that squeeze follows. */
export function squeezing(start: number, end: number, to: number): (t: number) => number {
  const factor = (to - start) / (end - start);
  return (t) => (t <= start || t === Infinity ? t : start + (t - start) * factor);
}

/** retimed maps the times of steps. */
export function retimed(steps: readonly Step[], map: (t: number) => number): Step[] {
  return steps.map((step) => ({ ...step, from: map(step.from), to: map(step.to) }));
}

/** moved sets a journey out at from, as it is. */
export function moved(journey: Journey, from: number): Journey {
  const by = from - journey.from;
  if (by === 0) return journey;
  const steps = journey.steps.map((step) => ({ ...step, from: step.from + by, to: step.to + by }));
  return { ...journey, steps, from, to: journey.to + by };
}
