/** What is known of a reconcile at a moment. Pure. */
import { getOrInsert } from "../base/getorinsert.ts";
import type { NodeId } from "../base/geometry.ts";
import type { Hold, Phase, Reconcile } from "../base/rows.gen.ts";
import { isHoldOf, isSlow } from "./holds.ts";

/** What was made of a row, by what was known then. */
const made = new WeakMap<Reconcile, Map<string, Reconcile>>();

/** A phase, or the time for which a worker was held or slowed down: then before says before which phase. */
export interface Piece extends Phase {
  readonly before?: string;
}

/**
 * asOf is a reconcile as it was known at t (µs): of one that was under way then, what came later is left out. Time in
 * which a worker was held, or slowed down, is no phase's: it is one of its own, named so. The same moment gives the same object.
 */
export function asOf(run: Reconcile, t: number, holds: readonly Hold[]): Reconcile {
  const own = holds.filter((hold) => isHoldOf(hold, run) && hold.from <= t);
  const over = t < run.from || (run.to > 0 && run.to <= t);
  if (over && own.length === 0) return run;
  const known = { ...(over ? run : cut(run, t, own)) };
  const phases = known.phases.flatMap((phase) => apart(phase, own, t));
  const sign = JSON.stringify([phases, known.reads.length, known.plan.length, known.writes.map(({ to }) => to)]);
  return getOrInsert(
    getOrInsert(made, run, () => new Map<string, Reconcile>()),
    sign,
    () => ({ ...known, phases }),
  );
}

/** How long a reconcile has been in a phase. */
export interface Took {
  readonly lasting: number;
  readonly over: boolean;
}

/** tookOf is how long a reconcile has been at a node by t, last, without its holds; undefined where it was not there. */
export function tookOf(run: Reconcile, node: NodeId, t: number, holds: readonly Hold[]): Took | undefined {
  const phase = run.phases.filter(({ name, from }) => name === node && from <= t).at(-1);
  if (phase === undefined) return undefined;
  const own = holds.filter((hold) => isHoldOf(hold, run) && hold.from <= t);
  const { from, to } = apart({ ...phase, to: known(phase.to, t) }, own, t)[0] ?? phase;
  return { lasting: (to === 0 ? t : to) - from, over: to > 0 };
}

/**
 * settled is the end of the phase in which t lies: who stops there is shown all that the phase has done. A worker that
 * is held has done no more, and one that comes to be held in the phase has done what it did until then.
 */
export function settled(run: Reconcile, t: number, holds: readonly Hold[]): number {
  const end = run.phases.find(({ from, to }) => from <= t && t < to)?.to ?? t;
  const stops = holds.filter((hold) => isHoldOf(hold, run) && (hold.to === 0 || t < hold.to));
  return stops.reduce((least, { from }) => Math.min(least, Math.max(t, from)), end);
}

/** What was known at t of one that was under way. Its plan is, once it has been computed. */
function cut(run: Reconcile, t: number, holds: readonly Hold[]): Reconcile {
  const begun = <T extends { readonly from: number; readonly to: number }>(list: readonly T[]): readonly T[] =>
    list.filter(({ from }) => from <= t).map((one) => ({ ...one, to: known(one.to, t) }));
  const phases = begun(run.phases);
  const sent = { status: 0, error: "", after: "", fields: [], server: [] };
  const writes = begun(run.writes).map((write) => (write.to > 0 ? write : { ...write, ...sent }));
  const planned = [...holds, ...phases].some((one) => ("phase" in one ? one.phase === "apply" : one.name === "apply"));
  return {
    ...run,
    to: 0,
    result: "",
    error: "",
    phases,
    reads: begun(run.reads).filter(({ to }) => to > 0),
    plan: planned ? run.plan : [],
    writes,
    writeCount: writes.length,
  };
}

/** An end that has not come is 0. */
function known(to: number, t: number): number {
  return to > t ? 0 : to;
}

/** A phase ends where its worker is held before the next one. */
function apart(phase: Phase, holds: readonly Hold[], t: number): readonly Piece[] {
  const hold = holds.find(({ from }) => from >= phase.from && (phase.to === 0 || from < phase.to));
  if (hold === undefined) return [phase];
  return [
    { ...phase, to: hold.from },
    { name: isSlow(hold) ? "slowed" : "held", from: hold.from, to: known(hold.to, t), before: hold.phase },
  ];
}
