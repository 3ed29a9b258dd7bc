/** An item's journey: its reconciles over time by cause and result, its generations, and those around the selected one. */
import type { Reconcile, Wait } from "../base/rows.gen.ts";
import { SECOND, clock } from "../base/time.ts";
import { asOf } from "../model/known.ts";
import { isTimer } from "../model/timers.ts";
import type { WhyLink } from "../model/types.ts";
import { h, s } from "../view/dom.ts";
import { findingList } from "../view/findings.ts";
import { axisEnds } from "./charts.ts";
import { generationsOf, journeyOf, leadsTo, markRoom, markSaid, markText } from "./journey.ts";
import type { Generations, Journey, Mark } from "./journey.ts";
import { section } from "../view/parts.ts";
import type { Scope, View } from "../view/scope.ts";
import { icon } from "../view/shapes.ts";
import { causesShort, lookOf, outcome, plural, span, took, word } from "../view/words.ts";

/** A row holds its letters and below them its marks. */
const markHeight = 16;
const stepHeight = 40;
/** So many reconciles are listed before and after the selected one. */
const around = 6;

export const itemView: View = {
  sign: ({ model, selection, run, t, width }) => {
    if (selection === undefined) return "";
    const runs = model.until(selection.controller, selection.item, t);
    const last = runs.at(-1);
    const found = model.related.findings(selection.controller, selection.item).length;
    return [
      selection.item,
      runs.length,
      last?.key,
      last?.to,
      run?.key,
      found,
      width,
      last?.to === 0 && Math.floor(t / SECOND),
    ].join();
  },
  nodes: (scope) => {
    const { model, selection, t, width } = scope;
    if (selection === undefined) return [];
    const { controller, item } = selection;
    const runs = model.until(controller, item, t).map((one) => asOf(one, t, []));
    const found = findingList(model.related.findings(controller, item).filter((one) => one.from <= t));
    if (runs.length === 0)
      return [h("h2", { class: "panel-title" }, item), h("p", { class: "quiet" }, "Not reconciled yet.")];
    const shown = [found, axis(scope, runs), section("Around it", neighbours(scope, runs))];
    const steps = generationsOf(runs, t);
    if (steps.wanted.length > 0) shown.splice(2, 0, generations(steps, journeyOf(runs, t, width)));
    return shown.filter((node) => node !== undefined);
  },
};

function axis(scope: Scope, runs: readonly Reconcile[]): HTMLElement {
  const { model, selection, run, t, zone, width, letters } = scope;
  const letter = 0.45 * letters;
  const journey = journeyOf(runs, t, width, letter);
  const rowHeight = letters + markHeight + 16;
  const height = journey.rows.length * rowHeight;
  const svg = s("svg", { class: "journey", width, height, "aria-hidden": "true" });
  const x = across(journey);
  const drawn = new Set<string>();
  for (const wait of model.related.waits(selection?.controller ?? "", selection?.item ?? ""))
    if (stay(svg, wait, t, x, height)) drawn.add(wait.state);
  journey.rows.forEach((row, i) =>
    svg.append(s("text", { x: 0, y: i * rowHeight + letters, class: "journey-row" }, row)),
  );
  for (const mark of journey.marks)
    svg.append(markDrawn(mark, journey.rows.indexOf(mark.row) * rowHeight + letters + 2, run, letter));
  const at = run === undefined ? -1 : runs.findIndex(({ key }) => key === run.key);
  const nth = (one: Reconcile | undefined): string => String(one === undefined ? 0 : model.nth(one).n);
  const said = run === undefined ? "" : `, ${causesShort(run)}, ${outcome(run)}, ${clock(run.start, zone)}`;
  const mark = journey.marks.find((one) => one.runs.length > 1 && one.runs.some(({ key }) => key === run?.key));
  const among = mark === undefined ? "" : `, in a mark of ${markSaid(mark)}`;
  return h(
    "div",
    {
      class: "part axis",
      role: "slider",
      tabindex: 0,
      "aria-label": "Reconciles of the item, by time and cause",
      "aria-valuemin": 1,
      "aria-valuemax": runs.length,
      "aria-valuenow": at + 1,
      "aria-valuetext": `reconcile ${nth(runs[at])} of ${nth(runs.at(-1))}${said}${among}`,
      "data-walk": true,
    },
    svg,
    axisEnds(journey.from, journey.to, zone),
    stripes(drawn),
  );
}

/** A stay in the queue or the waiting room, where it is long enough to be seen. */
function stay(svg: SVGElement, wait: Wait, t: number, x: (at: number) => number, height: number): boolean {
  const left = x(wait.from);
  const right = Math.min(Number(svg.getAttribute("width")), x(wait.to === 0 ? t : Math.min(t, wait.to)));
  if (wait.from > t || left < 0 || right - left < 2) return false;
  svg.append(
    s(
      "rect",
      { class: `stay-${wait.state}`, x: left, y: 0, width: right - left, height },
      s("title", {}, word(wait.why ?? wait.state)),
    ),
  );
  return true;
}

/** What the stripes behind the marks mean, of those that there are. */
function stripes(drawn: ReadonlySet<string>): HTMLElement | undefined {
  if (drawn.size === 0) return undefined;
  const root = h("p", { class: "stripes" });
  for (const [state, text] of [
    ["ready", "in the queue"],
    ["delayed", "in the waiting room"],
  ] as const)
    if (drawn.has(state)) root.append(h("span", { class: `stripe is-${state}` }), `${text} `);
  return root;
}

function markDrawn(mark: Mark, y: number, selected: Reconcile | undefined, letter: number): SVGElement {
  const { x, look, runs } = mark;
  const text = markText(mark);
  const wide = Math.max(markRoom, letter * text.length);
  const n = runs.length;
  const to = leadsTo(mark, selected?.key);
  const here = runs.some(({ key }) => key === selected?.key) ? " is-here" : "";
  const g = s("g", { class: `mark${here}`, transform: `translate(${String(x + 4)} ${String(y)})`, "data-go": to?.key });
  g.append(s("rect", { class: "mark-hit", x: 8 - wide / 2, y: -2, width: wide, height: 32 }));
  g.append(icon(look));
  if (n > 1) g.append(s("text", { x: 8, y: 27, class: "mark-n" }, text));
  const said = to === undefined ? "" : `${causesShort(to)}, ${outcome(to)}`;
  g.append(s("title", {}, n > 1 ? `${markSaid(mark)}: each press goes to another. Now: ${said}` : said));
  return g;
}

/** Where a time lies: in the middle of the mark that would stand there. */
function across({ from, to, width }: Journey): (at: number) => number {
  return (at) => markRoom / 2 + ((at - from) / (to - from)) * (width - markRoom);
}

/** Two step lines on the same axis: what is wanted, and what was observed. */
function generations({ wanted, observed }: Generations, journey: Journey): HTMLElement {
  const all = [...wanted, ...observed].map((step) => step.v);
  const low = Math.min(...all);
  const high = Math.max(...all, low + 1);
  const height = stepHeight;
  const width = journey.width;
  const x = across(journey);
  const line = (steps: Generations["wanted"], name: string): SVGElement => {
    const y = (v: number): number => height - 3 - ((v - low) / (high - low)) * (height - 6);
    const d = steps.map(({ at, v }, i) =>
      i === 0 ? `M${String(x(at))} ${String(y(v))}` : `H${String(x(at))}V${String(y(v))}`,
    );
    return s("path", { class: `step-line is-${name}`, d: `${d.join("")}H${String(width - 10)}` });
  };
  const last = (steps: Generations["wanted"]): string => String(steps.at(-1)?.v ?? "–");
  const svg = s(
    "svg",
    { class: "journey", width, height, "aria-hidden": "true" },
    line(wanted, "wanted"),
    line(observed, "observed"),
  );
  const behind = last(wanted) === last(observed) ? "" : " not caught up yet";
  const said = h(
    "p",
    {},
    h("span", { class: "key-wanted" }, `generation ${last(wanted)}`),
    " ",
    h("span", { class: "key-observed" }, `observed ${last(observed)}`),
    behind,
  );
  return section("Generation", h("div", {}, said, svg));
}

function neighbours({ run, t, model }: Scope, runs: readonly Reconcile[]): HTMLElement {
  const found = runs.findIndex(({ key }) => key === run?.key);
  const at = found < 0 ? runs.length - 1 : found;
  const first = Math.max(0, at - around);
  const list = h("ol", { class: "around" });
  if (first > 0) list.append(h("li", { class: "quiet" }, plural(first, "earlier one", "earlier ones")));
  runs.slice(first, at + around + 1).forEach((one, i) => {
    const before = runs[first + i - 1];
    if (before !== undefined) list.append(h("li", { class: "around-wait" }, waited(before, one, model.why(one))));
    list.append(neighbour(one, model.nth(one).n, one.key === run?.key, t));
  });
  const later = runs.length - at - around - 1;
  if (later > 0) list.append(h("li", { class: "quiet" }, plural(later, "later one", "later ones")));
  return list;
}

/** waited says how long after the one before a reconcile was ready, and whose timer brought it. */
export function waited(before: Reconcile, { from, start }: Reconcile, causes: readonly WhyLink[]): string {
  const queued = start - from > 1000 ? `, ${span(start - from)} in the queue` : "";
  const timer = causes.find(({ cause }) => isTimer(cause.what));
  const { reconcile: by, nth } = timer ?? {};
  const whose = by === undefined || by.key === before.key ? "" : ` of reconcile ${String(nth)}`;
  const why = timer === undefined ? "" : ` (${word(timer.cause.what)}${whose})`;
  return `${span(Math.max(0, from - before.to))} later${why}${queued}`;
}

function neighbour(run: Reconcile, n: number, here: boolean, t: number): HTMLElement {
  const text = ` ${String(n)}: ${causesShort(run)}`;
  const name = h("button", { class: "link", type: "button", "data-go": run.key }, text);
  const end = ` ${outcome(run)}, ${span(took(run, t))}`;
  return h("li", { class: here ? "is-here" : "", "aria-current": here && "true" }, icon(lookOf(run)), name, end);
}
