/** The shapes that mean something, as SVG for lists and as paths for the canvas: shape, text and colour say the same. */
import type { Look } from "../layout/steps.ts";
import type { Shape, Tone } from "../layout/types.ts";
import { s } from "./dom.ts";

/** icon draws a look as a shape of 16×16, for lists. */
export function icon({ shape, tone }: Look): SVGSVGElement {
  const root = s("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" });
  root.append(...marks(shape, tone));
  return root;
}

function marks(shape: Shape, tone: Tone): SVGElement[] {
  const colour = `shape-${tone}`;
  switch (shape) {
    case "triangle":
      return [s("path", { class: colour, d: "M8 1.8L15 14H1z" })];
    case "diamond":
      return [s("path", { class: colour, d: "M8 2l6 6-6 6-6-6z" })];
    case "tick":
      return [
        s("circle", { class: colour, cx: 8, cy: 8, r: 6.6 }),
        s("path", { class: "shape-mark", d: "M5 8.2l2.2 2.2L11 6" }),
      ];
    default:
      return [s("circle", { class: colour, cx: 8, cy: 8, r: 5.6 })];
  }
}

/** The colours of the theme, read once when it changes. */
export interface Palette {
  readonly tone: Readonly<Record<Tone, string>>;
  readonly paper: string;
  readonly surface: string;
  readonly ink: string;
  readonly quiet: string;
  readonly line: string;
  readonly sans: string;
  /** Radius of a token and size of its label, in map units. */
  readonly radius: number;
  readonly label: number;
  /** Size of the small letters beside the map, in CSS pixels. */
  readonly small: number;
}

/** readPalette takes the colours from the style sheet's tokens. */
export function readPalette(root: Element): Palette {
  const style = getComputedStyle(root);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  const projector = root.getAttribute("data-theme") === "projector";
  return {
    tone: { accent: of("--accent"), ok: of("--ok"), warn: of("--warn"), error: of("--error"), own: of("--own") },
    paper: of("--paper"),
    surface: of("--surface"),
    ink: of("--ink"),
    quiet: of("--quiet"),
    line: of("--line"),
    sans: of("--sans"),
    radius: projector ? 11 : 8.5,
    label: Number.parseFloat(of("--map-label")) || 13.5,
    small: Number.parseFloat(of("--fs-small")) || 13,
  };
}

/** drawShape paints a token's shape round x, y. */
export function drawShape(c: CanvasRenderingContext2D, shape: Shape, tone: Tone, at: Place, p: Palette): void {
  const { x, y, r } = at;
  c.beginPath();
  if (shape === "triangle") polygon(c, x, y - r * 1.25, x + r * 1.2, y + r * 0.85, x - r * 1.2, y + r * 0.85);
  else if (shape === "diamond") polygon(c, x, y - r * 1.2, x + r * 1.2, y, x, y + r * 1.2, x - r * 1.2, y);
  else c.arc(x, y, tone === "warn" ? r * 0.85 : r, 0, Math.PI * 2);
  c.lineJoin = "round";
  c.strokeStyle = p.paper;
  c.lineWidth = 3.5;
  c.stroke();
  // What needs care is hollow: a ring, a diamond, and the tick of a reconcile of which a write was refused.
  const hollow = tone === "warn";
  c.fillStyle = hollow ? p.surface : p.tone[tone];
  c.fill();
  c.strokeStyle = p.tone[tone];
  c.lineWidth = 3;
  if (hollow) c.stroke();
  if (shape !== "tick") return;
  c.beginPath();
  c.moveTo(x - r * 0.45, y + r * 0.02);
  c.lineTo(x - r * 0.1, y + r * 0.38);
  c.lineTo(x + r * 0.48, y - r * 0.34);
  if (!hollow) c.strokeStyle = p.surface;
  c.lineWidth = 2.2;
  c.lineCap = "round";
  c.stroke();
}

/** Where a token is, in map units. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly r: number;
}

/** drawHalo paints the ring round an own write. */
export function drawHalo(c: CanvasRenderingContext2D, { x, y, r }: Place, p: Palette): void {
  c.beginPath();
  c.arc(x, y, r + 4.5, 0, Math.PI * 2);
  c.globalAlpha = 0.55;
  c.strokeStyle = p.tone.own;
  c.lineWidth = 2.5;
  c.stroke();
  c.globalAlpha = 1;
}

function polygon(c: CanvasRenderingContext2D, ...points: readonly number[]): void {
  // The first line of a path is where it begins.
  for (let i = 0; i + 1 < points.length; i += 2) c.lineTo(points[i] ?? 0, points[i + 1] ?? 0);
  c.closePath();
}
