/** The picture at one moment: what the canvas draws and which boxes and lines are lit. Coordinates are the lane's own. */
import type { EdgeId, Geometry, NodeId } from "../base/geometry.ts";
import type { JourneyKind, Shape, Tone } from "../layout/types.ts";

export interface Token {
  /** Stable from frame to frame. */
  readonly id: string;
  readonly kind: JourneyKind;
  readonly lane: string;
  readonly x: number;
  readonly y: number;
  readonly shape: Shape;
  readonly tone: Tone;
  /** Own writes carry a halo whatever their shape. */
  readonly halo: boolean;
  readonly label: string;
  readonly sub: string;
  readonly item: string;
  /** Trace id for the panel, "" when none. */
  readonly reconcile: string;
  readonly write: string;
  /** More than 1: draw "×n". */
  readonly count: number;
  /** Drawn small and without its name: an event of a dependent object, as there are many. */
  readonly minor: boolean;
  /** Of what the filter leaves out: drawn quiet, and counted all the same. Absent where it is not. */
  readonly dim?: true;
  /** Exactly one of node and edge is set: where the token is. */
  readonly node?: NodeId;
  readonly edge?: EdgeId;
}

/** A box that holds at least one token: lit. */
export interface ActiveNode {
  readonly lane: string;
  readonly node: NodeId;
  readonly tone: Tone;
  /** The true duration in µs of the phase shown there (so far, when open), -1 where there is none. */
  readonly duration: number;
  readonly open: boolean;
  /** The item's name there ("web", or "web ×3" for passes drawn as one), or "×n" for several. */
  readonly label: string;
  readonly item: string;
  /** Everything there is left out by the filter. */
  readonly dim?: true;
}

/** A line with at least one token on it, or, in flow mode, with a rate. own: glows in the colour of own writes. */
export interface ActiveEdge {
  readonly lane: string;
  readonly edge: EdgeId;
  readonly tone: Tone;
  readonly own: boolean;
  /** Tokens a second in flow mode, 0 otherwise. */
  readonly rate: number;
  /** How busy that is, 0 to 1. */
  readonly heat: number;
  /** Line width factor, 1 to 6. */
  readonly width: number;
  /** Everything there is left out by the filter; rate and width are of all. */
  readonly dim?: true;
}

/** One slot of the queue, in order. */
export interface QueueSlot {
  readonly lane: string;
  readonly item: string;
  readonly label: string;
  /** "2 causes", "resync", "update". */
  readonly sub: string;
  readonly since: number;
  readonly reconcile: string;
  readonly dim?: true;
}

/** One parked item with its countdown. */
export interface WaitRing {
  readonly lane: string;
  readonly item: string;
  readonly label: string;
  readonly why: string;
  /** Back-offs in a row. */
  readonly requeues: number;
  /** When it is ready again, true time in µs; 0 unknown. */
  readonly until: number;
  /** Microseconds left at t, never negative. */
  readonly left: number;
  /** The part of the wait that is over, 0 to 1. */
  readonly done: number;
  /** In display the ring is over but stays until its token has left. */
  readonly reconcile: string;
  readonly dim?: true;
}

/** A worker that is held at a phase. */
export interface Held {
  readonly lane: string;
  readonly node: NodeId;
  /** "" when the hold names none. */
  readonly item: string;
  readonly label: string;
  readonly reconcile: string;
  readonly worker: number;
  readonly why: string;
  /** How long so far, in µs. */
  readonly lasting: number;
  /** When it ends by itself, true time in µs; 0 when it does not. */
  readonly until: number;
}

export type Mode = "single" | "merged" | "flow";

export interface LaneScene {
  readonly lane: string;
  readonly mode: Mode;
  /** The display time at which the rates along the lines were taken, in a flow. */
  readonly flowAt?: number;
  /** Reconciles a second at t. */
  readonly rate: number;
  readonly queue: readonly QueueSlot[];
  readonly waiting: readonly WaitRing[];
  readonly held: readonly Held[];
  /** The cache has not got these own writes yet ("web 1 write behind"); undefined when it is not behind. */
  readonly behind: Behind | undefined;
}

/** Own writes that are on their way from the API server to the cache. item is "" when they are of several. */
export interface Behind {
  readonly item: string;
  readonly label: string;
  readonly writes: number;
}

export interface Scene {
  readonly t: number;
  readonly tokens: readonly Token[];
  readonly nodes: readonly ActiveNode[];
  readonly edges: readonly ActiveEdge[];
  readonly lanes: readonly LaneScene[];
  /** The next display time (µs) at which something changes if nothing moves now: t while something moves, Infinity when still. */
  readonly nextAt: number;
  /** The reconcile (its trace id) that is drawn by itself in its lane, where one is. */
  readonly alone?: string;
}

export interface SceneOptions {
  readonly geometry: Geometry;
  /** The scene before: modes have hysteresis, and a flow's rates are taken ten times a second. */
  readonly before?: Scene;
  /** How many reconciles of a lane were done in [from, to) where the hub left some out; undefined where all have come. */
  readonly counted?: (lane: string, from: number, to: number) => number | undefined;
  /** The selected or pinned item key ("default/web"): never merged. */
  readonly pinned?: string;
  /** An item's name, with its namespace where it takes that to tell it from others; absent: without. */
  readonly called?: (item: string) => string;
  /** Whether the filter shows what is of an item's reconcile ("" where none is known); absent where all is shown. */
  readonly shows?: (lane: string, item: string, reconcile: string) => boolean;
  /** The true time, where it is another than the display time: what is open lasts until then. */
  readonly truth?: number;
}
