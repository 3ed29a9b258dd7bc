/** A controller over time: rate, errors, latency and depth, read by pointer and keys, and as a table. */
import { SECOND, clock, rate } from "../base/time.ts";
import { series } from "../model/series.ts";
import type { Point } from "../model/series.ts";
import { charts, readAt } from "./charts.ts";
import { h } from "./dom.ts";
import { scrolling } from "./parts.ts";
import type { Scope, View } from "./scope.ts";
import { span } from "./words.ts";

/** How many steps a chart has. */
const steps = 60;
/** The widths of a step that one can choose, and the whole that they make. */
const widths = [
  { step: SECOND, text: "1 min" },
  { step: 5 * SECOND, text: "5 min" },
  { step: 60 * SECOND, text: "1 h" },
] as const;
/** As many lines has the table. */
const listed = 30;

export class ChartsView implements View {
  private chosen = 0;
  /** Which point is read, undefined for that of the moment shown. */
  private at: number | undefined;
  private points: readonly Point[] = [];
  private zone = 0;

  sign({ model, lane, t, width, following }: Scope): string {
    return [lane?.key, this.chosen, width, following, Math.floor(t / SECOND), following ? "" : model.version].join();
  }

  nodes(scope: Scope): Node[] {
    const { model, lane, t, zone, width, app } = scope;
    const name = lane?.key ?? "";
    const { step } = widths[this.chosen] ?? widths[0];
    // A quarter of the axis is kept for what came after the moment shown, as far as there is something.
    const to = Math.min(app.watch.hubNow(), t + (step * steps) / 4);
    this.points = series(model.samples(name, to - step * (steps + 1), to + step), to, step, steps);
    this.zone = zone;
    const root = charts(this.points, width, t);
    root.setAttribute("aria-label", `${name} over time`);
    this.listen(root, scope);
    readAt(root, this.points, this.reading(scope), zone);
    const choose = h("span", { class: "chosen", role: "group", "aria-label": "How long back" });
    widths.forEach(({ text }, i) => choose.append(this.button(text, i, app)));
    return [
      h("div", { class: "panel-head" }, h("h2", { class: "panel-title" }, name), choose),
      root,
      table(this.points, t, zone),
    ];
  }

  /** Without pointer and keys that of the moment shown; of what is live the last that is whole. */
  private reading({ t, following }: Scope): number {
    const there = this.points.findIndex((point) => point.from <= t && t < point.to) - (following ? 1 : 0);
    return Math.max(0, Math.min(this.at ?? there, steps - 1));
  }

  private button(text: string, i: number, app: Scope["app"]): HTMLElement {
    const button = h(
      "button",
      { class: "button small", type: "button", "aria-pressed": String(i === this.chosen) },
      text,
    );
    button.addEventListener("click", () => {
      this.chosen = i;
      this.at = undefined;
      app.wake();
    });
    return button;
  }

  private listen(root: HTMLElement, scope: Scope): void {
    const read = (at: number | undefined): void => {
      this.at = at;
      readAt(root, this.points, this.reading(scope), this.zone);
    };
    root.addEventListener("pointermove", ({ clientX }) => {
      const { left, width } = root.getBoundingClientRect();
      read(Math.max(0, Math.min(steps - 1, Math.floor(((clientX - left) / width) * steps))));
    });
    for (const leave of ["pointerleave", "blur"])
      root.addEventListener(leave, () => {
        read(undefined);
      });
    const seek = (): void => {
      const point = this.points[this.reading(scope)];
      if (point !== undefined) scope.app.playhead.seek(point.from + (point.to - point.from) / 2);
      this.at = undefined;
    };
    root.addEventListener("click", seek);
    root.addEventListener("keydown", (event) => {
      const moves: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, Home: -steps, End: steps };
      const by = moves[event.key];
      if (by === undefined && event.key !== "Enter") return;
      event.preventDefault();
      if (by === undefined) seek();
      else read(Math.max(0, Math.min(steps - 1, this.reading(scope) + by)));
    });
  }
}

function table(points: readonly Point[], t: number, zone: number): HTMLElement {
  const head = h("tr");
  for (const name of ["From", "Rate", "Errors", "p50", "p99", "Depth"]) head.append(h("th", { scope: "col" }, name));
  const body = h("tbody");
  const told = points
    .filter((point) => point.reconciles > 0 && point.from <= t)
    .slice(-listed)
    .reverse();
  for (const { from, rate: n, errors, p50, p99, depth } of told) {
    const row = h("tr", {}, h("th", { scope: "row" }, clock(from, zone)));
    for (const text of [rate(n), String(errors), span(p50), span(p99), String(depth)])
      row.append(h("td", { class: "num" }, text));
    body.append(row);
  }
  const whole = h("table", { class: "passes" }, h("thead", {}, head), body);
  return h(
    "details",
    { class: "part", "data-fold": "table" },
    h("summary", {}, "As a table"),
    scrolling(whole, "Table"),
  );
}
