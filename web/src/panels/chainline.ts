/** One reconcile of a chain in a line. */
import type { ChainLine } from "../model/chain.ts";
import { isTimer } from "../model/timers.ts";
import type { Model } from "../model/types.ts";
import { h } from "../view/dom.ts";
import { icon } from "../view/shapes.ts";
import { lookOf, outcome, plural, span, word, writeName } from "../view/words.ts";

/** What stands above a line already, and is not said again. */
export interface Above {
  readonly item: string;
  readonly controller: string;
  /** That an item which comes back to itself has this sign. */
  readonly loop: boolean;
}

/** lineSaid tells one line: how it came about, which reconcile it is, how long after. */
export function lineSaid(
  { reconcile, depth, write, writes, since, loop }: ChainLine,
  model: Pick<Model, "nth">,
  above?: Above,
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
  const n = String(model.nth(reconcile).n);
  const same = above?.item === reconcile.item;
  const name = same ? [h("span", { class: "unseen" }, "reconcile "), `#${n}`] : [`${reconcile.item} reconcile ${n}`];
  const after = Math.max(0, reconcile.start - since);
  const said = outcome(reconcile);
  return h(
    "span",
    { class: "chain-said" },
    icon(lookOf(reconcile)),
    by === "" ? "" : h("span", { class: "quiet" }, ` ${by} → `),
    h("button", { class: "link", type: "button", "data-go": reconcile.key }, ...name),
    above?.controller === reconcile.controller ? "" : ` ${reconcile.controller}`,
    // The tick says it to who sees it.
    said === "success" && above !== undefined ? h("span", { class: "unseen" }, ` ${said}`) : ` ${said}`,
    by !== "" && h("span", { class: "rv" }, ` +${span(after)}`),
    " ",
    loop && loopSaid(above?.loop === true),
  );
}

/** The sign of an item that comes back to itself, with its words as long as they have not been said. */
function loopSaid(known: boolean): HTMLElement {
  const words = "comes back to itself";
  const title = "The write of this item set off the same item again";
  return h("span", { class: "chip tone-own", title }, "↺ ", known ? h("span", { class: "unseen" }, words) : words);
}

function timer({ causes }: ChainLine["reconcile"]): string {
  const what = causes.find(({ what }) => isTimer(what))?.what ?? "";
  return what === "" ? "" : word(what);
}
