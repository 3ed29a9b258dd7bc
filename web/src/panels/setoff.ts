/** What a reconcile's writes set off, in the panel's view of the reconcile. */
import type { Reconcile } from "../base/rows.gen.ts";
import { chainOf } from "../model/chain.ts";
import type { Model } from "../model/types.ts";
import { h } from "../view/dom.ts";
import { section } from "../view/parts.ts";
import { lineSaid } from "./chainline.ts";

/** So many of them are told; the rest is in the chain. */
const most = 4;

/** setOff tells the nearest of what a reconcile's writes set off, and the way to the rest. now: true time, µs. */
export function setOff(run: Reconcile, model: Model, now: number): HTMLElement | undefined {
  const { lines, here } = chainOf(model, run, now);
  const near = lines.filter((line, i) => i > here && line.depth === (lines[here]?.depth ?? 0) + 1);
  if (near.length === 0) return undefined;
  const list = h("ul", { class: "causes" });
  for (const line of near.slice(0, most)) list.append(h("li", { class: "cause" }, lineSaid(line, model)));
  const more = lines.length - 1 - here - Math.min(most, near.length);
  const text = more > 0 ? `Whole chain: ${String(more)} more` : "Whole chain";
  list.append(h("li", {}, h("button", { class: "link", type: "button", "data-panel": "chain" }, text)));
  return section("What it set off", list);
}
