/** The ways into the queue: what others do, lists and resyncs, and own events whose write is unknown. */
import { getOrInsert } from "../base/getorinsert.ts";
import type { Cause, Reconcile } from "../base/rows.gen.ts";
import { OWN, IN_FLIGHT, Way, moved, squeeze } from "./steps.ts";
import { AT_ONCE, HURRIED, SINGLES, STAGGER, STAY } from "./timing.ts";
import type { Journey } from "./types.ts";
import { causeWord, nameOf } from "./words.ts";

/** Causes that are drawn as one token. */
interface Train {
  readonly cause: Cause;
  count: number;
}

/** The event journeys of a pass, and when the first and the last of them have reached the queue. */
export interface Arrivals {
  readonly journeys: readonly Journey[];
  /** When each of them happened, in truth. */
  readonly happened: readonly number[];
  readonly first: number;
  readonly last: number;
}

/** What holds events back: gate gives the display time before which an event of a true time may not set out. */
export interface Bounds {
  readonly gate: (at: number) => number;
  /** In truth a worker has the item from here on: what was drawn before is settled. */
  readonly taken: number;
  /** By then all should be in the queue. */
  readonly deadline: number;
}

/** events lays out the causes of a pass, each from its own true time on, in their order. */
export function events(pass: Reconcile): Arrivals {
  const journeys: Journey[] = [];
  const happened: number[] = [];
  let free = -Infinity;
  for (const [i, train] of trains(pass).entries()) {
    const at = Math.max(train.cause.at, free);
    free = at + STAGGER;
    journeys.push(eventJourney(pass, train, i, at));
    happened.push(train.cause.at);
  }
  return arrivals(journeys, happened);
}

/**
 * bounded holds events back until what was truly before them has been drawn: an event of an object never sets out
 * before the write that made it has reached the API server. What is late by that hurries to meet the deadline.
 */
export function bounded(given: Arrivals, { gate, taken, deadline }: Bounds): Arrivals {
  let free = -Infinity;
  let same = true;
  const journeys = given.journeys.map((journey, i) => {
    const opens = gate(given.happened[i] ?? 0);
    const length = journey.to - journey.from;
    const hurried = Math.max(journey.from, opens, Math.min(free, deadline - length));
    free = hurried + STAGGER;
    const made = inTime(moved(journey, hurried), taken, deadline);
    same &&= made === journey;
    return made;
  });
  return same ? given : arrivals(journeys, given.happened);
}

/** What is left of a way from taken on is hurried so that it ends at the deadline, or as soon as can be seen. */
function inTime(journey: Journey, taken: number, deadline: number): Journey {
  const start = Math.max(journey.from, taken);
  const to = Math.max(deadline, start + HURRIED);
  if (journey.to <= to) return journey;
  return { ...journey, steps: squeeze(journey.steps, start, journey.to, to), to };
}

function arrivals(journeys: readonly Journey[], happened: readonly number[]): Arrivals {
  const first = journeys.reduce((least, journey) => Math.min(least, journey.to), Infinity);
  const last = journeys.reduce((most, journey) => Math.max(most, journey.to), -Infinity);
  return { journeys, happened, first, last };
}

/** Timers come from the waiting room, and a known own write is a token already: its write's. */
function travels(cause: Cause): boolean {
  const timer = cause.what === "backoff" || cause.what === "requeue_after";
  return !timer && !(cause.by === "self" && cause.write !== undefined);
}

function trains(pass: Reconcile): Train[] {
  const list: Train[] = [];
  for (const cause of pass.causes.filter(travels)) {
    const train = list.find((other) => together(pass, other.cause, cause));
    if (train === undefined) list.push({ cause, count: 1 });
    else train.count++;
  }
  return list.length <= SINGLES ? list : byWord(pass, list);
}

/** More trains than are told apart: those of one word are one. */
function byWord(pass: Reconcile, list: readonly Train[]): Train[] {
  const words = new Map<string, Train>();
  for (const train of list) {
    const like = getOrInsert(words, causeWord(train.cause), () => train);
    if (like !== train) like.count += train.count;
  }
  addUnlisted(pass, [...words.values()]);
  return [...words.values()].slice(0, SINGLES);
}

/** Events of dependents of one kind that come at once are one token; the item's own are always told apart. */
function together(pass: Reconcile, a: Cause, b: Cause): boolean {
  const alike = a.by === b.by && a.kind === b.kind && causeWord(a) === causeWord(b);
  return alike && isDependent(pass, a) && isDependent(pass, b) && Math.abs(a.at - b.at) <= AT_ONCE;
}

function isDependent(pass: Reconcile, cause: Cause): boolean {
  return (cause.kind ?? "") !== "" && cause.kind !== pass.object.kind;
}

/** Causes that are counted but not listed belong to the longest train. */
function addUnlisted(pass: Reconcile, all: readonly Train[]): void {
  const [longest] = [...all].sort((a, b) => b.count - a.count);
  const counted = Object.values(pass.causeCounts).reduce((sum, n) => sum + n, 0);
  if (longest !== undefined) longest.count += Math.max(0, counted - pass.causes.length);
}

function eventJourney(pass: Reconcile, { cause, count }: Train, i: number, at: number): Journey {
  const way = new Way(at);
  const look = cause.by === "self" ? OWN : IN_FLIGHT;
  const origin = originOf(cause);
  if (origin === "outside") way.move("outside-api", look).stay("api", way.t + STAY, look);
  if (origin !== "cache") way.move("api-cache", look).stay("cache", way.t + STAY, look);
  way.move("cache-queue", look);
  return {
    id: `${pass.key}/cause/${String(i)}`,
    kind: "event",
    lane: pass.controller,
    item: pass.item,
    reconcile: pass.key,
    write: "",
    count,
    label: count > 1 && isDependent(pass, cause) ? (cause.kind ?? "") : (cause.name ?? nameOf(pass.item)),
    sub: causeWord(cause),
    outcome: "",
    told: Infinity,
    single: false,
    own: cause.by === "self",
    minor: cause.by !== "self" && isDependent(pass, cause),
    seat: i,
    steps: way.steps,
    from: at,
    to: way.t,
  };
}

/** originOf says where the token of a cause comes into sight. */
export function originOf(cause: Cause): "outside" | "api" | "cache" {
  switch (cause.what) {
    case "initial_list":
    case "resync":
    case "relist":
    case "manual":
    case "generic":
      return "cache";
    default:
      return cause.by === "self" ? "api" : "outside";
  }
}
