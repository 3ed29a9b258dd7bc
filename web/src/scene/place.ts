/** Where one journey's token is at a time. */
import type { Geometry, NodeId, Point } from "../base/geometry.ts";
import type { Journey, Step } from "../layout/types.ts";
import { between, edgeLength, edgePath, seatOf, travelled } from "./path.ts";
import type { Token } from "./types.ts";

type Move = Extract<Step, { kind: "move" }>;

/** Nodes that have a track for tokens. In the others they stand as slots and rings, or are at their end. */
const TRACKS = new Set<NodeId>(["dequeue", "fetch", "compute", "apply", "requeue", "cache", "api"]);

/** stepAt is the index of the step that holds t, -1 when t is outside the journey. */
export function stepAt(journey: Journey, t: number): number {
  const { steps } = journey;
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i];
    if (step !== undefined && step.from <= t && t < step.to) return i;
  }
  return -1;
}

/** placed draws a journey's token in its step i at t. */
export function placed(geometry: Geometry, journey: Journey, i: number, t: number): Token | undefined {
  const step = journey.steps[i];
  if (step === undefined) return undefined;
  const { x, y } =
    step.kind === "move" ? moving(geometry, journey, i, step, t) : seatOf(geometry, step.node, journey.seat);
  return {
    id: journey.id,
    kind: journey.kind,
    lane: journey.lane,
    x,
    y,
    shape: step.shape,
    tone: step.tone,
    halo: journey.own,
    label: journey.label,
    sub: i >= journey.told ? journey.outcome : journey.sub,
    item: journey.item,
    reconcile: journey.reconcile,
    write: journey.write,
    count: journey.count,
    minor: journey.minor,
    ...(step.kind === "move" ? { edge: step.edge } : { node: step.node }),
  };
}

/** changesAt is t while a token of this step moves, otherwise when it will next. */
export function changesAt(step: Step, t: number): number {
  return step.kind === "move" ? t : step.to;
}

/** The course of a move: from the seat at which its token has rested along the line to the seat at which it will rest. */
interface Course {
  readonly geometry: Geometry;
  readonly start: Point;
  /** The line's ends, in the direction of travel. */
  readonly first: Point;
  readonly last: Point;
  /** Undefined where the token does not come to rest. */
  readonly end: Point | undefined;
  /** The length of the way to the line, of the line, and of all. */
  readonly out: number;
  readonly line: number;
  readonly whole: number;
}

/**
 * A move's neighbours and its journey's seat stay what they are, and it is drawn many times; but journeys are kept much
 * longer than they are drawn, so that only so many courses are kept.
 */
const courses = new Map<Move, Course>();
const MOST_COURSES = 4000;

function courseOf(geometry: Geometry, journey: Journey, i: number, step: Move): Course {
  const known = courses.get(step);
  if (known?.geometry === geometry) return known;
  const [first, last] = [along(geometry, step, 0), along(geometry, step, 1)];
  const start = anchor(geometry, journey, journey.steps[i - 1], step, 0) ?? first;
  const end = anchor(geometry, journey, journey.steps[i + 1], step, 1);
  const out = legLength(start, first);
  const line = edgeLength(geometry, step.edge);
  const whole = out + line + (end === undefined ? 0 : legLength(last, end));
  const course = { geometry, start, first, last, end, out, line, whole };
  if (courses.size >= MOST_COURSES) courses.clear();
  courses.set(step, course);
  return course;
}

function along(geometry: Geometry, { edge, back }: Move, part: number): Point {
  return edgePath(geometry, edge, back ? 1 - part : part);
}

function moving(geometry: Geometry, journey: Journey, i: number, step: Move, t: number): Point {
  const { start, first, last, end, out, line, whole } = courseOf(geometry, journey, i, step);
  const way = travelled((t - step.from) / (step.to - step.from), end !== undefined) * whole;
  if (way < out) return alongLeg(start, first, way);
  if (way <= out + line || end === undefined) return along(geometry, step, (way - out) / line);
  return alongLeg(end, last, whole - way);
}

/** Where a move's neighbour on a track has the token: at its seat, or, when it goes through, in the middle. */
function anchor(
  geometry: Geometry,
  journey: Journey,
  neighbour: Step | undefined,
  step: Move,
  end: 0 | 1,
): Point | undefined {
  if (neighbour === undefined) return undefined;
  const [from, to] = step.edge.split("-") as [NodeId, NodeId];
  const node = neighbour.kind === "stay" ? neighbour.node : (end === 1) === step.back ? from : to;
  return TRACKS.has(node) ? seatOf(geometry, node, journey.seat) : undefined;
}

/** From a seat to the end of a line and back: along the track first, then straight to the line. */
function alongLeg(seat: Point, end: Point, way: number): Point {
  const along = Math.abs(end.x - seat.x);
  if (way < along) return between(seat, { x: end.x, y: seat.y }, way / along);
  const across = Math.abs(end.y - seat.y);
  return across === 0 ? end : between({ x: end.x, y: seat.y }, end, (way - along) / across);
}

function legLength(a: Point, b: Point): number {
  return Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
}
