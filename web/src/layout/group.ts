/** What is drawn together of one item: passes as one token, what set them off and wrote, and the wait that follows. */
import { getOrInsert } from "../base/getorinsert.ts";
import type { Reconcile, Wait } from "../base/rows.gen.ts";
import { bounded, events } from "./events.ts";
import type { Arrivals } from "./events.ts";
import { gateOf } from "./gate.ts";
import { isFailed, isUneasy, parks, passJourneys } from "./pass.ts";
import { FAILED, WAITING, Way, retimed, squeezing } from "./steps.ts";
import { BRISK, HURRIED, LAG, PATIENCE, SHOWN, STAY, TRAVEL } from "./timing.ts";
import type { Journey } from "./types.ts";
import { nameOf, word } from "./words.ts";

/** A pass or a stay in the waiting room; the latter only of state delayed. */
export type Entry = Reconcile | Wait;

/** Entries that are drawn together: passes as one token, and the wait that follows them. */
export interface Group {
  readonly passes: Reconcile[];
  readonly entries: Entry[];
  /** It holds an error or a back-off. */
  uneasy: boolean;
  /** When the first write of its passes was sent, Infinity when none was. */
  wrote: number;
  /** More has joined than is laid out; settled is an estimate until finish. */
  stale: boolean;
  slot: number;
  leave: number;
  /** It is ready to leave the queue but for the group before it, which is still under way. */
  readonly held: boolean;
  /** When the group before it has settled: what is drawn until then is not hurried for its sake. */
  readonly free: number;
  /** It has yielded to the group after it: what is left of it is settled. */
  yielded: boolean;
  /** When its work has settled, and when its wait has too. */
  worked: number;
  settled: number;
  /** When the token is at its end or at the waiting room's door. */
  end: number;
  events: Journey[];
  journeys: Journey[];
  wait: Journey | undefined;
}

/** The events of rows that have been laid out already: a row never changes, and hot items are laid out often. */
const known = new WeakMap<Reconcile, Arrivals>();

function eventsOf(pass: Reconcile): Arrivals {
  return getOrInsert(known, pass, () => events(pass));
}

/**
 * Makes the group of a pass that can leave the queue when the one before has settled. Its slot is taken when the one
 * before is done at the earliest: a key that a worker has is not in the queue.
 */
export function groupOf(pass: Reconcile, before: Group | undefined): Group {
  const free = before?.settled ?? -Infinity;
  const gate = gateOf(before?.journeys);
  const natural = bounded(eventsOf(pass), { gate, taken: Infinity, deadline: Infinity });
  const ready = Math.max(pass.start, Math.min(natural.last + STAY, pass.start + LAG));
  const least = pass.start === 0 ? Infinity : Math.max(ready, free + STAY);
  const taken = pass.start === 0 ? Infinity : pass.start;
  const arrivals = bounded(eventsOf(pass), { gate, taken, deadline: least - STAY });
  const leave = Math.max(least, arrivals.last + STAY);
  return {
    passes: [pass],
    entries: [pass],
    uneasy: isUneasy(pass),
    wrote: firstWrite(pass),
    stale: false,
    slot: Math.min(
      leave,
      Math.max(pass.from, before?.end ?? free, arrivals.journeys.length > 0 ? arrivals.first : free),
    ),
    leave,
    held: leave > ready,
    free,
    yielded: false,
    worked: 0,
    settled: 0,
    end: 0,
    events: [...arrivals.journeys],
    journeys: [],
    wait: undefined,
  };
}

/**
 * Waiting for the one before it would take too long, and that one waits itself: they are drawn as one. An error is
 * drawn alone as long as there is time to see it.
 */
export function joins(group: Group, pass: Reconcile): boolean {
  const newest = group.passes.at(-1);
  if (newest === undefined || newest.to === 0 || group.leave <= pass.from) return false;
  if (!group.uneasy && !isUneasy(pass)) {
    return group.settled - pass.from > LAG && haste(group, pass.from).soonest > pass.from + LAG;
  }
  // A calm pass never becomes part of an error that came before it.
  return isUneasy(pass) && group.held && group.leave + SHOWN > pass.from + PATIENCE;
}

export function join(group: Group, pass: Reconcile, gate: (at: number) => number): void {
  group.passes.push(pass);
  group.entries.push(pass);
  group.uneasy ||= isUneasy(pass);
  // It waits for the newest cause to arrive, as long as its first pass does not lag too much for that.
  const latest = (group.passes[0]?.from ?? pass.from) + LAG;
  const taken = pass.start === 0 ? Infinity : pass.start;
  const natural = bounded(eventsOf(pass), { gate, taken: Infinity, deadline: Infinity });
  const leave = Math.max(group.leave, taken, Math.min(natural.last + STAY, latest));
  const arrivals = bounded(eventsOf(pass), { gate, taken, deadline: leave - STAY });
  // What a write of the group itself set off cannot come before it: the one token stands for it.
  group.events.push(...arrivals.journeys.filter((_, i) => (arrivals.happened[i] ?? 0) < group.wrote));
  group.wrote = Math.min(group.wrote, firstWrite(pass));
  if (leave < Infinity) group.settled += leave - group.leave;
  group.leave = leave;
  group.stale = true;
  group.yielded = false;
}

function firstWrite({ writes }: Reconcile): number {
  return writes.reduce((first, { from }) => Math.min(first, from), Infinity);
}

/** Lays out what has joined a group. Not at each joining: a hot item's group may have thousands. */
export function finish(group: Group): void {
  if (group.stale) redo(group);
}

export function redo(group: Group): void {
  group.stale = false;
  const passed = passJourneys(group.passes, group.slot, group.leave);
  group.journeys = [...passed.journeys];
  group.end = passed.end;
  group.worked = passed.settled;
  settle(group);
}

export function settle(group: Group): void {
  const wait = group.wait?.to ?? Infinity;
  group.settled = wait === Infinity ? group.worked : Math.max(group.worked, wait);
}

/** How soon a group can have settled that hurries when the next pass begins. */
interface Haste {
  /** From here on it hurries: what the group before is still drawn by would be overtaken. */
  readonly start: number;
  /** When its last event is in the queue, unhurried. */
  readonly came: number;
  readonly soonest: number;
}

function haste({ free, settled, events: own }: Group, begin: number): Haste {
  const start = Math.max(begin, free);
  const came = Math.min(
    settled,
    own.reduce((last, { to }) => Math.max(last, to), start),
  );
  return { start, came, soonest: start + Math.min(came - start, HURRIED) + (settled - came) / BRISK };
}

/**
 * Hurries what is left of group when the next pass begins: it takes half of what is left of LAG, or more when that is
 * too fast to be seen; an error has a moment of its own.
 */
export function yieldTo(group: Group, next: Reconcile): void {
  if (group.yielded) return;
  group.yielded = true;
  finish(group);
  const begin = next.from;
  if (group.end === Infinity) close(group, begin);
  const { start, came, soonest } = haste(group, begin);
  const alone = group.uneasy || isUneasy(next);
  const seen = alone && group.leave < Infinity ? Math.max(start, group.leave) + SHOWN : start + STAY;
  const to = Math.max(Math.min(soonest, begin + LAG), (start + begin + LAG) / 2, seen);
  if (group.settled <= to) return;
  const even = squeezing(start, group.settled, to);
  const arrive = Math.min(Math.max(even(came), start + Math.min(came - start, HURRIED)), to);
  const before = squeezing(start, came, arrive);
  const after = squeezing(came, group.settled, came + to - arrive);
  hurry(group, (t) => (t <= came ? before(t) : after(t) + arrive - came));
  group.end = Math.min(group.end, to);
  group.worked = Math.min(group.worked, to);
  group.settled = to;
}

function hurry(group: Group, map: (t: number) => number): void {
  const hurried = (journey: Journey): Journey => {
    const steps = retimed(journey.steps, map);
    return { ...journey, steps, from: steps[0]?.from ?? journey.from, to: steps.at(-1)?.to ?? journey.to };
  };
  group.events = group.events.map(hurried);
  group.journeys = group.journeys.map(hurried);
  if (group.wait !== undefined) group.wait = hurried(group.wait);
  group.leave = map(group.leave);
}

/** A pass whose end never came is over when the item's next one begins. */
function close(group: Group, begin: number): void {
  const cut = (journey: Journey): Journey => {
    if (journey.to < Infinity) return journey;
    const steps = journey.steps.map((step) =>
      step.to === Infinity ? { ...step, to: Math.max(step.from, begin) } : step,
    );
    return { ...journey, steps, to: steps.at(-1)?.to ?? begin };
  };
  group.journeys = group.journeys.map(cut);
  group.end = group.journeys.reduce((end, journey) => Math.max(end, journey.to), begin);
  group.worked = group.end;
  settle(group);
}

export function alone(wait: Wait): Group {
  return {
    passes: [],
    entries: [wait],
    uneasy: false,
    wrote: Infinity,
    stale: false,
    slot: wait.from,
    leave: wait.from,
    held: false,
    free: -Infinity,
    yielded: false,
    worked: wait.from,
    settled: wait.from,
    end: wait.from,
    events: [],
    journeys: [],
    wait: undefined,
  };
}

export function waitJourney(wait: Wait, pass: Reconcile | undefined, door: number): Journey {
  const look = pass !== undefined && isFailed(pass) && parks(pass) ? FAILED : WAITING;
  const way = new Way(door);
  const leave = wait.to === 0 ? Infinity : Math.max(door + STAY, wait.to);
  way.stay("waiting", leave, look, { from: wait.from, to: wait.to, until: wait.until ?? 0 });
  way.move("waiting-queue", WAITING, false, TRAVEL);
  return {
    id: wait.key,
    kind: "wait",
    lane: wait.controller,
    item: wait.item,
    reconcile: pass?.key ?? "",
    write: "",
    count: 1,
    label: nameOf(wait.item),
    sub: word(wait.why ?? ""),
    outcome: "",
    told: Infinity,
    single: false,
    own: false,
    minor: false,
    seat: wait.requeues ?? 0,
    steps: way.steps,
    from: door,
    to: way.t,
  };
}

export function journeysOf(groups: readonly Group[]): Journey[] {
  return groups.flatMap(({ events, journeys, wait }) => [
    ...events,
    ...journeys,
    ...(wait === undefined ? [] : [wait]),
  ]);
}

/** copyOf is a group as it is now, whatever joins it later. */
export function copyOf(group: Group): Group {
  return { ...group, passes: [...group.passes], entries: [...group.entries], events: [...group.events] };
}
