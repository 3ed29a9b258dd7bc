/** The view of one reconcile. */
import { say } from "./dom.ts";
import type { Later } from "./later.ts";
import { knownAt } from "./scope.ts";
import type { Scope, View } from "./scope.ts";

export class RunView implements View {
  /** Every span of the API server and etcd is shown. */
  servers = false;
  /** The span of the write that one has come for. */
  lit = "";

  private readonly later: Later;

  /** later has what draws it, once its script is there. */
  constructor(later: Later) {
    this.later = later;
  }

  sign(scope: Scope): string {
    const { model, run, t } = scope;
    if (run === undefined) return "";
    const known = model.why(run).filter((link) => link.reconcile !== undefined).length;
    const { related } = model;
    const { after, retry } = model.followed(run, knownAt(scope, run));
    const now = run.to === 0 ? Math.floor(t / 250_000) : 0;
    const around = [
      related.effects(run.key).length,
      related.evidence(run.key).length,
      after?.key,
      retry?.key,
      this.later.ask(),
    ];
    // Whatever else changed in it, a row that is replaced is another one.
    return [this.number(run), model.nth(run).n, known, this.servers, this.lit, now, around].join();
  }

  nodes(scope: Scope): Node[] {
    const { run, model, zone } = scope;
    if (run === undefined) return [];
    const { servers, lit, later } = this;
    const around = { model, now: knownAt(scope, run), zone, servers, lit };
    return later.panels?.details(run, around) ?? later.instead();
  }

  /** What counts down goes on in place. */
  tick(root: HTMLElement, scope: Scope): void {
    const text = root.querySelector('[data-part="next"]');
    const { run, model } = scope;
    if (text === null || run === undefined) return;
    say(text, this.later.panels?.nextText(run, model, knownAt(scope, run)) ?? "");
  }

  private readonly numbers = new WeakMap<object, number>();
  private last = 0;

  private number(row: object): number {
    const known = this.numbers.get(row) ?? ++this.last;
    this.numbers.set(row, known);
    return known;
  }
}
