/**
 * What the layout makes of rows: journeys in display time. A journey is one token's whole way over the map;
 * its steps follow each other without a hole. Display times are µs on the hub's clock like the rows' own;
 * they keep the order of the truth exactly, stretch its durations and lag it by at most 2 s.
 */
import type { EdgeId, NodeId } from "../base/geometry.ts";

export type Shape = "circle" | "tick" | "triangle" | "ring" | "diamond" | "halo";
export type Tone = "accent" | "ok" | "warn" | "error" | "own";

/** One step of a journey: on its way along an edge, or staying at a node. to is Infinity while it lasts. */
export type Step =
  | {
      readonly kind: "move";
      readonly edge: EdgeId;
      /** Travels the edge against its direction (a failed write turns round). */
      readonly back: boolean;
      readonly from: number;
      readonly to: number;
      readonly shape: Shape;
      readonly tone: Tone;
    }
  | {
      readonly kind: "stay";
      readonly node: NodeId;
      readonly from: number;
      readonly to: number;
      readonly shape: Shape;
      readonly tone: Tone;
      /** The true duration of the phase in µs, NaN where it has none, growing while it is open. */
      readonly trueFrom: number;
      readonly trueTo: number;
      /** When a parked item is ready again (true time), 0 elsewhere. */
      readonly until: number;
      /** How much of it was a hold, µs; Infinity while that lasts. Absent where there was none. */
      readonly held?: number;
    };

/** What a journey shows. pass: an item's reconcile; event: on the way into the queue; write: down to the API server. */
export type JourneyKind = "pass" | "event" | "write" | "wait";

export interface Journey {
  readonly id: string;
  readonly kind: JourneyKind;
  /** The controller's name. */
  readonly lane: string;
  readonly item: string;
  /** The trace id of the (newest merged) reconcile, "" where none is known. */
  readonly reconcile: string;
  /** The span id of the write, "" elsewhere. */
  readonly write: string;
  /** Passes or causes that this token stands for, at least 1. */
  readonly count: number;
  /** Short: the item's name, or the name of the object written. */
  readonly label: string;
  /** One or two words more: the cause, the request. */
  readonly sub: string;
  /** What stands there instead once it is known: the answer, the error. It is from the step with the number told on. */
  readonly outcome: string;
  readonly told: number;
  /** Errors and conflicts are never merged with others. */
  readonly single: boolean;
  readonly own: boolean;
  /** Of less weight than the item's own: an event of a dependent object that somebody else has changed. */
  readonly minor: boolean;
  /** How many own writes the cache had not got when it read; absent where that is not proven. */
  readonly behind?: number;
  /** Where it sits beside others at a node, from 0: its worker, or its number among its like. */
  readonly seat: number;
  readonly steps: readonly Step[];
  readonly from: number;
  readonly to: number;
}
