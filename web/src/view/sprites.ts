/** Labels drawn once and kept as pictures: outlining letters anew on every frame would cost more than all else. */
import type { Palette } from "./shapes.ts";

export interface Sprite {
  readonly image: HTMLCanvasElement;
  /** In map units, with the margin that the outline needs. */
  readonly width: number;
  readonly height: number;
}

/** Sprites holds the labels of one lane, for one size of its canvas and one theme. */
export class Sprites {
  private readonly made = new Recent<Sprite>();
  private readonly lengths = new Recent<number>();
  private readonly palette: Palette;
  private readonly scale: number;
  private readonly font: string;
  private readonly pen = document.createElement("canvas").getContext("2d");

  /** scale is device pixels for each map unit. */
  constructor(palette: Palette, scale: number) {
    this.palette = palette;
    this.scale = scale;
    this.font = `650 ${String(palette.label)}px ${palette.sans}`;
    if (this.pen !== null) this.pen.font = this.font;
  }

  of(text: string): Sprite {
    return this.made.of(text, () => this.draw(text));
  }

  /** The length of the letters alone. Most labels of a crowd find no place: they are measured only. */
  lengthOf(text: string): number {
    return this.lengths.of(text, () => this.pen?.measureText(text).width ?? 0);
  }

  private draw(text: string): Sprite {
    const { label, paper, ink } = this.palette;
    const image = document.createElement("canvas");
    const c = image.getContext("2d");
    if (c === null) return { image, width: 0, height: 0 };
    const width = this.lengthOf(text) + 8;
    const height = label * 1.3 + 6;
    image.width = Math.ceil(width * this.scale);
    image.height = Math.ceil(height * this.scale);
    c.scale(this.scale, this.scale);
    Object.assign(c, { font: this.font, textBaseline: "middle", textAlign: "center", lineJoin: "round", lineWidth: 5 });
    c.strokeStyle = paper;
    c.strokeText(text, width / 2, height / 2);
    c.fillStyle = ink;
    c.fillText(text, width / 2, height / 2);
    return { image, width, height };
  }
}

/** How many things are kept, and as many again of which some may be asked for once more. */
const kept = 400;

/** What was made for the texts that were asked for last. */
class Recent<T> {
  private newer = new Map<string, T>();
  private older = new Map<string, T>();

  of(text: string, make: () => T): T {
    const known = this.newer.get(text);
    if (known !== undefined) return known;
    const thing = this.older.get(text) ?? make();
    if (this.newer.size >= kept) {
      this.older = this.newer;
      this.newer = new Map();
    }
    this.newer.set(text, thing);
    return thing;
  }
}
