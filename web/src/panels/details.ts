/** The panel's view of one reconcile: why it ran, how it went, the plan, what it changed, what comes next. */
import type { Reconcile } from "../base/rows.gen.ts";
import { MS } from "../base/time.ts";
import { isTimer } from "../model/timers.ts";
import type { Model, WhyLink } from "../model/types.ts";
import { h } from "../view/dom.ts";
import { findingList } from "../view/findings.ts";
import type { Around } from "../view/later.ts";
import { chip, goLink, section } from "../view/parts.ts";
import {
  causeSaid,
  errorSaid,
  failureSaid,
  failed,
  hasRefused,
  nextSaid,
  overtakenLink,
  plural,
  unbroken,
  writeFailed,
} from "../view/words.ts";
import type { Said } from "../view/words.ts";
import { specView } from "./diff.ts";
import { missedBy, staleSaid } from "./proof.ts";
import type { Missed } from "./proof.ts";
import { setOff } from "./setoff.ts";
import { waterfall } from "./waterfall.ts";

/** details draws a reconcile. Links carry data-go (a reconcile's key); the panel listens. */
export function details(reconcile: Reconcile, around: Around): Node[] {
  return [
    flags(reconcile, around),
    findingList(around.model.related.evidence(reconcile.key).filter(({ from }) => from <= around.now)),
    section("Why it ran", why(reconcile, around.model), "dequeue"),
    section("How it went", waterfall(reconcile, around.now, around.servers, around.lit)),
    reconcile.plan.length > 0 && section("Plan", plan(reconcile), "compute"),
    specView(reconcile),
    next(reconcile, around),
    setOff(reconcile, around.model, around.now),
    copies(),
  ].filter((node) => node !== undefined && node !== false);
}

function why(reconcile: Reconcile, model: Model): HTMLElement {
  const list = h("ul", { class: "causes" });
  const rows = collapsed(model.why(reconcile), reconcile);
  for (const { link, count } of rows) list.append(causeRow(link, reconcile, count));
  const total = Object.values(reconcile.causeCounts).reduce((sum, n) => sum + n, 0);
  const hidden = total - reconcile.causes.length;
  if (hidden > 0) list.append(h("li", { class: "quiet" }, `and ${plural(hidden, "cause", "causes")} more`));
  if (rows.length > 1) list.append(h("li", { class: "quiet" }, firstSaid(reconcile)));
  if (reconcile.causes.length === 0) list.append(h("li", { class: "quiet" }, "not known yet"));
  return list;
}

/** firstSaid says which of several causes brought the item. Causes are in the order in which they came. */
export function firstSaid({ causes, from }: Reconcile): string {
  const marked = (causes[0]?.at ?? from) < from - MS;
  if (marked) return "The first marked the item while a worker had it; the others joined it.";
  return "The first put the item into the queue; the others joined it there.";
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
    row.append(h("span", { class: "rv" }, `rv ${cause.resourceVersion ?? ""}`));
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
    const failure = failureSaid(write, overtaken);
    const text: Said = hasRefused(reconcile) ? { ...failure, tone: "warn" } : failure;
    if (overtaken === undefined) return text;
    const { reconcile: run, nth, made, cause } = overtaken;
    return { ...text, go: goLink(run, nth, made ? cause.write?.span : undefined, overtakenLink(overtaken, now)) };
  });
  for (const read of reconcile.reads) {
    if (read.stale !== "yes") continue;
    const missed = missedBy(read, reconcile, model);
    const text = `${read.kind}: ${staleSaid(read, reconcile, missed)}`;
    const stale: Said = { chip: "stale read", tone: "warn", text, who: "" };
    said.push(missed === undefined ? stale : { ...stale, go: madeBy(missed) });
  }
  if (said.every((one) => one.tone !== "error") && failed(reconcile)) {
    said.unshift(errorSaid(reconcile));
  }
  if (said.length === 0) return undefined;
  const list = h("ul", { class: "flags part" });
  for (const one of said)
    list.append(
      h("li", { class: "cause" }, chip(one), ` ${unbroken(one.text)}${one.go === undefined ? "" : "; "}`, one.go ?? ""),
    );
  return list;
}

function madeBy({ reconcile, nth, write }: Missed): HTMLElement {
  return goLink(reconcile, nth, write.span, "made by");
}

/** nextText is what comes next in a few words, which count down. */
export function nextText(reconcile: Reconcile, model: Model, now: number): string {
  return unbroken(nextSaid(reconcile, now, model.followed(reconcile, now)).text);
}

/** What one can take along: the reconcile as text, and a link to the moment. The panel listens. */
function copies(): HTMLElement {
  const button = (what: string, text: string): HTMLElement =>
    h("button", { class: "button small", type: "button", "data-take": what }, text);
  return h("p", { class: "part copies" }, button("issue", "Copy as issue"), button("link", "Copy link"));
}

function next(reconcile: Reconcile, { model, now }: Around): HTMLElement {
  const said = nextSaid(reconcile, now, model.followed(reconcile, now));
  const text = h("strong", { "data-part": "next" }, unbroken(said.text));
  return h(
    "p",
    { class: `next part tone-${said.tone}`, "data-step": "requeue" },
    text,
    said.more === "" ? "" : ` ${unbroken(said.more)}`,
  );
}
