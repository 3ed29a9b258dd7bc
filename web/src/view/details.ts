/** The panel's view of one reconcile: why it ran, how it went, the plan, what it changed, what comes next. */
import type { Reconcile } from "../base/rows.gen.ts";
import { clockMs } from "../base/time.ts";
import type { Model, WhyLink } from "../model/types.ts";
import { diffTable, differences } from "./diff.ts";
import { h } from "./dom.ts";
import { waterfall } from "./waterfall.ts";
import {
  causeSaid,
  errorSaid,
  failureSaid,
  failed,
  nextSaid,
  plural,
  span,
  took,
  version,
  writeFailed,
} from "./words.ts";
import type { Said } from "./words.ts";

/** What the details need besides the reconcile. */
export interface Around {
  readonly model: Model;
  /** True time, µs. */
  readonly now: number;
  readonly zone: number;
  /** Every span of the API server and etcd is shown, and not only the gist. */
  readonly servers: boolean;
}

/** details draws a reconcile. Links carry data-go (a reconcile's key); the panel listens. */
export function details(reconcile: Reconcile, around: Around): Node[] {
  return [
    head(reconcile, around),
    section("Why it ran", why(reconcile, around.model)),
    section("How it went", waterfall(reconcile, around.now, around.servers)),
    reconcile.plan.length > 0 && section("Plan", plan(reconcile)),
    spec(reconcile),
    flags(reconcile, around.model),
    next(reconcile, around),
    copies(),
  ].filter((node) => node !== undefined && node !== false);
}

function section(title: string, body: Node): HTMLElement {
  return h("section", { class: "part" }, h("h3", { class: "part-title" }, title), body);
}

function head(reconcile: Reconcile, { model, now, zone }: Around): HTMLElement {
  const all = model.reconcilesOf(reconcile.controller, reconcile.item);
  const at = all.findIndex((other) => other.key === reconcile.key);
  const step = (label: string, path: string, to: Reconcile | undefined): HTMLElement => {
    const button = h("button", { class: "button round", type: "button", "aria-label": label, title: label });
    button.append(arrow(path));
    if (to === undefined) button.disabled = true;
    else button.dataset["go"] = to.key;
    return button;
  };
  const { n, of } = model.nth(reconcile);
  const open = reconcile.to === 0 ? "running for " : "";
  const sub = `reconcile ${String(n)} of ${String(of)} · worker ${String(reconcile.worker)} · ${open}${span(took(reconcile, now))}`;
  const title = h("h2", { class: "panel-title is-item", tabindex: "-1", title: reconcile.item }, reconcile.item);
  const back = at < 0 ? undefined : all[at + 1];
  const on = at <= 0 ? undefined : all[at - 1];
  const close = h("button", {
    class: "button round",
    type: "button",
    "aria-label": "Clear the selection (Esc)",
    "data-clear": true,
  });
  close.append(arrow("M5 5l10 10M15 5L5 15"));
  return h(
    "header",
    {},
    h(
      "div",
      { class: "panel-head" },
      title,
      step("Previous reconcile of the item", "M12 4l-6 6 6 6", back),
      step("Next reconcile of the item", "M8 4l6 6-6 6", on),
      close,
    ),
    h("p", { class: "panel-sub" }, sub),
    h("p", { class: "rv" }, `at ${clockMs(reconcile.start, zone)}`),
  );
}

function arrow(d: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({
    viewBox: "0 0 20 20",
    width: "18",
    height: "18",
    "aria-hidden": "true",
  })) {
    svg.setAttribute(name, value);
  }
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", d);
  path.setAttribute("class", "stroke");
  svg.append(path);
  return svg;
}

function why(reconcile: Reconcile, model: Model): HTMLElement {
  const list = h("ul", { class: "causes" });
  for (const { link, count } of collapsed(model.why(reconcile), reconcile))
    list.append(causeRow(link, reconcile, count));
  const total = Object.values(reconcile.causeCounts).reduce((sum, n) => sum + n, 0);
  const hidden = total - reconcile.causes.length;
  if (hidden > 0) list.append(h("li", { class: "quiet" }, `and ${plural(hidden, "cause", "causes")} more`));
  if (reconcile.causes.length === 0) list.append(h("li", { class: "quiet" }, "not known yet"));
  return list;
}

/** Causes that read the same are one row with their number; it links to the newest behind them. */
function collapsed(links: readonly WhyLink[], of: Reconcile): { link: WhyLink; count: number }[] {
  const rows = new Map<string, { link: WhyLink; count: number }>();
  for (const link of links) {
    const { chip, text, who } = causeSaid(link.cause, of.object);
    const timer = link.cause.what === "backoff" || link.cause.what === "requeue_after";
    const key = [chip, text, who, timer ? "" : (link.reconcile?.key ?? link.cause.resourceVersion ?? "")].join("|");
    rows.set(key, { link, count: (rows.get(key)?.count ?? 0) + 1 });
  }
  return [...rows.values()];
}

function causeRow({ cause, reconcile, nth }: WhyLink, of: Reconcile, count: number): HTMLElement {
  const said = causeSaid(cause, of.object);
  const many = count > 1 ? ` ×${String(count)}` : "";
  const row = h("li", { class: "cause" }, chip(said), `${many} ${said.text} `);
  if (said.who !== "") row.append(h("strong", {}, said.who), " ");
  if (reconcile !== undefined) row.append(goLink(reconcile, nth));
  else if ((cause.resourceVersion ?? "") !== "")
    row.append(h("span", { class: "rv" }, `rv ${version(cause.resourceVersion ?? "")}`));
  return row;
}

function goLink(reconcile: Reconcile, nth: number): HTMLElement {
  const text = nth > 0 ? `reconcile ${String(nth)}` : "its reconcile";
  return h("button", { class: "link", type: "button", "data-go": reconcile.key }, text);
}

function chip(said: Said): HTMLElement {
  return h("span", { class: `chip tone-${said.tone}` }, said.chip);
}

function plan(reconcile: Reconcile): HTMLElement {
  const list = h("ul", { class: "plan" });
  for (const action of reconcile.plan) list.append(h("li", { title: action.paths?.join(", ") }, action.summary));
  return list;
}

function spec(reconcile: Reconcile): HTMLElement | undefined {
  const list = differences(reconcile);
  return list.length === 0 ? undefined : section("Spec and status", diffTable(list));
}

function flags(reconcile: Reconcile, model: Model): HTMLElement | undefined {
  const said: (Said & { go?: HTMLElement })[] = reconcile.writes.filter(writeFailed).map((write) => {
    const overtaken = model.overtaken(reconcile, write);
    const text = failureSaid(write, overtaken);
    return overtaken === undefined ? text : { ...text, go: goLink(overtaken.reconcile, overtaken.nth) };
  });
  for (const read of reconcile.reads) {
    if (read.stale !== "yes") continue;
    const by = plural(read.staleBy ?? 1, "own write", "own writes");
    said.push({ chip: "stale read", tone: "warn", text: `${read.kind}: the cache was ${by} behind`, who: "" });
  }
  if (said.every((one) => one.tone !== "error") && failed(reconcile)) {
    said.unshift(errorSaid(reconcile));
  }
  if (said.length === 0) return undefined;
  const list = h("ul", { class: "flags part" });
  for (const one of said) list.append(h("li", { class: "cause" }, chip(one), ` ${one.text} `, one.go ?? ""));
  return list;
}

/** What one can take along: the reconcile as text, and a link to the moment. The panel listens. */
function copies(): HTMLElement {
  const button = (what: string, text: string): HTMLElement =>
    h("button", { class: "button small", type: "button", "data-take": what }, text);
  return h("p", { class: "part copies" }, button("issue", "Copy as issue"), button("link", "Copy link"));
}

function next(reconcile: Reconcile, { model, now }: Around): HTMLElement {
  const said = nextSaid(reconcile, now, model.after(reconcile));
  const text = h("strong", { "data-part": "next" }, said.text);
  return h("p", { class: `next part tone-${said.tone}` }, text, said.more === "" ? "" : ` ${said.more}`);
}
