/** The panel's view of one reconcile: why it ran, how it went, the plan, what it changed, what comes next. */
import type { Reconcile } from "../base/rows.gen.ts";
import { isTimer } from "../model/timers.ts";
import type { Model, WhyLink } from "../model/types.ts";
import { h } from "./dom.ts";
import { findingList } from "./findings.ts";
import type { Panels } from "./later.ts";
import { chip, goLink, section } from "./parts.ts";
import { waterfall } from "./waterfall.ts";
import {
  causeSaid,
  errorSaid,
  failureSaid,
  failed,
  nextSaid,
  overtakenLink,
  plural,
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
  /** The span of the write that one has come for, "" for none. */
  readonly lit: string;
  /** The script that knows what it changed and what that set off, once it is there. */
  readonly later: Pick<Panels, "spec" | "setOff"> | undefined;
}

/** details draws a reconcile. Links carry data-go (a reconcile's key); the panel listens. */
export function details(reconcile: Reconcile, around: Around): Node[] {
  return [
    flags(reconcile, around),
    findingList(around.model.related.evidence(reconcile.key).filter(({ from }) => from <= around.now)),
    section("Why it ran", why(reconcile, around.model), "dequeue"),
    section("How it went", waterfall(reconcile, around.now, around.servers, around.lit)),
    reconcile.plan.length > 0 && section("Plan", plan(reconcile), "compute"),
    around.later?.spec(reconcile),
    next(reconcile, around),
    around.later?.setOff(reconcile, around.model, around.now),
    copies(),
  ].filter((node) => node !== undefined && node !== false);
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
    const key = [
      chip,
      text,
      who,
      isTimer(link.cause.what) ? "" : (link.reconcile?.key ?? link.cause.resourceVersion ?? ""),
    ].join("|");
    rows.set(key, { link, count: (rows.get(key)?.count ?? 0) + 1 });
  }
  return [...rows.values()];
}

function causeRow({ cause, reconcile, write, nth }: WhyLink, of: Reconcile, count: number): HTMLElement {
  const said = causeSaid(cause, of.object);
  const many = count > 1 ? ` ×${String(count)}` : "";
  const row = h("li", { class: "cause" }, chip(said), `${many} ${said.text} `);
  if (said.who !== "") row.append(h("strong", {}, said.who), " ");
  if (reconcile !== undefined) row.append(goLink(reconcile, nth, write?.span));
  else if ((cause.resourceVersion ?? "") !== "")
    row.append(h("span", { class: "rv" }, `rv ${version(cause.resourceVersion ?? "")}`));
  return row;
}

function plan(reconcile: Reconcile): HTMLElement {
  const list = h("ul", { class: "plan" });
  for (const { summary, paths = [] } of reconcile.plan)
    list.append(h("li", {}, summary, paths.length > 0 && h("span", { class: "rv" }, ` ${paths.join(", ")}`)));
  return list;
}

function flags(reconcile: Reconcile, { model, now }: Around): HTMLElement | undefined {
  const said: (Said & { go?: HTMLElement })[] = reconcile.writes.filter(writeFailed).map((write) => {
    const overtaken = model.overtaken(reconcile, write);
    const text = failureSaid(write, overtaken);
    if (overtaken === undefined) return text;
    const { reconcile: run, nth, made, cause } = overtaken;
    return { ...text, go: goLink(run, nth, made ? cause.write?.span : undefined, overtakenLink(overtaken, now)) };
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
  const said = nextSaid(reconcile, now, model.followed(reconcile, now));
  const text = h("strong", { "data-part": "next" }, said.text);
  return h(
    "p",
    { class: `next part tone-${said.tone}`, "data-step": "requeue" },
    text,
    said.more === "" ? "" : ` ${said.more}`,
  );
}
