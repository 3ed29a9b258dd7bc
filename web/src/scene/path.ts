/** Where things are on the map. Edges are measured once for each geometry. */
import { getOrInsert } from "../base/getorinsert.ts";
import type { EdgeId, Geometry, NodeId, Point } from "../base/geometry.ts";

/** An edge with the length from its start at each of its points. */
interface Measured {
  readonly points: readonly Point[];
  readonly at: readonly number[];
  readonly length: number;
}

const measured = new WeakMap<Geometry, Map<EdgeId, Measured>>();
const ORIGIN: Point = { x: 0, y: 0 };
/** How far a token that rests at a node is from the next one, and from its box's ends. */
const SEAT = 26;
const MARGIN = 14;

/** edgePath is the point at fraction (0 to 1) of the edge's length. */
export function edgePath(geometry: Geometry, edge: EdgeId, fraction: number): Point {
  const { points, at, length } = measure(geometry, edge);
  const want = Math.min(1, Math.max(0, fraction)) * length;
  for (let i = 1; i < points.length; i++) {
    const from = at[i - 1] ?? 0;
    const to = at[i] ?? 0;
    if (want <= to && to > from)
      return between(points[i - 1] ?? ORIGIN, points[i] ?? ORIGIN, (want - from) / (to - from));
  }
  return points.at(-1) ?? ORIGIN;
}

/** seatOf is where a token rests at a node: on the track between the box's title and its note, beside the others. */
export function seatOf(geometry: Geometry, node: NodeId, seat: number): Point {
  const box = geometry.nodes[node];
  const y = box.y + box.h / 2;
  // At the API server the first sits below the line on which writes come down, the others to the left of it.
  if (node === "api") {
    const first = geometry.edges["apply-api"].at(-1)?.x ?? box.x + box.w / 2;
    const free = Math.max(1, Math.floor((first - box.x - MARGIN) / SEAT) + 1);
    return { x: first - (seat % free) * SEAT, y };
  }
  const free = Math.max(1, Math.floor((box.w - 2 * MARGIN) / SEAT) + 1);
  const n = seat % free;
  // 0 in the middle, then left and right of it in turn.
  const side = n % 2 === 0 ? n / 2 : -(n + 1) / 2;
  return { x: box.x + box.w / 2 + side * SEAT, y };
}

/** edgeLength is an edge's length in units of the map. */
export function edgeLength(geometry: Geometry, edge: EdgeId): number {
  return measure(geometry, edge).length;
}

/** between is the point at fraction f of the straight line from a to b. */
export function between(a: Point, b: Point, f: number): Point {
  return { x: a.x + (b.x - a.x) * f, y: a.y + (b.y - a.y) * f };
}

/** The first and the last part of a way in which a token gathers and loses speed. */
const RAMP = 0.22;

/**
 * travelled is the part of its way that a token has behind it after the part p of the time: it eases out of a node,
 * goes steadily, and where it comes to rest it eases in. No bounce.
 */
export function travelled(p: number, rests: boolean): number {
  const x = Math.min(1, Math.max(0, p));
  const whole = 1 - RAMP / 2 - (rests ? RAMP / 2 : 0);
  const left = 1 - x;
  if (x < RAMP) return (x * x) / (2 * RAMP) / whole;
  if (rests && left < RAMP) return 1 - (left * left) / (2 * RAMP) / whole;
  return (x - RAMP / 2) / whole;
}

function measure(geometry: Geometry, edge: EdgeId): Measured {
  const edges = getOrInsert(measured, geometry, () => new Map<EdgeId, Measured>());
  return getOrInsert(edges, edge, () => {
    const points = geometry.edges[edge];
    const at = [0];
    for (let i = 1; i < points.length; i++) {
      const [a, b] = [points[i - 1] ?? ORIGIN, points[i] ?? ORIGIN];
      at.push((at[i - 1] ?? 0) + Math.hypot(b.x - a.x, b.y - a.y));
    }
    return { points, at, length: at.at(-1) ?? 0 };
  });
}
