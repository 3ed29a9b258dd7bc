/** One reconcile of a chain in a line. */
import type { ChainLine } from "../model/chain.ts";
import { isTimer } from "../model/timers.ts";
import type { Model } from "../model/types.ts";
import { h } from "../view/dom.ts";
import { icon } from "../view/shapes.ts";
import { lookOf, outcome, plural, span, word, writeName } from "../view/words.ts";

/** lineSaid tells one line: how it came about, which reconcile it is, how long after. */
export function lineSaid(
  { reconcile, depth, write, writes, since, loop }: ChainLine,
  model: Pick<Model, "nth">,
): HTMLElement {
  // Nothing leads to the first line: its first cause stands above it.
  const by =
    depth === 0
      ? ""
      : write === undefined
        ? timer(reconcile)
        : writes > 1
          ? plural(writes, "write", "writes")
          : writeName(write);
  const name = `${reconcile.item} reconcile ${String(model.nth(reconcile).n)}`;
  const after = Math.max(0, reconcile.start - since);
  return h(
    "span",
    { class: "chain-said" },
    icon(lookOf(reconcile)),
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
  const what = causes.find(({ what }) => isTimer(what))?.what ?? "";
  return what === "" ? "" : word(what);
}
