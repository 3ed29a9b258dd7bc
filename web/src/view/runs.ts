/** The latest reconciles as rows that can be clicked, and the legend below them. */
import type { Reconcile } from "../base/rows.gen.ts";
import { clock } from "../base/time.ts";
import type { Shape, Tone } from "../layout/types.ts";
import { Keyed, attr, h, part, say } from "./dom.ts";
import { icon } from "./shapes.ts";
import { causesShort, failed, nameOf, outcome, span, toneOf, took } from "./words.ts";

/** What the rows need besides the reconciles. */
export interface RunsAround {
  readonly now: number;
  readonly zone: number;
  /** More than one controller: rows name theirs. */
  readonly many: boolean;
}

/** Runs is the list; a row carries data-go with the reconcile's key. */
export class Runs {
  readonly root = h("section", {}, h("h2", { class: "panel-title" }, "Latest reconciles"));
  private readonly list: HTMLUListElement;
  private readonly none = h("p", { class: "quiet" }, "None yet.");
  private readonly keyed: Keyed<Reconcile, HTMLLIElement>;
  private around: RunsAround = { now: 0, zone: 0, many: false };

  constructor() {
    const list = h("ul", { class: "runs" });
    this.list = list;
    this.root.append(this.none, list);
    list.addEventListener("keydown", (event) => {
      this.key(event);
    });
    list.addEventListener("focusin", () => {
      this.rove();
    });
    this.keyed = new Keyed<Reconcile, HTMLLIElement>(
      list,
      (run) => run.key,
      makeRun,
      (row, run) => {
        fillRun(row, run, this.around);
      },
    );
  }

  paint(runs: readonly Reconcile[], around: RunsAround): void {
    this.around = around;
    this.none.hidden = runs.length > 0;
    this.keyed.paint(runs);
    this.rove();
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
    const next = buttons[buttons.findIndex((button) => button === document.activeElement) + step];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    next.focus();
  }
}

function makeRun(run: Reconcile): HTMLLIElement {
  const text = (name: string): HTMLElement => h("span", { class: `run-${name}`, "data-part": name });
  const shape = h("span", { class: "run-shape", "data-part": "shape" });
  const button = h("button", { class: "run", type: "button", "data-go": run.key, tabindex: -1 }, shape);
  button.append(text("item"), text("took"), text("why"), text("when"));
  return h("li", {}, button);
}

function fillRun(row: HTMLElement, run: Reconcile, { now, zone, many }: RunsAround): void {
  const tone = toneOf(run);
  const shape = part(row, "shape");
  if (shape.dataset["tone"] !== tone) {
    shape.dataset["tone"] = tone;
    shape.replaceChildren(icon(shapeOf(tone), tone));
  }
  say(part(row, "item"), many ? `${nameOf(run.item)} · ${run.controller}` : nameOf(run.item));
  say(part(row, "why"), causesShort(run));
  say(part(row, "when"), clock(run.start, zone));
  const bad = failed(run);
  say(part(row, "took"), bad ? outcome(run) : run.to === 0 ? "running" : span(took(run, now)));
  attr(part(row, "took"), "class", bad ? "run-took tone-error" : "run-took");
  attr(row, "title", `${run.item}: ${outcome(run)}, ${span(took(run, now))}`);
}

/** shapeOf is the shape that says the same as a colour. */
export function shapeOf(tone: Tone): Shape {
  return tone === "ok" ? "tick" : tone === "error" ? "triangle" : tone === "warn" ? "ring" : "circle";
}

/** legend says what the shapes mean, and the truth about time. */
export function legend(): HTMLElement {
  const list = h("ul");
  const entry = (shape: Shape, tone: Tone, text: string): void => {
    list.append(h("li", {}, icon(shape, tone), text));
  };
  entry("circle", "accent", "in flight");
  entry("tick", "ok", "done");
  entry("triangle", "error", "error");
  entry("ring", "warn", "waiting");
  entry("diamond", "warn", "stale read");
  entry("halo", "own", "own write");
  list.append(h("li", {}, h("strong", {}, "×8"), " eight reconciles drawn as one"));
  const truth = "Order exact, durations stretched; true durations stand in the waterfall.";
  return h("footer", { class: "legend" }, list, h("p", {}, truth));
}
