/** Tells screen readers what happened, in batches: never more than one sentence in ten seconds. */
import { SECOND } from "../base/time.ts";
import type { App } from "./app.ts";
import { say } from "./dom.ts";
import { causesShort, failed, nameOf, outcome, plural } from "./words.ts";

const every = 10 * SECOND;

export class Voice {
  private last = 0;
  /** How many findings have been told, or were there before. */
  private findings = 0;
  private readonly app: App;
  private readonly element: Element;

  constructor(app: App, element: Element) {
    this.app = app;
    this.element = element;
  }

  paint(): void {
    const now = this.app.watch.hubNow();
    if (!this.app.playhead.following || now - this.last < every) return;
    const since = this.last === 0 ? now : this.last;
    this.last = now;
    const found = this.app.model.findings();
    const newest = found.length > this.findings && since < now ? found.at(-1) : undefined;
    this.findings = found.length;
    if (newest !== undefined) return say(this.element, `Finding: ${nameOf(newest.item)}, ${newest.summary}.`);
    const fresh = this.app.model.recent("", 500).filter((run) => run.to > since);
    const last = fresh[0];
    if (last === undefined) return;
    const errors = fresh.filter(failed).length;
    const counts = `${plural(fresh.length, "reconcile", "reconciles")}, ${plural(errors, "error", "errors")}.`;
    say(this.element, `${counts} Last: ${nameOf(last.item)}, ${causesShort(last)}, ${outcome(last)}.`);
  }
}
