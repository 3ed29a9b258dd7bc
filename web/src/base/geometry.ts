/** The map's geometry: one lane's boxes and lines. The numbers are generated from Go (geometry.gen.ts). */

/** A box or place on the map at which a token can stay. */
export type NodeId =
  "queue" | "waiting" | "dequeue" | "fetch" | "compute" | "apply" | "requeue" | "done" | "cache" | "api" | "outside";

/** A line of the map, named `from-to` in the direction in which tokens travel it. */
export type EdgeId =
  | "queue-dequeue"
  | "dequeue-fetch"
  | "fetch-compute"
  | "compute-apply"
  | "apply-requeue"
  | "requeue-done"
  | "requeue-waiting"
  | "waiting-queue"
  | "apply-api"
  | "api-cache"
  | "cache-queue"
  | "outside-api"
  | "cache-fetch";

/** The boxes of the loop: the phases of a reconcile, in their order. */
export const PHASES = ["dequeue", "fetch", "compute", "apply", "requeue"] as const satisfies readonly NodeId[];

export function isPhase(id: string): id is (typeof PHASES)[number] {
  return (PHASES as readonly string[]).includes(id);
}

/** A rectangle in map units, x and y being its top left corner. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** A point in map units. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** One lane of the map. Every edge has at least two points, in the direction of travel. */
export interface Geometry {
  readonly width: number;
  readonly height: number;
  readonly nodes: Record<NodeId, Rect>;
  readonly edges: Record<EdgeId, readonly Point[]>;
}
