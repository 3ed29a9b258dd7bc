/** What the model answers. All times µs since the epoch, of the hub's clock. */
import type { RowRef } from "../base/frames.ts";
import type {
  Beat,
  Cause,
  Control,
  Controller,
  Finding,
  Gap,
  Hold,
  Item,
  Reconcile,
  Row,
  Sample,
  Wait,
  Write,
} from "../base/rows.gen.ts";
import type { Related } from "./related.ts";

/** What apply changed, for the layout and the panels. reset: forget everything first. */
export interface Change {
  readonly reset: boolean;
  readonly upserted: readonly Row[];
  readonly removed: readonly RowRef[];
}

/** One controller for its lane's head. Counts are the controller row's: exact. */
export interface Lane {
  readonly controller: Controller;
  readonly name: string;
  /** Reconciles a second over the last 10 s. */
  readonly rate: number;
}

/** A cause and the write and reconcile behind it, as far as they are known. */
export interface WhyLink {
  readonly cause: Cause;
  readonly write?: Write;
  readonly reconcile?: Reconcile;
  /** The number of that reconcile among its item's, 0 when unknown. */
  readonly nth: number;
}

/** The version that a conflicting write had been overtaken by. */
export interface Overtaken {
  /** The event of that version, as it came into the queue. */
  readonly cause: Cause;
  /** An own write's reconcile that made it; of others' the one that it led to. */
  readonly reconcile: Reconcile;
  /** The number of that reconcile among its item's. */
  readonly nth: number;
  /** That reconcile made the version, and did not only see it. */
  readonly made: boolean;
}

/** What followed on a reconcile, of the same item; undefined where nothing has. */
export interface Followed {
  readonly after: Reconcile | undefined;
  /** The one that the timer led to which the reconcile had set, its back-off or requeue after. */
  readonly retry: Reconcile | undefined;
  /** The number of that one among its item's. */
  readonly nth: number;
}

/** The place of a reconcile among its item's: "reconcile 17 of 17". The hub counts; where it does not, those that are here. */
export interface Nth {
  readonly n: number;
  readonly of: number;
}

/** One bar of the time line. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly errors: number;
  /** How many writes were refused, or reconciles had one that was and counts as no error; not 0 where there were any. */
  readonly refused: number;
}

/** A stretch of time, µs. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A stretch of time of which not every reconcile was sent: exact counts, for hatching beside gap rows. */
export interface Elided {
  readonly from: number;
  readonly to: number;
  readonly reconciles: number;
  readonly by: Readonly<Record<string, number>>;
}

/** The read side of the model. Arrays are fresh or frozen: callers never change them. */
export interface Model {
  /** Rises with every change. */
  readonly version: number;
  lanes(now: number): readonly Lane[];
  controller(name: string): Controller | undefined;
  item(controller: string, item: string): Item | undefined;
  /** All items of a controller ("" = of all), by name. */
  items(controller: string): readonly Item[];
  reconcile(id: string): Reconcile | undefined;
  /** Reconciles of one item, newest first. */
  reconcilesOf(controller: string, item: string): readonly Reconcile[];
  /** Reconciles of an item ("" = any) that had begun at t, the oldest first; of more than limit the newest. */
  until(controller: string, item: string, t: number, limit?: number): readonly Reconcile[];
  /** All reconciles of a controller ("" = of all), newest first, at most limit. */
  recent(controller: string, limit: number): readonly Reconcile[];
  /** An item's name, with its namespace where another item has the same name. */
  called(item: string): string;
  /** Whether any two items share their name, so that called tells more than the name. */
  readonly namesakes: boolean;
  /** "reconcile 17 of 17" among its item's. */
  nth(reconcile: Reconcile): Nth;
  /** The newest reconcile of an item that is done, whichever controller's. */
  latestFinished(item: string): Reconcile | undefined;
  why(reconcile: Reconcile): readonly WhyLink[];
  /** What had followed on a reconcile at t. */
  followed(reconcile: Reconcile, t: number): Followed;
  /** What had overtaken the object when a write of reconcile was refused for its version; undefined when not known. */
  overtaken(reconcile: Reconcile, write: Write): Overtaken | undefined;
  /** What a write set off: the reconciles whose causes it is. */
  effectsOf(span: string): readonly Reconcile[];
  /** Items ready in the queue at t, in order. */
  queueAt(controller: string, t: number): readonly Wait[];
  /** Items in the waiting room at t, the next ready first. */
  waitingAt(controller: string, t: number): readonly Wait[];
  /** Workers of a controller ("" = of any) that are held at t. */
  holdsAt(controller: string, t: number): readonly Hold[];
  /** Commands that stand at t. */
  controlsAt(t: number): readonly Control[];
  samples(controller: string, from: number, to: number): readonly Sample[];
  /** Bins of equal width over [from, to) from samples; exact. */
  timeline(controller: string, from: number, to: number, bins: number): readonly Bin[];
  /** Edges, findings, waits and gaps by what they belong to. A snapshot replaces it: ask for it anew. */
  readonly related: Related;
  /** How many reconciles were done in [from, to) where the hub left some of them out; undefined where all have come. */
  counted(controller: string, from: number, to: number): number | undefined;
  gaps(): readonly Gap[];
  elided(): readonly Elided[];
  findings(): readonly Finding[];
  /** The beats of lessons, in the order in which they were shown. */
  beats(): readonly Beat[];
  holds(): readonly Hold[];
  /** Stays in the waiting room that have a moment of [from, to], of all controllers. */
  waits(from: number, to: number): readonly Wait[];
  /** Every row there is, for a layout from nothing. */
  rows(): Iterable<Row>;
  /** The true times that history spans, of what is kept; undefined when empty. */
  span(): Span | undefined;
  /** How many reconciles are kept. */
  readonly size: number;
  /** Reconciles evicted here because the memory's bound was met ("newest 50,000 kept"). */
  readonly evicted: number;
  /** Keeps what lies in window, though there is too much or the hub lets go of it, until another one is looked at. */
  look(window: Span | undefined): void;
  /** How many reconciles of the window looked at had to go all the same: so many more than the bound are not kept. */
  readonly shortened: number;
}
