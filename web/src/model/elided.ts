/** What the hub left out of its frames, as times and counts. */
import type { ElidedFrame } from "../base/frames.ts";
import { SECOND } from "../base/time.ts";
import type { Elided } from "./types.ts";

const KEPT = 1_000;

/** Under pressure every frame leaves something out: what follows within a second is one, up to so long (µs). */
const AS_ONE = 10 * SECOND;

/** The list with one more frame; it happened since heard, the time of the frame before (0: there was none). */
export function withElided(list: readonly Elided[], frame: ElidedFrame, heard: number): readonly Elided[] {
  const { now: to, reconciles, by } = frame;
  const last = list.at(-1);
  const next = { from: heard > 0 ? heard : to, to, reconciles, by };
  if (last === undefined || next.from - last.to >= SECOND) return kept([...list, next]);
  // No hole between the two: they are drawn as one range.
  if (to - last.from > AS_ONE) return kept([...list, { ...next, from: last.to }]);
  const sums = { ...last.by };
  for (const [result, n] of Object.entries(by)) sums[result] = (sums[result] ?? 0) + n;
  return [...list.slice(0, -1), { from: last.from, to, reconciles: last.reconciles + reconciles, by: sums }];
}

const kept = (list: readonly Elided[]): readonly Elided[] => list.slice(-KEPT);
