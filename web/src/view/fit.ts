/** Shortens text that would not fit into the map's boxes. */

const known = new WeakMap<SVGTextElement, string>();

/**
 * fitText writes text into a text element, shortened with … to room units. It measures only when the text is
 * new, and answers whether it was.
 */
export function fitText(element: SVGTextElement, text: string, room: number): boolean {
  const key = `${text}\n${String(Math.round(room))}`;
  if (known.get(element) === key) return false;
  known.set(element, key);
  element.textContent = text;
  let letters = [...text];
  while (letters.length > 1 && element.getComputedTextLength() > room) {
    letters = letters.slice(0, -1);
    element.textContent = `${letters.join("").trimEnd()}…`;
  }
  return true;
}

/** fitFirst writes the first of some texts that fits into room units, or else the last one. */
export function fitFirst(element: SVGTextElement, texts: readonly string[], room: number): void {
  const key = texts.join("\n");
  if (known.get(element) === key && texts.includes(element.textContent)) return;
  known.set(element, key);
  for (const text of texts) {
    element.textContent = text;
    if (element.getComputedTextLength() <= room) return;
  }
}

/** forgetFit makes the next fitText of an element measure again: its letters have changed size. */
export function forgetFit(root: ParentNode): void {
  for (const element of root.querySelectorAll<SVGTextElement>("svg text")) known.delete(element);
}
