/** Says of a box that scrolls that there is more than is seen. */

/** markCut shows the button that follows a box as long as there is more below; a press brings it into sight. data-above: there is more above. */
export function markCut(box: Element): void {
  const button = box.nextElementSibling;
  const paint = (): void => {
    box.toggleAttribute("data-above", box.scrollTop > 0);
    // A row that it would cut through it covers whole.
    const end = box.getBoundingClientRect().bottom;
    const rows = [...box.querySelectorAll("button, input")].map((row) => row.getBoundingClientRect());
    const cut = rows.filter(({ bottom }) => bottom > end - 30).map(({ top }) => top - 5);
    (button as HTMLElement).style.setProperty("--cover", `${String(Math.max(30, end - Math.min(end, ...cut)))}px`);
    button?.toggleAttribute("hidden", box.scrollHeight - box.clientHeight - box.scrollTop < 2);
  };
  const sizes = new ResizeObserver(() => {
    // Where it has less room than before, who writes in it still sees where.
    const { activeElement: field } = document;
    if (box.contains(field) && box.scrollHeight > box.clientHeight) field?.scrollIntoView({ block: "nearest" });
    paint();
  });
  for (const one of [box, ...box.children]) sizes.observe(one);
  box.addEventListener("scroll", paint);
  button?.addEventListener("click", () => {
    box.scrollBy({ top: box.clientHeight / 2 });
  });
}
