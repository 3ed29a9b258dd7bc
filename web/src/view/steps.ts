/** Steps through time by phase and by reconcile; both pause the picture. */
import type { NodeId } from "../base/geometry.ts";
import type { Reconcile, Write } from "../base/rows.gen.ts";
import { spotlight } from "../layout/spotlight.ts";
import type { Station } from "../layout/spotlight.ts";
import { settled } from "../model/known.ts";
import type { App } from "./app.ts";
import type { NoticeElement } from "./notice.ts";
import { isBad, writeFailed } from "./words.ts";

/** Steps through time: the buttons' and the keys'. */
export interface Stepper {
  readonly reconcile: (direction: 1 | -1) => void;
  readonly phase: (direction: 1 | -1) => void;
  /** Goes to where the next error or refused write arose, or the one before; false when there is none. */
  error(direction: 1 | -1): boolean;
}

/** How many reconciles are looked through for the one before or after. */
const reach = 50_000;

/**
 * stepper makes the steps for an app. go opens a reconcile in the panel, and lights a write of it, "" for none; line
 * says where there is nothing to step to.
 */
export function stepper(
  app: App,
  go?: (reconcile: string, write: string) => void,
  line?: Pick<NoticeElement, "tell" | "hush">,
): Stepper {
  const beside = (direction: 1 | -1, node?: NodeId): void => {
    const run = neighbour(app, direction);
    const what = app.filter.get().on ? "match" : "reconcile";
    if (run === undefined) return line?.tell(`No ${direction > 0 ? "later" : "earlier"} ${what}`);
    line?.hush();
    show(app, run, node);
  };
  return {
    reconcile: beside,
    phase(direction) {
      const run = app.model.reconcile(app.selection.get()?.reconcile ?? "");
      const at = run === undefined ? undefined : boundary(app, run, direction);
      if (at === undefined) return beside(direction, direction > 0 ? "dequeue" : "requeue");
      line?.hush();
      app.playhead.seek(at);
    },
    error(direction) {
      const run = errorFrom(app, direction);
      if (run === undefined) return false;
      const write = run.writes.find(writeFailed);
      go?.(run.key, write?.span ?? "");
      app.playhead.seek(arose(app, run, write));
      return true;
    },
  };
}

/** What just ended counts as being there still for so long, in µs. */
const lately = 500_000;

/** selectAt selects the reconcile that is under way at t, or was just now; without one nothing is selected. */
export function selectAt(app: App, t: number): void {
  const there = (run: Reconcile): boolean => run.start <= t && (run.to === 0 || run.to + lately >= t);
  select(app, app.model.recent("", reach).find(there));
}

/**
 * The reconcile before or after the one that is selected, of the same item, or of all when none is. While a filter is
 * on, it is the one before or after of what matches, whatever its item.
 */
function neighbour(app: App, direction: 1 | -1): Reconcile | undefined {
  const selection = app.selection.get();
  const filter = app.filter.get();
  const current = app.model.reconcile(selection?.reconcile ?? "");
  if (current === undefined || selection === undefined || filter.on) {
    return nearest(filter.recent(app.model, reach), current ?? app.playhead.now(), direction);
  }
  const own = app.model.reconcilesOf(selection.controller, selection.item);
  const at = own.findIndex((run) => run.key === current.key);
  return own[at - direction];
}

/** The nearest reconcile that begins before or after another one or a time; those that begin together go by their keys. */
function nearest(all: readonly Reconcile[], from: Reconcile | number, direction: 1 | -1): Reconcile | undefined {
  const here = typeof from === "number" ? { start: from, key: "" } : from;
  const order = (a: Place, b: Place): number => a.start - b.start || (a.key < b.key ? -1 : Number(a.key > b.key));
  let found: Reconcile | undefined;
  for (const run of all) {
    if (Math.sign(order(run, here)) !== direction) continue;
    if (found === undefined || order(run, found) * direction < 0) found = run;
  }
  return found;
}

type Place = Pick<Reconcile, "start" | "key">;

/**
 * The first error after the reconcile that is selected, or after the moment shown; or the last one before it. After now
 * there is none: while the picture follows and nothing is selected, it is the newest.
 */
function errorFrom(app: App, direction: 1 | -1): Reconcile | undefined {
  const current = app.model.reconcile(app.selection.get()?.reconcile ?? "");
  const bad = app.filter.get().recent(app.model, reach).filter(isBad);
  const live = current === undefined && app.playhead.following;
  return nearest(bad, current ?? app.playhead.now(), live ? -1 : direction);
}

/** When a reconcile has done what it does at its station i, as far as it has: the clock, the panel and the map agree. */
function rested(run: Reconcile, stations: readonly Station[], i: number): number {
  const at = stations[i]?.at ?? run.start;
  const next = stations[i + 1];
  // A whole µs, as links have it.
  return Math.max(at, next === undefined ? run.to : Math.ceil(next.at) - 1);
}

/** momentOf is the true time at which a reconcile is to be seen at a node; its start where it never was there. */
export function momentOf({ model }: Pick<App, "model">, run: Reconcile, node: NodeId): number {
  const { stations } = spotlight(run, model.holds());
  const i = stations.findIndex((station) => station.node === node);
  return i < 0 ? run.start : rested(run, stations, i);
}

/** When a write of it had failed, or the last phase was over before it gave an error back. */
export function arose({ model }: Pick<App, "model">, run: Reconcile, write?: Pick<Write, "from" | "to">): number {
  const holds = model.holds();
  const { stations } = spotlight(run, holds);
  const { from = Infinity, to = Infinity } = write ?? {};
  const i = stations.filter(({ node, at }) => node !== "requeue" && at <= from).length - 1;
  return Math.min(rested(run, stations, i), Math.max(to, settled(run, from, holds) - 1));
}

/** Selects a reconcile, undefined for none. */
export function select(app: App, run: Reconcile | undefined): void {
  app.selection.set(run && { controller: run.controller, item: run.item, reconcile: run.key });
}

function show(app: App, run: Reconcile, node: NodeId = "dequeue"): void {
  select(app, run);
  app.playhead.seek(momentOf(app, run, node));
}

/** The moment of the next phase, or of the one before; undefined when it is another reconcile's. */
function boundary({ model, playhead }: App, run: Reconcile, direction: 1 | -1): number | undefined {
  const t = playhead.now();
  const { stations } = spotlight(run, model.holds());
  const here = stations.filter(({ at }) => at <= t).length - 1;
  // Not in this reconcile, but after it: it is gone through from its beginning, or from its end.
  const after = run.to > 0 && t > rested(run, stations, here);
  const i = !after ? here + direction : direction > 0 ? 0 : here;
  return i in stations ? rested(run, stations, i) : undefined;
}
