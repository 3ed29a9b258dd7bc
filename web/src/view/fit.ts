/**
 * Shortens text that would not fit into the map's boxes. Letters are measured on a canvas: asking the page how long a
 * text is that was written just now would make the browser lay it out each time.
 */

import { nameOf } from "../layout/words.ts";

const known = new WeakMap<SVGTextElement, string>();
const fonts = new WeakMap<SVGTextElement, string>();
const pen = { c: undefined as CanvasRenderingContext2D | null | undefined };

/**
 * fitText writes text into a text element, shortened to room units: without the namespace before its name, and then with
 * …. It measures only when the text is new, and answers whether it was.
 */
export function fitText(element: SVGTextElement, text: string, room: number): boolean {
  const key = `${text}\n${String(Math.round(room))}`;
  if (known.get(element) === key) return false;
  known.set(element, key);
  const measure = measurer(element);
  let fitting = measure(text) > room ? nameOf(text) : text;
  let letters = [...fitting];
  while (letters.length > 1 && measure(fitting) > room) {
    letters = letters.slice(0, -1);
    fitting = `${letters.join("").trimEnd()}…`;
  }
  element.textContent = fitting;
  return true;
}

/** fitFirst writes the first of some texts that fits into room units, or else the last one. */
export function fitFirst(element: SVGTextElement, texts: readonly string[], room: number): void {
  const key = texts.join("\n");
  if (known.get(element) === key && texts.includes(element.textContent)) return;
  known.set(element, key);
  const measure = measurer(element);
  element.textContent = texts.find((text) => measure(text) <= room) ?? texts.at(-1) ?? "";
}

/** lengthOf is how long the text of an element is, in units of the map. */
export function lengthOf(element: SVGTextElement): number {
  return measurer(element)(element.textContent);
}

/** forgetFit makes the next fitText of an element measure again: its letters have changed size. */
export function forgetFit(root: ParentNode): void {
  for (const element of root.querySelectorAll<SVGTextElement>("svg text")) {
    known.delete(element);
    fonts.delete(element);
  }
}

function measurer(element: SVGTextElement): (text: string) => number {
  pen.c ??= document.createElement("canvas").getContext("2d");
  const { c } = pen;
  if (c === null) return () => 0;
  const font = fonts.get(element) ?? fontOf(element);
  fonts.set(element, font);
  c.font = font;
  return (text) => c.measureText(text).width;
}

function fontOf(element: SVGTextElement): string {
  const { fontWeight, fontSize, fontFamily } = getComputedStyle(element);
  return `${fontWeight} ${fontSize} ${fontFamily}`;
}
