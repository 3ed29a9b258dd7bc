/** Where a reconcile came from and what it set off, as an indented tree with times. */
import { clock } from "../base/time.ts";
import { chainOf } from "../model/chain.ts";
import type { Chain, ChainLine } from "../model/chain.ts";
import type { Model } from "../model/types.ts";
import { h } from "./dom.ts";
import { chip } from "./parts.ts";
import { shapeOf } from "./runs.ts";
import { icon } from "./shapes.ts";
import { knownAt } from "./scope.ts";
import type { Scope, View } from "./scope.ts";
import { causeSaid, outcome, plural, span, toneOf, word, writeName } from "./words.ts";

/** As deep lines are indented; deeper ones say how deep. */
const deepest = 6;

export const chainView: View = {
  sign: (scope) => {
    const { lines, here } = chain(scope);
    return [
      here,
      ...lines.map(({ reconcile, writes }) => `${reconcile.key}${String(writes)}${reconcile.result}`),
    ].join();
  },
  nodes: (scope) => {
    const told = chain(scope);
    const list = h("ol", { class: "chain" });
    const first = told.first;
    if (first !== undefined && told.lines[0]?.writes === 0) {
      const { text, who, ...said } = causeSaid(first, told.lines[0].reconcile.object);
      const strong = who === "" ? "" : h("strong", {}, who);
      list.append(
        h("li", { class: "chain-first" }, chip(said), ` ${text} `, strong, ` ${clock(first.at, scope.zone)}`),
      );
    }
    told.lines.forEach((line, i) => list.append(row(line, i === told.here, scope.model)));
    const end = told.cut ? "There is more than fits here." : ended(told);
    return [
      h("h3", { class: "part-title part" }, "From the first cause to here, and on"),
      list,
      h("p", { class: "quiet part" }, end),
    ];
  },
};

function chain({ model, run, ...rest }: Scope): Chain {
  if (run === undefined) return { first: undefined, lines: [], here: 0, cut: false };
  return chainOf(model, run, knownAt({ model, run, ...rest }, run));
}

function ended({ lines, here }: Chain): string {
  return here === lines.length - 1 ? "This reconcile has set off nothing that is known." : "";
}

function row(line: ChainLine, here: boolean, model: Model): HTMLElement {
  const item = h("li", { class: `chain-line${here ? " is-here" : ""}`, "aria-current": here && "true" });
  item.style.paddingInlineStart = `${String(Math.min(line.depth, deepest) * 14)}px`;
  if (line.depth > deepest) item.append(h("span", { class: "rv" }, `${String(line.depth)} `));
  item.append(lineSaid(line, model));
  return item;
}

/** lineSaid tells one line: how it came about, which reconcile it is, how long after. */
export function lineSaid({ reconcile, write, writes, since, loop }: ChainLine, model: Pick<Model, "nth">): HTMLElement {
  const tone = toneOf(reconcile);
  const by = write === undefined ? timer(reconcile) : writes > 1 ? plural(writes, "write", "writes") : writeName(write);
  const name = `${reconcile.item} reconcile ${String(model.nth(reconcile).n)}`;
  const after = Math.max(0, reconcile.start - since);
  return h(
    "span",
    { class: "chain-said" },
    icon(shapeOf(tone), tone),
    by === "" ? "" : h("span", { class: "quiet" }, ` ${by} → `),
    h("button", { class: "link", type: "button", "data-go": reconcile.key }, name),
    ` ${reconcile.controller}, ${outcome(reconcile)}`,
    by !== "" && h("span", { class: "rv" }, ` +${span(after)}`),
    loop &&
      h(
        "span",
        { class: "chip tone-own", title: "The write of this item set off the same item again" },
        "↺ comes back to itself",
      ),
  );
}

function timer({ causes }: ChainLine["reconcile"]): string {
  const what = causes.find((cause) => cause.what === "backoff" || cause.what === "requeue_after")?.what ?? "";
  return what === "" ? "" : word(what);
}
