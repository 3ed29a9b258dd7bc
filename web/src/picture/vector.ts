/** Tokens and maps as an SVG that stands by itself: for papers, slides and bug reports. */
import type { Token } from "../scene/types.ts";
import { s } from "../view/dom.ts";
import type { Palette, Place } from "../view/shapes.ts";
import type { Drawing } from "../view/tokens.ts";

/** What a drawing takes from the style sheet; all else is geometry, and stands in attributes. */
const kept = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
] as const;
const keptOfText = [
  "fill",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
  "font-variant-numeric",
] as const;

/** copyOf copies a drawing with the colours and letters that it has on the page, without what is hidden. */
export function copyOf(original: SVGElement): SVGElement {
  const copy = original.cloneNode(false) as SVGElement;
  const style = getComputedStyle(original);
  for (const { name } of [...copy.attributes]) {
    if (/^(class|style|role|tabindex|hidden|aria-|data-(?!node|edge))/.test(name)) copy.removeAttribute(name);
  }
  if (original instanceof SVGGeometryElement) take(copy, style, kept);
  if (original instanceof SVGTextElement) take(copy, style, keptOfText);
  const [x = "0", y = "0"] = style.translate.split(" ").map((length) => length.replace("px", ""));
  if (style.translate !== "none") copy.setAttribute("transform", `translate(${x} ${y})`);
  for (const child of original.childNodes) {
    if (child instanceof SVGElement && getComputedStyle(child).display !== "none") copy.append(copyOf(child));
    else if (child instanceof Text) copy.append(child.data);
  }
  return copy;
}

function take(copy: Element, style: CSSStyleDeclaration, names: readonly string[]): void {
  for (const name of names) copy.setAttribute(name, style.getPropertyValue(name));
}

/** tokensOf draws tokens with their labels as the canvas does, in units of the map. */
export function tokensOf({ tokens, labels, place, selected, palette: p }: Drawing): SVGGElement {
  const g = s("g", { "data-tokens": tokens.length });
  for (const token of tokens) {
    const at = place(token);
    const one = s("g", { "data-token": token.label });
    if (selected !== "" && token.kind === "pass" && token.reconcile === selected) {
      one.append(s("circle", { cx: at.x, cy: at.y, r: at.r + 6, fill: "none", stroke: p.ink, "stroke-width": 2 }));
    }
    if (token.halo || token.shape === "halo") one.append(halo(at, p));
    one.append(...shapeOf(token, at, p));
    g.append(one);
  }
  for (const { text, x, y } of labels) g.append(label(text, x, y, p));
  return g;
}

function halo({ x, y, r }: Place, p: Palette): SVGElement {
  return s("circle", {
    cx: x,
    cy: y,
    r: r + 4.5,
    fill: "none",
    stroke: p.tone.own,
    "stroke-width": 2.5,
    opacity: 0.55,
  });
}

function shapeOf({ shape, tone }: Token, { x, y, r }: Place, p: Palette): SVGElement[] {
  const hollow = tone === "warn";
  const looks = hollow
    ? { fill: p.surface, stroke: p.tone[tone], "stroke-width": 3, "stroke-linejoin": "round" }
    : { fill: p.tone[tone], stroke: p.paper, "stroke-width": 3.5, "stroke-linejoin": "round", "paint-order": "stroke" };
  const polygon = (...points: readonly number[]): SVGElement => s("polygon", { points: points.join(" "), ...looks });
  if (shape === "triangle") return [polygon(x, y - r * 1.25, x + r * 1.2, y + r * 0.85, x - r * 1.2, y + r * 0.85)];
  if (shape === "diamond") return [polygon(x, y - r * 1.2, x + r * 1.2, y, x, y + r * 1.2, x - r * 1.2, y)];
  const circle = s("circle", { cx: x, cy: y, r: hollow ? r * 0.85 : r, ...looks });
  if (shape !== "tick") return [circle];
  const d = `M${String(x - r * 0.45)} ${String(y)}l${String(r * 0.35)} ${String(r * 0.38)}l${String(r * 0.58)} ${String(-r * 0.72)}`;
  const stroke = hollow ? p.tone[tone] : p.surface;
  return [circle, s("path", { d, fill: "none", stroke, "stroke-width": 2.2, "stroke-linecap": "round" })];
}

function label(text: string, x: number, y: number, p: Palette): SVGElement {
  const letters = { "font-family": p.sans, "font-size": p.label, "font-weight": 650, "text-anchor": "middle" };
  const outline = { stroke: p.paper, "stroke-width": 5, "stroke-linejoin": "round", "paint-order": "stroke" };
  return s("text", { x, y, fill: p.ink, "dominant-baseline": "central", ...letters, ...outline }, text);
}
