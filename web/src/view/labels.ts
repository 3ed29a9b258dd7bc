/** Where the tokens' labels stand: near their token, off the boxes' own words, and never on each other. */
import type { Geometry, Rect } from "../base/geometry.ts";
import { nameOf } from "../layout/words.ts";
import type { Token } from "../scene/types.ts";

export interface Label {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

export interface LabelOptions {
  readonly size: number;
  readonly radius: number;
  readonly geometry: Geometry;
  /** Where the map's own words stand beside its lines. */
  readonly words: readonly Rect[];
  readonly width: (text: string) => number;
}

/** placeLabels gives each token the first free of its places; one that finds none goes without. */
export function placeLabels(tokens: readonly Token[], options: LabelOptions): Label[] {
  const { size, radius, geometry, width } = options;
  const taken = new Taken(geometry, [...Object.values(geometry.nodes), ...options.words]);
  for (const token of tokens) taken.add(around(token.x, token.y, radius * 2, radius * 2));
  const places = placesOf(geometry, size);
  const off = radius + size * 0.72 + 2;
  const beside = radius + 6;
  const placed = (text: string, token: Token): Label | undefined => {
    const w = width(text) + 4;
    for (const { side, gap, up, level } of candidates(token, options, places)) {
      const x = token.x + (side * w) / 2 + gap * beside;
      const y = level ?? token.y + up * off;
      if (!taken.free(x - w / 2, y - size / 2, w, size)) continue;
      taken.add(around(x, y, w, size));
      return { text, x, y };
    }
    return undefined;
  };
  const labels: Label[] = [];
  // Where there is not room for all, those of errors and passes stand.
  for (const token of [...tokens].sort((a, b) => rank(b) - rank(a))) {
    const text = textOf(token);
    if (text === "") continue;
    // Where there is no room for its namespace it is said that it has one: the name alone is another item's.
    const name = nameOf(text);
    const label = placed(text, token) ?? (name === text ? undefined : placed(`…/${name}`, token));
    if (label !== undefined) labels.push(label);
  }
  return labels;
}

/** rank is what a token weighs: events and writes least, passes more, errors most. */
export function rank({ kind, tone }: Token): number {
  return tone === "error" ? 2 : kind === "pass" ? 1 : 0;
}

/** manyOf appends how many a token stands for; one of many that are not alike is labelled with their number already. */
export function manyOf(label: string, count: number): string {
  return count > 1 && !label.startsWith("×") ? `${label} ×${String(count)}` : label;
}

function textOf(token: Token): string {
  if (token.minor && token.count === 1) return "";
  return manyOf(token.label, token.count);
}

/** A place for a label, as seen from its token: so many halves of the label and gaps aside, so many lines down, or level. */
interface Place {
  readonly side: number;
  readonly gap: number;
  readonly up: number;
  readonly level?: number;
}

const place = (side: number, gap: number, up: number): Place => ({ side, gap, up });
const levelAt = (level: number): Place => ({ side: 0, gap: 0, up: 0, level });

const ASIDE = [place(1, 1, 0), place(-1, -1, 0)];
const OVER = [place(0, 0, -1), place(0, 0, 1)];
const CORNERS = [place(-1, 0, -1), place(-1, 0, 1), place(1, 0, -1), place(1, 0, 1)];

/** On an upright line the room is beside the token, elsewhere above and below it; on the line itself only at need. */
const UPRIGHT = [...ASIDE, ...OVER, ...CORNERS];
const LYING = [...OVER, ...CORNERS, ...ASIDE];

/** The places that do not move with their token. */
interface Levels {
  /** On the line of work the boxes leave no room beside a token: its label stands above or below the row. */
  readonly upright: readonly Place[];
  readonly lying: readonly Place[];
  /** On the track of a box below the line of work a label stands below the box, or above it. */
  readonly tracks: readonly { readonly box: Rect; readonly places: readonly Place[] }[];
}

function placesOf({ nodes }: Geometry, size: number): Levels {
  const row = nodes.dequeue;
  const levels = [row.y - size * 0.8, row.y - size * 1.95, row.y + row.h + size].map(levelAt);
  const tracks = [nodes.cache, nodes.api].map((box) => {
    const under = box.y + box.h + size * 0.8;
    return { box, places: [under, under + size * 1.15, box.y - size * 0.8].map(levelAt) };
  });
  return { upright: [...ASIDE.slice(0, 1), ...levels], lying: [...OVER.slice(0, 1), ...levels], tracks };
}

function candidates(token: Token, { radius, geometry }: LabelOptions, levels: Levels): readonly Place[] {
  const { x, y } = token;
  const row = geometry.nodes.dequeue;
  const inRow = y > row.y - radius && y < row.y + row.h + radius;
  if (inRow) return upright(token, geometry) ? levels.upright : levels.lying;
  for (const { box, places } of levels.tracks)
    if (x > box.x && x < box.x + box.w && y > box.y && y < box.y + box.h) return places;
  return upright(token, geometry) ? UPRIGHT : LYING;
}

/** Whether the part of the line on which a token is runs up or down. */
function upright(token: Token, geometry: Geometry): boolean {
  const points = token.edge === undefined ? [] : geometry.edges[token.edge];
  return points.some((to, i) => {
    const from = points[i - 1];
    const between = from !== undefined && Math.min(from.y, to.y) <= token.y && token.y <= Math.max(from.y, to.y);
    return between && from.x === to.x && Math.abs(to.x - token.x) < 1;
  });
}

/** How large a field of Taken is, in map units: about two tokens. */
const field = 40;

/** What is taken of the map, by fields: of 600 tokens only those near a label are asked whether they are in its way. */
class Taken {
  private readonly geometry: Geometry;
  private readonly columns: number;
  private readonly fields: Rect[][];

  constructor(geometry: Geometry, rects: readonly Rect[]) {
    this.geometry = geometry;
    this.columns = Math.ceil(geometry.width / field);
    this.fields = Array.from({ length: this.columns * Math.ceil(geometry.height / field) }, () => []);
    for (const rect of rects) this.add(rect);
  }

  add(rect: Rect): void {
    const { x, y, w, h } = rect;
    const left = Math.max(0, Math.floor(x / field));
    for (let row = Math.max(0, Math.floor(y / field)); row * field < y + h; row++) {
      for (let column = left; column < this.columns && column * field < x + w; column++)
        this.fields[row * this.columns + column]?.push(rect);
    }
  }

  /** Whether a label would stand on the map and on nothing else. Asked many times a frame: it makes nothing. */
  free(x: number, y: number, w: number, h: number): boolean {
    const { width, height } = this.geometry;
    if (x < 2 || y < 2 || x + w > width - 2 || y + h > height - 2) return false;
    for (let row = Math.floor(y / field); row * field < y + h; row++) {
      for (let column = Math.floor(x / field); column * field < x + w; column++) {
        for (const other of this.fields[row * this.columns + column] ?? [])
          if (x < other.x + other.w && other.x < x + w && y < other.y + other.h && other.y < y + h) return false;
      }
    }
    return true;
  }
}

function around(x: number, y: number, w: number, h: number): Rect {
  return { x: x - w / 2, y: y - h / 2, w, h };
}
