/** The latest reconciles as rows that can be clicked. */
import type { Reconcile } from "../base/rows.gen.ts";
import { clock } from "../base/time.ts";
import { STALE } from "../layout/steps.ts";
import { readStale } from "../model/samples.ts";
import { attr, h, part, say, show } from "./dom.ts";
import { Rows, whole } from "./rows.ts";
import { icon } from "./shapes.ts";
import { causesShort, isBad, lookOf, nameOf, outcome, span, took } from "./words.ts";

/** What the rows need besides the reconciles. */
export interface RunsAround {
  readonly now: number;
  readonly zone: number;
  /** Which of its item's reconciles one is. */
  readonly nth: (run: Reconcile) => number;
  /** The name of an item, as the list says it. */
  readonly called: (item: string) => string;
  /** More than one controller: rows name theirs. */
  readonly many: boolean;
  /** Only what matches a search is listed. */
  readonly sought: boolean;
  /** What the list is of: it grows by itself as long as that is the same. */
  readonly moment: string;
  /** There are older ones than those listed. */
  readonly more: boolean;
}

/** Runs is the list; a row carries data-go with the reconcile's key. */
export class Runs {
  private readonly title = h("h2", { class: "panel-title", tabindex: -1 }, "Latest reconciles");
  readonly root = h("section", {}, this.title);
  private readonly list: HTMLUListElement;
  /** While the focus is in the list, new rows wait behind this button, so that nothing moves under it. */
  private readonly fresh = h("button", { class: "button small fresh", type: "button", hidden: true });
  private held: readonly Reconcile[] = [];
  private newest: readonly Reconcile[] = [];
  private readonly none = h("p", { class: "quiet" }, "None yet.");
  private readonly rows: Rows<Reconcile, HTMLLIElement>;
  /** What a row says besides its reconcile. */
  private readonly said = new WeakMap<HTMLElement, string>();
  private around: RunsAround = {
    now: 0,
    zone: 0,
    called: nameOf,
    nth: () => 0,
    many: false,
    sought: false,
    moment: "",
    more: false,
  };

  private readonly older = h("button", { class: "button small older", type: "button", hidden: true }, "Older …");

  /** more lists older ones. */
  constructor(more: () => void) {
    const list = h("ul", { class: "runs" });
    this.list = list;
    this.root.append(this.fresh, this.none, list, this.older);
    this.older.addEventListener("click", () => {
      const from = this.buttons().length;
      more();
      this.buttons()[from]?.focus();
    });
    this.fresh.addEventListener("click", () => {
      whole(this.show(this.newest));
      this.buttons()[0]?.focus();
    });
    list.addEventListener("keydown", (event) => {
      this.key(event);
    });
    list.addEventListener("focusin", () => {
      this.held = this.rows.stop();
      this.rove();
    });
    this.rows = new Rows(list, makeRun, (row, run, before) => this.fill(row, run, before));
  }

  /** Paints some rows with each step. */
  *paint(runs: readonly Reconcile[], around: RunsAround): Generator<void> {
    const hold = around.moment === this.around.moment && this.root.contains(document.activeElement);
    this.around = around;
    this.newest = runs;
    say(this.title, around.sought ? "Matching reconciles" : "Latest reconciles");
    show(this.older, around.more);
    say(this.none, around.sought ? "None match." : "None yet.");
    yield* hold ? this.hold(runs) : this.show(runs);
  }

  /** Puts the focus on the row of a reconcile, or on the first. */
  focus(key: string): void {
    const buttons = this.buttons();
    (buttons.find((button) => button.dataset["go"] === key) ?? buttons[0])?.focus({ preventScroll: true });
  }

  /** Rows change in place; those that are new are counted. */
  private *hold(runs: readonly Reconcile[]): Generator<void> {
    const now = new Map(runs.map((run) => [run.key, run]));
    this.held = this.held.map((run) => now.get(run.key) ?? run);
    const known = new Set(this.held.map((run) => run.key));
    const fresh = runs.filter((run) => !known.has(run.key)).length;
    if (this.held.length === 0) return yield* this.show(runs);
    say(this.fresh, `${String(fresh)}${fresh === runs.length ? " or more" : ""} new`);
    this.fresh.hidden = fresh === 0;
    yield* this.rows.paint(this.held);
  }

  private *show(runs: readonly Reconcile[]): Generator<void> {
    this.held = runs;
    this.fresh.hidden = true;
    this.none.hidden = runs.length > 0;
    yield* this.rows.paint(runs);
    this.rove();
  }

  /** A row of a reconcile that is over is written once, as long as its number, its name and the zone are the same. */
  private fill(row: HTMLLIElement, run: Reconcile, before: Reconcile | undefined): boolean {
    const { zone, nth, many, called } = this.around;
    const name = called(run.item);
    const n = `#${String(nth(run))}`;
    const said = [name, n, many, zone].join();
    if (run === before && run.to > 0 && said === this.said.get(row)) return false;
    this.said.set(row, said);
    fillRun(row, run, this.around);
    say(part(row, "item"), many ? `${name} · ${run.controller}` : name);
    say(part(row, "n"), n);
    return true;
  }

  private buttons(): HTMLButtonElement[] {
    return [...this.list.querySelectorAll<HTMLButtonElement>(".run")];
  }

  /** One row is in the order of Tab, the focused or else the newest: the arrow keys go on from there. */
  private rove(): void {
    const buttons = this.buttons();
    const at = buttons.find((button) => button === document.activeElement) ?? buttons[0];
    for (const button of buttons) {
      const wanted = button === at ? 0 : -1;
      if (button.tabIndex !== wanted) button.tabIndex = wanted;
    }
  }

  private key(event: KeyboardEvent): void {
    const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    const buttons = this.buttons();
    const last = step > 0 && !this.older.hidden ? this.older : undefined;
    const next = buttons[buttons.findIndex((button) => button === document.activeElement) + step] ?? last;
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    next.focus();
  }
}

function makeRun(): HTMLLIElement {
  const text = (name: string): HTMLElement => h("span", { class: `run-${name}`, "data-part": name });
  const shape = h("span", { class: "run-shape", "data-part": "shape" });
  const button = h("button", { class: "run", type: "button", "data-part": "go", tabindex: -1 }, shape);
  const stale = h(
    "span",
    { class: "run-stale", "data-part": "stale" },
    icon(STALE),
    h("span", { class: "unseen" }, "stale read"),
  );
  const name = h("span", { class: "run-name" }, text("item"), text("n"), stale);
  button.append(name, text("took"), text("why"), text("when"));
  return h("li", {}, button);
}

function fillRun(row: HTMLElement, run: Reconcile, { now, zone }: RunsAround): void {
  attr(part(row, "go"), "data-go", run.key);
  const look = lookOf(run);
  const { tone } = look;
  const shape = part(row, "shape");
  const drawn = `${look.shape} ${tone}`;
  if (shape.dataset["look"] !== drawn) {
    shape.dataset["look"] = drawn;
    shape.replaceChildren(icon(look));
  }
  const stale = readStale(run);
  show(part(row, "stale"), stale);
  say(part(row, "why"), causesShort(run));
  say(part(row, "when"), clock(run.start, zone));
  const told = isBad(run);
  say(part(row, "took"), told || run.to === 0 ? outcome(run) : span(took(run, now)));
  attr(part(row, "took"), "class", told ? `run-took tone-${tone}` : "run-took");
  attr(row, "title", `${run.item}: ${outcome(run)}, ${span(took(run, now))}${stale ? ", stale read" : ""}`);
}
