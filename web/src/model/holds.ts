/** Which pauses and breakpoints a reconcile was held at. Pure. */
import { isPhase } from "../base/geometry.ts";
import type { Hold, Reconcile } from "../base/rows.gen.ts";
import { MS } from "../base/time.ts";

/** What begins so shortly before a hold belongs to it. */
export const SLACK = MS;

/** isHoldOf says whether a hold is one of this reconcile: before its dequeue a reconcile has no name yet. */
export function isHoldOf(hold: Hold, run: Reconcile): boolean {
  if (!isPhase(hold.phase)) return false;
  if ((hold.reconcile ?? "") !== "") return hold.reconcile === run.key;
  const [first] = run.phases;
  if (hold.controller !== run.controller || hold.item !== run.item || first?.name !== "dequeue") return false;
  return hold.from >= first.from - SLACK && hold.from <= Math.max(first.to, first.from + SLACK);
}

/** isSlow says that a worker goes on by itself: it is slowed down, and not held. */
export function isSlow({ why }: Pick<Hold, "why">): boolean {
  return why.startsWith("slow");
}
