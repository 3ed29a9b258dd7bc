/** Which boxes and lines are lit, and how. */
import type { EdgeId } from "../base/geometry.ts";
import type { Journey, Tone } from "../layout/types.ts";
import type { Under } from "./slots.ts";
import type { ActiveEdge, ActiveNode } from "./types.ts";

/** The stronger tone wins where several meet. */
const STRENGTH: Readonly<Record<Tone, number>> = { ok: 0, accent: 1, own: 2, warn: 3, error: 4 };

/** nodesOf lights the boxes at which tokens stay. t is the display time. */
export function nodesOf(under: readonly Under[], t: number): ActiveNode[] {
  const nodes = new Map<string, ActiveNode>();
  const counts = new Map<string, number>();
  for (const { journey, step } of under) {
    if (step.kind !== "stay" || step.node === "queue" || step.node === "waiting") continue;
    const key = `${journey.lane}|${step.node}`;
    const before = nodes.get(key);
    const open = step.trueTo === 0;
    const n = (counts.get(key) ?? 0) + journey.count;
    counts.set(key, n);
    nodes.set(key, {
      lane: journey.lane,
      node: step.node,
      tone: stronger(step.tone, before?.tone),
      duration: Math.max(before?.duration ?? -1, durationOf(step.trueFrom, open ? t : step.trueTo)),
      open: open || (before?.open ?? false),
      ...whose(journey, before, n),
    });
  }
  return [...nodes.values()];
}

/** Names the item there; of several passes of one item how many they are, of several items only that. */
function whose(journey: Journey, before: ActiveNode | undefined, n: number): { label: string; item: string } {
  if (n === 1) return { label: journey.label, item: journey.item };
  const same = before === undefined || before.item === journey.item;
  return same ? { label: `${journey.label} ×${String(n)}`, item: journey.item } : { label: `×${String(n)}`, item: "" };
}

/** edgesOf lights the lines on which tokens travel, and the read from the cache while something fetches. */
export function edgesOf(under: readonly Under[]): ActiveEdge[] {
  const edges = new Map<string, ActiveEdge>();
  for (const { journey, step } of under) {
    const edge = step.kind === "move" ? step.edge : step.node === "fetch" ? "cache-fetch" : undefined;
    if (edge !== undefined) light(edges, journey.lane, edge, step.tone, journey.own);
  }
  return [...edges.values()];
}

/** flowsOf gives each line the rate at which tokens set out on it, for lanes too fast to draw tokens. */
export function flowsOf(lane: string, starts: ReadonlyMap<EdgeId, number>, seconds: number): ActiveEdge[] {
  return [...starts].map(([edge, n]) => {
    const rate = n / seconds;
    return { lane, edge, tone: "accent", own: false, rate, width: Math.min(6, 1 + Math.log10(1 + rate)) };
  });
}

function light(edges: Map<string, ActiveEdge>, lane: string, edge: EdgeId, tone: Tone, own: boolean): void {
  const key = `${lane}|${edge}`;
  const before = edges.get(key);
  const lit = { tone: stronger(tone, before?.tone), own: own || (before?.own ?? false) };
  edges.set(key, { lane, edge, rate: 0, width: 1, ...lit });
}

function stronger(tone: Tone, other: Tone | undefined): Tone {
  return other === undefined || STRENGTH[tone] >= STRENGTH[other] ? tone : other;
}

function durationOf(from: number, to: number): number {
  return from > 0 && to >= from ? to - from : -1;
}
