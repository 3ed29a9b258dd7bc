/** Fills a choice that the page keeps up to date. */
import { h } from "./dom.ts";
import { recall, remember } from "./memory.ts";

/** offer puts these names there to choose from. What was chosen last is so again, also after a reload and once it is back. */
export function offer(select: HTMLSelectElement, names: readonly string[]): void {
  const all = names.length === 0 ? [""] : names;
  if ([...select.options].map(({ value }) => value).join() === all.join()) return;
  const stored = `tracer-${select.dataset["part"] ?? ""}`;
  const kept = [recall(stored), select.value].find((name) => names.includes(name));
  select.replaceChildren(...all.map((value) => h("option", { value }, value === "" ? "none yet: create one" : value)));
  if (kept !== undefined) select.value = kept;
  select.onchange = () => {
    remember(stored, select.value);
  };
}
