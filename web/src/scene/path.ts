/** Where things are on the map. Edges are measured once for each geometry. */
import type { EdgeId, Geometry, NodeId, Point } from "../base/geometry.ts";

/** An edge with the length from its start at each of its points. */
interface Measured {
  readonly points: readonly Point[];
  readonly at: readonly number[];
  readonly length: number;
}

const measured = new WeakMap<Geometry, Map<EdgeId, Measured>>();
const ORIGIN: Point = { x: 0, y: 0 };
/** How far above its box a token stands, and how far from the next one. */
const ABOVE = 14;
const SEAT = 26;

/** edgePath is the point at fraction (0 to 1) of the edge's length. */
export function edgePath(geometry: Geometry, edge: EdgeId, fraction: number): Point {
  const { points, at, length } = measure(geometry, edge);
  const want = Math.min(1, Math.max(0, fraction)) * length;
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1] ?? ORIGIN, points[i] ?? ORIGIN];
    const [from, to] = [at[i - 1] ?? 0, at[i] ?? 0];
    if (want <= to && to > from) return between(a, b, (want - from) / (to - from));
  }
  return points.at(-1) ?? ORIGIN;
}

/** seatOf is where a token that stays at a node is drawn: above its box, beside the others. */
export function seatOf(geometry: Geometry, node: NodeId, seat: number): Point {
  const box = geometry.nodes[node];
  const free = Math.max(1, Math.floor(box.w / SEAT));
  const n = seat % free;
  // 0 in the middle, then left and right of it in turn.
  const side = n % 2 === 0 ? n / 2 : -(n + 1) / 2;
  return { x: box.x + box.w / 2 + side * SEAT, y: box.y - ABOVE };
}

/** between is the point at fraction f of the straight line from a to b. */
export function between(a: Point, b: Point, f: number): Point {
  return { x: a.x + (b.x - a.x) * f, y: a.y + (b.y - a.y) * f };
}

/** setOff eases out of a node: it gathers speed in the first fifth of the way, then goes steadily. No bounce. */
export function setOff(p: number): number {
  const ramp = 0.2;
  const x = Math.min(1, Math.max(0, p));
  const way = x < ramp ? (x * x) / (2 * ramp) : x - ramp / 2;
  return way / (1 - ramp / 2);
}

function measure(geometry: Geometry, edge: EdgeId): Measured {
  let edges = measured.get(geometry);
  if (edges === undefined) measured.set(geometry, (edges = new Map<EdgeId, Measured>()));
  const known = edges.get(edge);
  if (known !== undefined) return known;
  const points = geometry.edges[edge];
  const at = [0];
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1] ?? ORIGIN, points[i] ?? ORIGIN];
    at.push((at[i - 1] ?? 0) + Math.hypot(b.x - a.x, b.y - a.y));
  }
  const made = { points, at, length: at.at(-1) ?? 0 };
  edges.set(edge, made);
  return made;
}
