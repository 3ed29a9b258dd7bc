/** Fills a choice that the page keeps up to date. */
import { h } from "../view/dom.ts";

/** offer puts these names there to choose from; the one wanted, or else the one that was chosen, is so again. */
export function offer(select: HTMLSelectElement, names: readonly string[], wanted = ""): void {
  const all = names.length === 0 ? [""] : names;
  if ([...select.options].map(({ value }) => value).join() === all.join() && select.length > 0) return;
  const kept = [wanted, select.value].find((name) => names.includes(name));
  select.replaceChildren(...all.map((value) => h("option", { value }, value === "" ? "none yet: create one" : value)));
  if (kept !== undefined) select.value = kept;
}
