/** Where the tokens' labels stand: near their token, off the boxes' own words, and never on each other. */
import type { Geometry, Point, Rect } from "../base/geometry.ts";
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
  const taken = new Taken([...Object.values(options.geometry.nodes), ...options.words]);
  for (const token of tokens) taken.add(around(token.x, token.y, options.radius * 2, options.radius * 2));
  const labels: Label[] = [];
  // Where there is not room for all, those of errors and passes stand.
  for (const token of [...tokens].sort((a, b) => rank(b) - rank(a))) {
    const text = textOf(token);
    if (text === "") continue;
    const w = options.width(text) + 4;
    const place = candidates(token, w, options).find((at) => free(around(at.x, at.y, w, options.size), taken, options));
    if (place === undefined) continue;
    taken.add(around(place.x, place.y, w, options.size));
    labels.push({ text, x: place.x, y: place.y });
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

function candidates(token: Token, w: number, { size, radius, geometry }: LabelOptions): Point[] {
  const { x, y } = token;
  const row = geometry.nodes.dequeue;
  const inRow = y > row.y - radius && y < row.y + row.h + radius;
  const below = inRow ? undefined : onTrack(token, geometry, size);
  if (below !== undefined) return below;
  const off = radius + size * 0.72 + 2;
  const [left, right, up, down] = [x - w / 2, x + w / 2, y - off, y + off];
  const beside = radius + 6;
  const aside = [
    { x: right + beside, y },
    { x: left - beside, y },
  ];
  const over = [
    { x, y: up },
    { x, y: down },
  ];
  const first = upright(token, geometry) ? aside : over;
  // On the line of work the boxes leave no room beside a token: its label stands above or below the row.
  if (inRow)
    return [
      ...first.slice(0, 1),
      ...[0, 1].map((i) => ({ x, y: row.y - size * (0.8 + i * 1.15) })),
      { x, y: row.y + row.h + size },
    ];
  const corners = [
    { x: left, y: up },
    { x: left, y: down },
    { x: right, y: up },
    { x: right, y: down },
  ];
  // On an upright line the room is beside the token, elsewhere above and below it; on the line itself only at need.
  return first === aside ? [...aside, ...over, ...corners] : [...over, ...corners, ...aside];
}

/** On the track of a box below the line of work: its label stands below the box, or above it. */
function onTrack({ x, y }: Token, { nodes }: Geometry, size: number): Point[] | undefined {
  const box = [nodes.cache, nodes.api].find((b) => x > b.x && x < b.x + b.w && y > b.y && y < b.y + b.h);
  if (box === undefined) return undefined;
  const under = [0, 1].map((i) => ({ x, y: box.y + box.h + size * 0.8 + i * size * 1.15 }));
  return [...under, { x, y: box.y - size * 0.8 }];
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

function free(rect: Rect, taken: Taken, { geometry }: LabelOptions): boolean {
  const inside =
    rect.x >= 2 && rect.y >= 2 && rect.x + rect.w <= geometry.width - 2 && rect.y + rect.h <= geometry.height - 2;
  return inside && !taken.meets(rect);
}

/** How large a field of Taken is, in map units: about two tokens. */
const field = 40;

/** What is taken of the map, by fields: of 600 tokens only those near a label are asked whether they are in its way. */
class Taken {
  private readonly fields = new Map<number, Rect[]>();

  constructor(rects: readonly Rect[]) {
    for (const rect of rects) this.add(rect);
  }

  add(rect: Rect): void {
    someField(rect, (key) => {
      const rects = this.fields.get(key);
      if (rects === undefined) this.fields.set(key, [rect]);
      else rects.push(rect);
      return false;
    });
  }

  meets(rect: Rect): boolean {
    return someField(rect, (key) => this.fields.get(key)?.some((other) => overlaps(rect, other)) === true);
  }
}

/** Whether found says yes to a field that the rect touches. */
function someField({ x, y, w, h }: Rect, found: (key: number) => boolean): boolean {
  for (let row = Math.floor(y / field); row * field < y + h; row++) {
    for (let column = Math.floor(x / field); column * field < x + w; column++) {
      if (found(row * 1000 + column)) return true;
    }
  }
  return false;
}

function overlaps(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

function around(x: number, y: number, w: number, h: number): Rect {
  return { x: x - w / 2, y: y - h / 2, w, h };
}
