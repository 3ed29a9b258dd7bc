/** Tells screen readers what happened, in batches: never more than one sentence in ten seconds. */
import type { NodeId } from "../base/geometry.ts";
import type { Reconcile } from "../base/rows.gen.ts";
import { SECOND } from "../base/time.ts";
import type { StationOf } from "../view/later.ts";
import { tookOf } from "../model/known.ts";
import type { Model } from "../model/types.ts";
import type { App } from "../view/app.ts";
import { say } from "../view/dom.ts";
import {
  causesShort,
  failed,
  failureSaid,
  hasRefused,
  nextSaid,
  outcome,
  plural,
  span,
  writeFailed,
  writeName,
} from "../view/words.ts";

const every = 10 * SECOND;

export class Voice {
  private last = 0;
  /** How many findings have been told, or were there before. */
  private findings = 0;
  /** The reconcile and the phase that were told last, while one steps. */
  private stepped = "";
  private readonly app: App;
  private readonly element: Element;
  private readonly stationOf: StationOf;

  constructor(app: App, element: Element, stationOf: StationOf) {
    this.app = app;
    this.element = element;
    this.stationOf = stationOf;
  }

  paint(): void {
    if (this.app.playhead.paused) return this.step();
    this.stepped = "";
    const now = this.app.watch.hubNow();
    if (!this.app.playhead.following || now - this.last < every) return;
    const since = this.last === 0 ? now : this.last;
    this.last = now;
    const found = this.app.model.findings();
    const newest = found.length > this.findings && since < now ? found.at(-1) : undefined;
    this.findings = found.length;
    if (newest !== undefined)
      return say(this.element, `Finding: ${this.app.model.called(newest.item)}, ${newest.summary}.`);
    const fresh = this.app.model.recent("", 500).filter((run) => run.to > since);
    const last = fresh[0];
    if (last === undefined) return;
    const errors = fresh.filter(failed).length;
    const counts = `${plural(fresh.length, "reconcile", "reconciles")}, ${plural(errors, "error", "errors")}.`;
    say(this.element, `${counts} Last: ${this.app.model.called(last.item)}, ${causesShort(last)}, ${outcome(last)}.`);
  }

  /** Each step through a reconcile is told at once. */
  private step(): void {
    const { model, selection, playhead } = this.app;
    const run = model.reconcile(selection.get()?.reconcile ?? "");
    const node = run === undefined ? undefined : this.stationOf(run, playhead.now(), model.holds())?.node;
    const step = `${run?.key ?? ""} ${node ?? ""}`;
    if (step === this.stepped) return;
    this.stepped = step;
    if (run !== undefined && node !== undefined) say(this.element, stepSaid(run, node, model));
  }
}

/** stepSaid is what one sees at a phase of a reconcile: "web, reconcile 3, fetch, 0.1 ms: 3 Pod from the cache.". */
export function stepSaid(run: Reconcile, node: NodeId, model: Pick<Model, "called" | "nth" | "holds">): string {
  const took = tookOf(run, node, Infinity, model.holds());
  const long = took?.over === true ? `, ${span(took.lasting)}` : "";
  const told = toldOf(run, node).filter((text) => text !== "");
  const what = told.length === 0 ? "" : `: ${told.join(", ")}`;
  return `${model.called(run.item)}, reconcile ${String(model.nth(run).n)}, ${node}${long}${what}.`;
}

function toldOf(run: Reconcile, node: NodeId): readonly string[] {
  switch (node) {
    case "dequeue":
      return [causesShort(run)];
    case "fetch":
      return run.reads.map(
        ({ count, kind, source, stale }) =>
          `${String(count)} ${kind} from the ${source === "api" ? "API server" : "cache"}${stale === "yes" ? ", stale" : ""}`,
      );
    case "compute":
      return run.plan.map(({ summary }) => summary);
    case "apply":
      return run.writes.map((write) => (writeFailed(write) ? failureSaid(write).text : writeName(write)));
    default: {
      const { text, more } = nextSaid(run, run.to);
      return [hasRefused(run) ? "" : outcome(run), `${text} ${more}`.trim()];
    }
  }
}
