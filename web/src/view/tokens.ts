/** The canvas above one lane's map: tokens with their labels, crisp on any screen. */
import type { Geometry, NodeId, Rect } from "../base/geometry.ts";
import type { Token } from "../scene/types.ts";
import { placeLabels, rank } from "./labels.ts";
import type { Label } from "./labels.ts";
import { drawHalo, drawShape } from "./shapes.ts";
import type { Palette, Place } from "./shapes.ts";
import { Sprites } from "./sprites.ts";
import type { Spot } from "./tip.ts";

/** How the map's units lie on the canvas: as preserveAspectRatio xMidYMid meet does it for the SVG. */
interface Fit {
  readonly scale: number;
  readonly left: number;
  readonly top: number;
}

/** What a canvas has to know of the page: its own size in CSS pixels, and where the map's words stand, in map units. */
export interface Measured {
  readonly w: number;
  readonly h: number;
  readonly words: readonly Rect[];
}

/** What is drawn above a map. */
export interface Drawing {
  readonly tokens: readonly Token[];
  readonly labels: readonly Label[];
  /** Where a token is, and how large. */
  readonly place: (token: Token) => Place;
  readonly selected: string;
  readonly palette: Palette;
}

/** Labels are at least so many CSS pixels high, unless the lane is smaller than a map can be read. */
const leastLabel = 13;
const leastScale = 0.45;

/** How large a token of less weight is, beside the others. */
const minorSize = 0.62;

/** How strongly a token is drawn that the filter leaves out. */
const dimmed = 0.28;

export class Tokens {
  private readonly canvas: HTMLCanvasElement;
  private readonly geometry: Geometry;
  private fit: Fit = { scale: 1, left: 0, top: 0 };
  private drawn: readonly Token[] = [];
  private palette: Palette | undefined;
  private sprites: Sprites | undefined;
  private words: readonly Rect[] = [];
  private badges: readonly Rect[] = [];

  constructor(canvas: HTMLCanvasElement, geometry: Geometry) {
    this.canvas = canvas;
    this.geometry = geometry;
  }

  /** Makes the canvas as large as it was measured; to be called when that or the colours change. */
  resize(palette: Palette, { w, h, words }: Measured): void {
    this.words = words;
    const dpr = devicePixelRatio;
    this.canvas.width = Math.round(w * dpr);
    this.canvas.height = Math.round(h * dpr);
    const scale = Math.min(w / this.geometry.width, h / this.geometry.height);
    const left = (w - scale * this.geometry.width) / 2;
    this.fit = { scale, left, top: (h - scale * this.geometry.height) / 2 };
    // In a small lane tokens and letters keep a size that can be seen.
    const grow = Math.max(1, Math.min(1.7, 0.72 / Math.max(scale, 0.01)));
    const label = Math.max(palette.label, leastLabel / Math.max(scale, leastScale));
    this.palette = { ...palette, radius: palette.radius * grow, label };
    this.sprites = new Sprites(this.palette, Math.max(0.1, scale * dpr));
  }

  /** The map's words are now others. */
  keepOff(words: readonly Rect[]): void {
    this.words = words;
  }

  /** held are the boxes at which a worker is held: labels leave their badges to be seen. */
  draw(tokens: readonly Token[], selected: string, held: readonly NodeId[] = []): void {
    this.badges = held.map((id) => badgeOf(this.geometry.nodes[id]));
    const c = this.canvas.getContext("2d");
    const { palette: p, sprites } = this;
    if (c === null || p === undefined || sprites === undefined || this.canvas.width === 0) return;
    if (tokens.length === 0 && this.drawn.length === 0) return;
    this.drawn = tokens;
    const k = this.fit.scale * devicePixelRatio;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, this.canvas.width, this.canvas.height);
    c.setTransform(k, 0, 0, k, this.fit.left * devicePixelRatio, this.fit.top * devicePixelRatio);
    const shown = tokens.filter((token) => token.dim !== true);
    c.globalAlpha = dimmed;
    for (const token of tokens) if (token.dim === true) this.drawToken(c, token, p, false);
    c.globalAlpha = 1;
    // What is selected has its ring; what failed lies on top of all.
    for (const token of [...shown].sort((a, b) => rank(a) - rank(b))) {
      this.drawToken(c, token, p, selected !== "" && token.kind === "pass" && token.reconcile === selected);
    }
    this.drawLabels(c, shown, p, sprites);
  }

  /** What is drawn now, in units of the map. */
  drawing(selected: string): Drawing | undefined {
    const { palette, sprites, drawn: tokens } = this;
    if (palette === undefined || sprites === undefined) return undefined;
    const labels = this.labels(tokens, palette, sprites);
    return { tokens, labels, selected, palette, place: (token) => placeOf(token, palette) };
  }

  private labels(tokens: readonly Token[], { label: size, radius }: Palette, sprites: Sprites): readonly Label[] {
    const { geometry } = this;
    const words = [...this.words, ...this.badges];
    return placeLabels(tokens, { size, radius, geometry, words, width: (text) => sprites.lengthOf(text) });
  }

  private drawToken(c: CanvasRenderingContext2D, token: Token, p: Palette, selected: boolean): void {
    const at = placeOf(token, p);
    if (selected) ringRound(c, at, p);
    if (token.dim !== true && (token.halo || token.shape === "halo")) drawHalo(c, at, p);
    drawShape(c, token.shape, token.tone, at, p);
  }

  private drawLabels(c: CanvasRenderingContext2D, tokens: readonly Token[], p: Palette, sprites: Sprites): void {
    // Pixel on pixel, or the letters would blur.
    const scale = this.fit.scale * devicePixelRatio;
    const left = this.fit.left * devicePixelRatio;
    const top = this.fit.top * devicePixelRatio;
    c.setTransform(1, 0, 0, 1, 0, 0);
    for (const { text, x, y } of this.labels(tokens, p, sprites)) {
      const { image, width: w, height: h } = sprites.of(text);
      c.drawImage(image, Math.round(left + (x - w / 2) * scale), Math.round(top + (y - h / 2) * scale));
    }
  }

  /** What a token fills of the canvas, in CSS pixels: itself, or the box in which it rests, whose words stay readable. */
  spot({ x, y, node }: Token): Spot {
    const { left, top, scale } = this.fit;
    const r = this.palette?.radius ?? 9;
    const box = node === undefined ? { y: y - r, h: 2 * r } : this.geometry.nodes[node];
    return { x: left + x * scale, top: top + box.y * scale, bottom: top + (box.y + box.h) * scale };
  }

  /** The token under a point of the canvas (CSS pixels), with a margin so that 24 px can be hit. */
  hit(x: number, y: number): Token | undefined {
    const at = { x: (x - this.fit.left) / this.fit.scale, y: (y - this.fit.top) / this.fit.scale };
    const reach = Math.max(13 / this.fit.scale, (this.palette?.radius ?? 9) + 5);
    let best: Token | undefined;
    let nearest = reach;
    for (const token of this.drawn) {
      const d = Math.hypot(token.x - at.x, token.y - at.y);
      if (d >= nearest) continue;
      nearest = d;
      best = token;
    }
    return best;
  }
}

/** The bars of a pause on the corner of a box, as the page draws them. */
export function badgeOf({ x, y }: Rect): Rect {
  return { x: x - 15, y: y - 19, w: 30, h: 30 };
}

function placeOf({ x, y, minor }: Token, p: Palette): Place {
  return { x, y, r: p.radius * (minor ? minorSize : 1) };
}

function ringRound(c: CanvasRenderingContext2D, { x, y, r }: Place, p: Palette): void {
  c.beginPath();
  c.arc(x, y, r + 6, 0, Math.PI * 2);
  c.strokeStyle = p.ink;
  c.lineWidth = 2;
  c.stroke();
}
