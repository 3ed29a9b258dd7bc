/** Which timer an item came back by: a reconcile's back-off or requeue after, and the cause that it became. Pure. */
import type { Cause, Reconcile } from "../base/rows.gen.ts";

/** Delays of an item that end as near to each other are one: the queue keeps the earliest. µs. */
const same = 10_000;

export function isTimer(what: string): boolean {
  return what === "backoff" || what === "requeue_after";
}

/** mayHaveSet says that a reconcile set such a timer, which was over by the time of the cause. */
export function mayHaveSet({ to, next, phases }: Reconcile, { what, at }: Cause): boolean {
  // It was set in the last phase, and its length is told from the end on.
  const set = phases.at(-1)?.from ?? to;
  return to > 0 && next.why === what && Math.max(to, next.at ?? 0) - (to - set) <= at;
}

/** isOf says that a cause, which setter's timer became, is that of run's timer: by itself, or as they were one. */
export function isOf(run: Reconcile, cause: Cause, setter: Reconcile | undefined): boolean {
  if (setter === undefined || !mayHaveSet(run, cause)) return false;
  return setter.key === run.key || Math.abs((setter.next.at ?? NaN) - (run.next.at ?? NaN)) < same;
}
