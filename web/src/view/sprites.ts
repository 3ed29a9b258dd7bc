/** Labels drawn once and kept as pictures: outlining letters anew on every frame would cost more than all else. */
import type { Palette } from "./shapes.ts";

/** More labels than this are forgotten and drawn anew. */
const kept = 400;

export interface Sprite {
  readonly image: HTMLCanvasElement;
  /** In map units, with the margin that the outline needs. */
  readonly width: number;
  readonly height: number;
  /** The letters alone. */
  readonly text: number;
}

/** Sprites holds the labels of one lane, for one size of its canvas and one theme. */
export class Sprites {
  private readonly made = new Map<string, Sprite>();
  private readonly palette: Palette;
  private readonly scale: number;

  /** scale is device pixels for each map unit. */
  constructor(palette: Palette, scale: number) {
    this.palette = palette;
    this.scale = scale;
  }

  of(text: string): Sprite {
    const known = this.made.get(text);
    if (known !== undefined) return known;
    if (this.made.size >= kept) this.made.clear();
    const sprite = this.draw(text);
    this.made.set(text, sprite);
    return sprite;
  }

  private draw(text: string): Sprite {
    const { label, sans, paper, ink } = this.palette;
    const image = document.createElement("canvas");
    const c = image.getContext("2d");
    if (c === null) return { image, width: 0, height: 0, text: 0 };
    const font = `650 ${String(label)}px ${sans}`;
    c.font = font;
    const letters = c.measureText(text).width;
    const width = letters + 8;
    const height = label * 1.3 + 6;
    image.width = Math.ceil(width * this.scale);
    image.height = Math.ceil(height * this.scale);
    c.scale(this.scale, this.scale);
    // A new size forgets the font.
    Object.assign(c, { font, textBaseline: "middle", textAlign: "center", lineJoin: "round", lineWidth: 5 });
    c.strokeStyle = paper;
    c.strokeText(text, width / 2, height / 2);
    c.fillStyle = ink;
    c.fillText(text, width / 2, height / 2);
    return { image, width, height, text: letters };
  }
}
