/** Which boxes and lines are lit, and how. */
import type { EdgeId, NodeId } from "../base/geometry.ts";
import type { Journey, Tone } from "../layout/types.ts";
import { dimmed } from "./slots.ts";
import type { Under } from "./slots.ts";
import type { ActiveEdge, ActiveNode } from "./types.ts";

/** The stronger tone wins where several meet. */
const STRENGTH: Readonly<Record<Tone, number>> = { ok: 0, accent: 1, own: 2, warn: 3, error: 4 };

/** What is at one box, while it is being counted. */
interface Seen {
  readonly first: Journey;
  readonly node: NodeId;
  tone: Tone;
  duration: number;
  open: boolean;
  count: number;
  /** All of one item. */
  same: boolean;
  dim: boolean;
}

/**
 * nodesOf lights the boxes at which tokens stay. t is the time until which what is open has lasted; since is when the
 * worker of a reconcile began to be held, of what is held at that time, else 0. All of under are of one lane.
 */
export function nodesOf(
  under: readonly Under[],
  t: number,
  since: (reconcile: string, at: number) => number,
): ActiveNode[] {
  const nodes = new Map<NodeId, Seen>();
  for (const { journey, step, dim } of under) {
    if (step.kind !== "stay" || step.node === "queue" || step.node === "waiting") continue;
    const to = step.trueTo === 0 ? t : step.trueTo;
    const held = since(journey.reconcile, to);
    const stopped = held > 0 && held >= step.trueFrom;
    const open = step.trueTo === 0 && !stopped;
    const duration = durationOf(step.trueFrom, stopped ? held : to);
    const { tone, node } = step;
    const seen = nodes.get(node);
    if (seen === undefined) {
      nodes.set(node, { first: journey, node, tone, duration, open, count: journey.count, same: true, dim });
      continue;
    }
    // What is left out lends its colour to nothing that is not.
    if (seen.dim === dim) seen.tone = stronger(tone, seen.tone);
    else if (seen.dim) seen.tone = tone;
    seen.dim &&= dim;
    seen.duration = Math.max(seen.duration, duration);
    seen.open ||= open;
    seen.count += journey.count;
    seen.same &&= journey.item === seen.first.item;
  }
  return [...nodes.values()].map(litNode);
}

/** Names the item there; of several passes of one item how many they are, of several items only that. */
function litNode({ first, node, tone, duration, open, count, same, dim }: Seen): ActiveNode {
  const many = `×${String(count)}`;
  const label = count === 1 ? first.label : same ? `${first.label} ${many}` : many;
  return dimmed({ lane: first.lane, node, tone, duration, open, label, item: same ? first.item : "" }, dim);
}

/** edgesOf lights the lines on which tokens travel, and the read from the cache while something fetches. */
export function edgesOf(under: readonly Under[]): ActiveEdge[] {
  const edges = new Map<string, ActiveEdge>();
  for (const { journey, step, dim } of under) {
    const edge = step.kind === "move" ? step.edge : step.node === "fetch" ? "cache-fetch" : undefined;
    if (edge !== undefined) light(edges, journey.lane, edge, step.tone, journey.own, dim);
  }
  return [...edges.values()];
}

/** flowsOf gives each line the rate at which tokens set out on it, for lanes too fast to draw tokens. */
export function flowsOf(lane: string, starts: ReadonlyMap<EdgeId, Flow>, seconds: number): ActiveEdge[] {
  return [...starts].map(([edge, { n, dim }]) => {
    const rate = n / seconds;
    const width = Math.min(6, 1 + Math.log10(1 + rate));
    return dimmed({ lane, edge, tone: "accent", own: false, rate, width }, dim);
  });
}

/** How many tokens set out on a line, and whether the filter leaves all of them out. */
export interface Flow {
  n: number;
  dim: boolean;
}

function light(
  edges: Map<string, ActiveEdge>,
  lane: string,
  edge: EdgeId,
  tone: Tone,
  own: boolean,
  dim: boolean,
): void {
  const key = `${lane}|${edge}`;
  const before = edges.get(key);
  // A line is lit by what is shown; what is left out lights it only where nothing else does.
  if (before !== undefined && dim && before.dim !== true) return;
  const fresh = before === undefined || (before.dim === true && !dim);
  const lit = fresh ? { tone, own } : { tone: stronger(tone, before.tone), own: own || before.own };
  edges.set(key, dimmed({ lane, edge, rate: 0, width: 1, ...lit }, dim));
}

function stronger(tone: Tone, other: Tone | undefined): Tone {
  return other === undefined || STRENGTH[tone] >= STRENGTH[other] ? tone : other;
}

function durationOf(from: number, to: number): number {
  return from > 0 && to >= from ? to - from : -1;
}
