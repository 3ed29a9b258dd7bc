/** A controller over time: rate, errors, latency and depth, read by pointer and keys, and as a table. */
import { SECOND, clock } from "../base/time.ts";
import { series } from "../model/series.ts";
import type { Point } from "../model/series.ts";
import { bands, charts, readAt } from "./charts.ts";
import { h } from "../view/dom.ts";
import { scrolling } from "../view/parts.ts";
import type { Scope, View } from "../view/scope.ts";

/** How many steps a chart has, and how long each is: as much as the line of time below shows. */
const steps = 60;
const step = 2 * SECOND;
/** In so many reconciles the times are looked for. */
const looked = 5000;
/** As many lines has the table. */
const listed = 30;

/** A quarter of the axis is kept for what came after the moment shown, as far as there is something. */
function endOf({ app, t }: Scope): number {
  return Math.min(app.watch.hubNow(), t + (step * steps) / 4);
}

export class ChartsView implements View {
  /** Which point is read, undefined for that of the moment shown. */
  private at: number | undefined;
  private points: readonly Point[] = [];
  private zone = 0;

  /** Beside a moment it is drawn anew once a second at most, as long as what came after that comes into it. */
  sign(scope: Scope): string {
    const { model, lane, t, width, following } = scope;
    const whole = (us: number): number => Math.floor(us / SECOND);
    const known = following ? [] : [whole(endOf(scope)), model.span()?.from];
    return [lane?.key, width, following, whole(t), ...known].join();
  }

  nodes(scope: Scope): Node[] {
    const { model, lane, t, zone, width } = scope;
    const name = lane?.key ?? "";
    const to = endOf(scope);
    const samples = model.samples(name, to - step * (steps + 1), to + step);
    this.points = series(samples, to, step, steps, model.until(name, "", Infinity, looked));
    this.zone = zone;
    const root = charts(this.points, width, t, zone);
    root.setAttribute("aria-label", `${name} over time`);
    this.listen(root, scope);
    readAt(root, this.points, this.reading(scope), zone);
    return [h("h2", { class: "panel-title" }, name), root, table(this.points, t, zone)];
  }

  /** Without pointer and keys that of the moment shown; of what is live the last that is whole. */
  private reading({ t, following }: Scope): number {
    const there = this.points.findIndex((point) => point.from <= t && t < point.to) - (following ? 1 : 0);
    return Math.max(0, Math.min(this.at ?? there, steps - 1));
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
  const head = h("tr", {}, h("th", { scope: "col" }, "From"));
  for (const { name } of bands) head.append(h("th", { scope: "col" }, name));
  const whole = h("table", { class: "passes" }, h("thead", {}, head));
  const told = points.filter((point) => point.reconciles > 0 && point.from <= t);
  for (const point of told.slice(-listed).reverse()) {
    const row = h("tr", {}, h("th", { scope: "row" }, clock(point.from, zone)));
    for (const { say } of bands) row.append(h("td", {}, say(point)));
    whole.append(row);
  }
  return h(
    "details",
    { class: "part", "data-fold": "table" },
    h("summary", {}, "As a table"),
    scrolling(whole, "Table"),
  );
}
