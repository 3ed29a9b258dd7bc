/** The queue's slots, the waiting room's rings and how far the cache is behind, in display time. */
import type { Layout } from "../layout/layout.ts";
import type { Wait } from "../base/rows.gen.ts";
import type { Journey, Step } from "../layout/types.ts";
import { nameOf, word } from "../layout/words.ts";
import type { Behind, QueueSlot, SceneOptions, WaitRing } from "./types.ts";

/** A journey in the step that holds the time asked for. */
export interface Under {
  readonly journey: Journey;
  /** The number of the step. */
  readonly i: number;
  readonly step: Step;
  /** Left out by the filter. */
  readonly dim: boolean;
}

/** dimmed marks what the filter leaves out. */
export function dimmed<T extends object>(thing: T, dim: boolean): T {
  return dim ? { ...thing, dim: true } : thing;
}

/**
 * slotsOf gives the items in the queue at t: those whose token waits in it, and behind them those of which nothing is
 * known yet but that they are ready, in the queue's own order.
 */
export function slotsOf(
  layout: Layout,
  lane: string,
  under: readonly Under[],
  t: number,
  { shows, called = nameOf }: SceneOptions,
): QueueSlot[] {
  const slots = new Map<string, QueueSlot>();
  const queued = under.filter(({ step }) => step.kind === "stay" && step.node === "queue");
  for (const { journey, step, dim } of queued.sort((a, b) => a.step.from - b.step.from)) {
    if (step.kind !== "stay" || slots.has(journey.item)) continue;
    const { item, label, sub, reconcile } = journey;
    slots.set(item, dimmed({ lane, item, label, sub, since: step.trueFrom, reconcile }, dim));
  }
  const ready: Wait[] = [];
  layout.readyAt(lane, t, ({ wait }) => ready.push(wait));
  if (ready.length === 0) return [...slots.values()];
  ready.sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0) || (a.order ?? 0) - (b.order ?? 0) || a.from - b.from);
  // An item with a token on its way is not in its slot yet, or not any more.
  const busy = new Set<string>();
  for (const { journey } of under) if (journey.kind !== "write") busy.add(journey.item);
  for (const wait of ready) {
    if (slots.has(wait.item) || busy.has(wait.item)) continue;
    const sub = (wait.causes ?? 0) > 1 ? `${String(wait.causes)} causes` : word(wait.why ?? "");
    const { item, from: since } = wait;
    const slot = { lane, item, label: called(item), sub, since, reconcile: "" };
    slots.set(item, dimmed(slot, shows?.(lane, item, "") === false));
  }
  return [...slots.values()];
}

/** ringsOf gives the items parked in the waiting room, the next ready first. */
export function ringsOf(lane: string, under: readonly Under[], t: number): WaitRing[] {
  const rings: WaitRing[] = [];
  for (const { journey, step, dim } of under) {
    if (step.kind !== "stay" || step.node !== "waiting") continue;
    const { item, label, sub: why, seat: requeues, reconcile } = journey;
    const until = step.until > 0 ? step.until : step.trueTo;
    const whole = until - step.trueFrom;
    const left = until > 0 ? Math.max(0, until - t) : 0;
    const done = whole > 0 ? Math.min(1, Math.max(0, 1 - left / whole)) : 1;
    rings.push(dimmed({ lane, item, label, why, requeues, until, left, done, reconcile }, dim));
  }
  return rings.sort((a, b) => a.until - b.until || (a.item < b.item ? -1 : 1));
}

/**
 * behindOf counts, by item, the own writes that the cache has not got: those on their way to it from the API server, and
 * those that an item which fetches has not found in it.
 */
export function behindOf(under: readonly Under[], { called = nameOf }: SceneOptions): Behind | undefined {
  const coming = new Map<string, number>();
  const missed = new Map<string, number>();
  for (const { journey, step } of under) {
    const { kind, own, item, count, behind = 0 } = journey;
    if (kind === "write" && own && step.kind === "move" && step.edge === "api-cache")
      coming.set(item, (coming.get(item) ?? 0) + count);
    if (behind > 0 && step.kind === "stay" && step.node === "fetch") missed.set(item, behind);
  }
  const items = [...new Set([...coming.keys(), ...missed.keys()])];
  // What was not found is part of what comes, or has not set out yet.
  const writes = items.reduce((n, item) => n + Math.max(coming.get(item) ?? 0, missed.get(item) ?? 0), 0);
  if (writes === 0) return undefined;
  const [item = ""] = items;
  return items.length === 1 ? { item, label: called(item), writes } : { item: "", label: "", writes };
}
