/** Draws part of the page anew and leaves focus, scroll and what is unfolded as they were. */

/** What finds an element that is drawn anew, the surest first. */
const marks = ["data-servers", "data-take", "data-panel", "aria-label", "data-go", "data-item", "data-fold"];

/** keepingPlace runs draw, which replaces what is in root. */
export function keepingPlace(root: HTMLElement, draw: () => void): void {
  const focus = focusMark(root);
  const top = root.scrollTop;
  const open = [...root.querySelectorAll<HTMLDetailsElement>("details[open]")].map(({ dataset }) => dataset["fold"]);
  draw();
  for (const fold of root.querySelectorAll("details")) fold.open = open.includes(fold.dataset["fold"]);
  root.scrollTop = top;
  if (focus === undefined) return;
  const again = root.querySelector<HTMLElement>(focus) ?? root.querySelector<HTMLElement>(".panel-title");
  again?.focus({ preventScroll: true });
}

function focusMark(root: HTMLElement): string | undefined {
  const active = document.activeElement;
  if (active === null || active === root || !root.contains(active)) return undefined;
  const at = active.matches("summary") ? active.parentElement : active;
  const mark = marks.find((name) => at?.hasAttribute(name) === true);
  if (at === null || mark === undefined) return ".panel-title";
  const found = `[${mark}="${CSS.escape(at.getAttribute(mark) ?? "")}"]`;
  return at === active ? `${found}:not(:disabled)` : `${found} > summary`;
}
