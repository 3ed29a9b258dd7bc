/** Where a reconcile came from and what it set off, as an indented tree with times. */
import { clock } from "../base/time.ts";
import { chainOf } from "../model/chain.ts";
import type { Chain, ChainLine } from "../model/chain.ts";
import type { Model } from "../model/types.ts";
import { h } from "../view/dom.ts";
import { chip } from "../view/parts.ts";
import { knownAt } from "../view/scope.ts";
import type { Scope, View } from "../view/scope.ts";
import { causeSaid } from "../view/words.ts";
import { lineSaid } from "./chainline.ts";
import type { Above } from "./chainline.ts";

/** As deep lines are indented; deeper ones say how deep. */
const deepest = 6;

export const chainView: View = {
  sign: (scope) => {
    const { lines, here } = chain(scope);
    return [
      here,
      scope.following,
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
    let above: Above | undefined;
    told.lines.forEach((line, i) => {
      list.append(row(line, i === told.here, scope.model, above));
      const { item, controller } = line.reconcile;
      above = { item, controller, loop: line.loop || above?.loop === true };
    });
    const end = told.cut ? "There is more than fits here." : ended(told, scope.following);
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

/** ended says it where nothing came of a reconcile, of an earlier moment in other words. */
export function ended({ lines, here }: Pick<Chain, "lines" | "here">, following: boolean): string {
  if (here < lines.length - 1) return "";
  const what = "set off nothing that is known.";
  return following ? `This reconcile has ${what}` : `By the moment shown this reconcile had ${what}`;
}

function row(line: ChainLine, here: boolean, model: Model, above?: Above): HTMLElement {
  const item = h("li", { class: `chain-line${here ? " is-here" : ""}`, "aria-current": here && "true" });
  item.style.paddingInlineStart = `${String(Math.min(line.depth, deepest) * 10)}px`;
  if (line.depth > deepest) item.append(h("span", { class: "rv" }, `${String(line.depth)} `));
  item.append(lineSaid(line, model, above));
  return item;
}
