/** Deals a scene out to its lanes in one go, and what of a lane only the controller's own row knows. */
import { getOrInsert } from "../base/getorinsert.ts";
import type { Controller } from "../base/rows.gen.ts";
import type { ActiveEdge, ActiveNode, LaneScene, Scene, Token } from "../scene/types.ts";

/** One lane's part of a scene. */
export interface LanePart {
  readonly tokens: readonly Token[];
  readonly nodes: readonly ActiveNode[];
  readonly edges: readonly ActiveEdge[];
  /** Undefined for a lane that the scene does not know. */
  readonly lane: LaneScene | undefined;
  /** The reconcile that is drawn by itself in its lane, whichever that is. */
  readonly alone: string | undefined;
}

/** byLane groups a scene once, however many lanes ask for their part. */
export function byLane(scene: Scene): (lane: string) => LanePart {
  const tokens = grouped(scene.tokens);
  const nodes = grouped(scene.nodes);
  const edges = grouped(scene.edges);
  const lanes = new Map(scene.lanes.map((lane) => [lane.lane, lane]));
  return (lane) => ({
    tokens: tokens.get(lane) ?? [],
    nodes: nodes.get(lane) ?? [],
    edges: edges.get(lane) ?? [],
    lane: lanes.get(lane),
    alone: scene.alone,
  });
}

function grouped<T extends { readonly lane: string }>(list: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) getOrInsert(groups, one.lane, () => []).push(one);
  return groups;
}

/** How many items there are in a lane's queue and waiting room. */
export interface Totals {
  readonly queue: number;
  readonly waiting: number;
}

/**
 * totals counts what is in the queue and the waiting room. Of many items not every row is sent: while the picture
 * follows what is live, the controller's own numbers are the ones to say.
 */
export function totals(lane: LaneScene | undefined, controller: Controller | undefined, following: boolean): Totals {
  const drawn = { queue: lane?.queue.length ?? 0, waiting: lane?.waiting.length ?? 0 };
  if (!following || controller === undefined) return drawn;
  return { queue: exact(drawn.queue, controller.depth), waiting: exact(drawn.waiting, controller.delayed) };
}

/** Few items are counted as they are drawn, a quarter of a second ago: picture and number are of one moment. */
const few = 3;

/** Never less than what is drawn, which a number of now would contradict. */
function exact(drawn: number, counted: number): number {
  return counted <= few ? drawn : Math.max(drawn, counted);
}
