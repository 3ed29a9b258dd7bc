/** The charts of a controller, drawn as SVG: bands of one time axis, with a line for the moment that is read. */
import type { Point } from "../model/series.ts";
import { clock, duration, rate } from "../base/time.ts";
import { h, s } from "../view/dom.ts";
import { plural, span } from "../view/words.ts";

/** One band: a bar from one value of a point up to another, and what stands for it in words. */
interface Band {
  readonly name: string;
  readonly high: (point: Point) => number;
  /** Where the bar begins, with a tick; absent: at 0. Such a band is drawn on a log scale. */
  readonly low?: (point: Point) => number;
  readonly say: (point: Point) => string;
  /** A value of its axis in words. */
  readonly unit: (value: number) => string;
}

/** The bands, from top to bottom; the table has a column for each. */
export const bands: readonly Band[] = [
  { name: "Reconciles/s", high: ({ rate: n }) => n, say: ({ rate: n }) => rate(n), unit: rate },
  { name: "Errors in 2 s", high: ({ errors }) => errors, say: ({ errors }) => String(errors), unit: String },
  {
    name: "p50 to p99",
    high: ({ p99 }) => p99,
    low: ({ p50 }) => p50,
    say: (point) => (point.p50 === 0 ? "–" : `${timeSaid(point, point.p50)} to ${timeSaid(point, point.p99)}`),
    unit: span,
  },
  { name: "Queue depth", high: ({ depth }) => depth, say: ({ depth }) => String(depth), unit: String },
];

const height = 40;

function timeSaid({ rough }: Point, us: number): string {
  return `${rough ? "~" : ""}${span(us)}`;
}

/** pointSaid is everything of one point in words. */
export function pointSaid(point: Point, zone: number): string {
  const { from, p50, p99, depth, drops, errors } = point;
  const times = p50 === 0 ? "" : `, p50 ${timeSaid(point, p50)}, p99 ${timeSaid(point, p99)}`;
  const dropped = drops === 0 ? "" : `, ${plural(drops, "event", "events")} dropped`;
  const bad = plural(errors, "error", "errors");
  return `${clock(from, zone)}: ${rate(point.rate)} reconciles a second, ${bad}${times}, queue ${String(depth)}${dropped}`;
}

/** A log scale begins at 1: in times, at a microsecond. */
const logOf = (v: number): number => Math.log(Math.max(1, v));

/** axisSaid is how far a band's axis goes: "0–12", "log, to 31 ms". */
export function axisSaid({ high, low, unit }: Band, points: readonly Point[]): string {
  const most = Math.max(...points.map(high));
  return most === 0 ? "" : `${low === undefined ? "0–" : "log, to "}${unit(most)}`;
}

/** axisEnds says below an axis from when to when it goes. */
export function axisEnds(from: number, to: number, zone: number): HTMLElement {
  return h("p", { class: "axis-ends" }, h("span", {}, clock(from, zone)), h("span", {}, clock(to, zone)));
}

/** charts draws the bands; values stand in elements with data-band, what is later than t is pale. */
export function charts(points: readonly Point[], width: number, t: number, zone: number): HTMLElement {
  const root = h("div", { class: "charts part", role: "slider", tabindex: 0, "data-chart": true });
  root.append(h("p", { class: "chart-name" }, h("span", { "data-band": "" })));
  for (const band of bands) {
    const value = h("strong", { "data-band": band.name });
    const axis = h("span", { class: "chart-axis" }, axisSaid(band, points));
    root.append(
      h("p", { class: "chart-name" }, h("span", {}, band.name, " ", value), axis),
      // The line for the moment crosses the bars, and no words.
      h("div", { class: "chart-band" }, drawn(band, points, width, t), h("span", { class: "chart-cursor" })),
    );
  }
  root.append(axisEnds(points[0]?.from ?? t, points.at(-1)?.to ?? t, zone));
  return root;
}

/** "11:23:22 – 11:23:24, of 2 min": of which moment the values are, and how long the charts are. */
function whenSaid({ from, to }: Point, points: number, zone: number): string {
  return `${clock(from, zone)} – ${clock(to, zone)}, of ${duration(points * (to - from))}`;
}

/** readAt shows the values of a point, and puts the line on it. */
export function readAt(root: HTMLElement, points: readonly Point[], i: number, zone: number): void {
  const point = points[i];
  if (point === undefined) return;
  for (const value of root.querySelectorAll<HTMLElement>("[data-band]")) {
    const band = bands.find(({ name }) => name === value.dataset["band"]);
    value.textContent = band === undefined ? whenSaid(point, points.length, zone) : band.say(point);
  }
  for (const line of root.querySelectorAll<HTMLElement>(".chart-cursor"))
    line.style.left = `${String(((i + 0.5) / points.length) * 100)}%`;
  root.setAttribute("aria-valuemin", "1");
  root.setAttribute("aria-valuemax", String(points.length));
  root.setAttribute("aria-valuenow", String(i + 1));
  root.setAttribute("aria-valuetext", pointSaid(point, zone));
}

function drawn({ high, low, name }: Band, points: readonly Point[], width: number, t: number): SVGElement {
  const scaled = (v: number): number => (low === undefined ? v : logOf(v));
  const most = Math.max(...points.map((point) => scaled(high(point)))) || 1;
  const step = width / points.length;
  const y = (v: number): number => height - (scaled(v) / most) * (height - 4);
  const kind = name.startsWith("Errors") ? " is-error" : low === undefined ? "" : " is-range";
  const svg = s("svg", { class: `chart${kind}`, width, height, "aria-hidden": "true" });
  points.forEach((point, i) => {
    const top = y(high(point));
    if (top === height) return;
    const bottom = y(low?.(point) ?? 0);
    const later = point.from > t ? " is-later" : "";
    const at = { x: i * step, width: Math.max(1, step - 1) };
    svg.append(s("rect", { class: `chart-bar${later}`, y: top, height: Math.max(1, bottom - top), ...at }));
    if (low !== undefined) svg.append(s("rect", { class: `chart-tick${later}`, y: bottom - 1, height: 3, ...at }));
  });
  return svg;
}
