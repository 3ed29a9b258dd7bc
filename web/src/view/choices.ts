/** Fills a choice that the page keeps up to date. */
import { h } from "./dom.ts";
import { recall, remember } from "./memory.ts";

/**
 * offer puts these names there to choose from. What was chosen last is so again, also after a reload and once it is back;
 * what another page chooses meanwhile changes nothing here.
 */
export function offer(select: HTMLSelectElement, names: readonly string[]): void {
  const all = names.length === 0 ? [""] : names;
  if ([...select.options].map(({ value }) => value).join() === all.join()) return;
  const chosen = (select.dataset["chosen"] ??= recall(storedAs(select)));
  const kept = [chosen, select.value].find((name) => names.includes(name));
  select.replaceChildren(...all.map((value) => h("option", { value }, value === "" ? "none yet: create one" : value)));
  if (kept !== undefined) select.value = kept;
  select.onchange = () => {
    prefer(select, select.value);
  };
}

/** prefer makes a name the choice, as soon as it is there. */
export function prefer(select: HTMLSelectElement, name: string): void {
  select.dataset["chosen"] = name;
  remember(storedAs(select), name);
  if ([...select.options].some(({ value }) => value === name)) select.value = name;
}

function storedAs(select: HTMLSelectElement): string {
  return `tracer-${select.dataset["part"] ?? ""}`;
}
