/** Tells screen readers what happened, in batches: never more than one sentence in ten seconds. */
import { SECOND } from "../base/time.ts";
import type { App } from "./app.ts";
import { say } from "./dom.ts";
import { causesShort, failed, nameOf, outcome, plural } from "./words.ts";

const every = 10 * SECOND;

export class Voice {
  private last = 0;
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
    const found = this.app.model.findings().find((finding) => finding.from > since);
    if (found !== undefined) return say(this.element, `Finding: ${nameOf(found.item)}, ${found.summary}.`);
    const fresh = this.app.model.recent("", 500).filter((run) => run.to > since);
    const newest = fresh[0];
    if (newest === undefined) return;
    const errors = fresh.filter(failed).length;
    const counts = `${plural(fresh.length, "reconcile", "reconciles")}, ${plural(errors, "error", "errors")}.`;
    say(this.element, `${counts} Last: ${nameOf(newest.item)}, ${causesShort(newest)}, ${outcome(newest)}.`);
  }
}
