/**
 * One item's passes and waits in display time. Passes follow each other: one sets out when the one before has come
 * to its end, at most LAG after it did in truth. To keep that, the one before yields (is hurried from the moment on
 * at which the next began). It leaves half of the time that is left to those that may follow, so that a few passes
 * close together are drawn one by one; when it would have to go faster than BRISK, those that have not set out yet
 * become one. An error or a back-off does not join
 * calm ones: it may lag longer, and what joins it then is drawn as an error too. What is decided at a time
 * never moves what was drawn before it, so a picture drawn live stays right when more becomes known.
 */
import type { Reconcile, Wait } from "../base/rows.gen.ts";
import { insertSorted, removeSorted } from "../base/sorted.ts";
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
interface Group {
  readonly passes: Reconcile[];
  readonly entries: Entry[];
  /** It holds an error or a back-off. */
  uneasy: boolean;
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

const byStart = (entry: Entry): number => entry.from;

/** The entries of one item of one lane, and what they look like. */
export class Track {
  private readonly entries: Entry[] = [];
  private readonly byKey = new Map<string, Entry>();
  private groups: Group[] = [];
  private dirtyFrom = Infinity;

  get empty(): boolean {
    return this.entries.length === 0;
  }

  put(entry: Entry): void {
    const before = this.byKey.get(entry.key);
    if (before !== undefined) this.take(before);
    insertSorted(this.entries, entry, byStart);
    this.byKey.set(entry.key, entry);
    this.dirtyFrom = Math.min(this.dirtyFrom, entry.from, before?.from ?? Infinity);
  }

  /** Forgets an entry. Those behind it stay where they are when it was the oldest: history is not drawn anew. */
  remove(key: string): Entry | undefined {
    const entry = this.byKey.get(key);
    if (entry === undefined) return undefined;
    if (this.entries[0] !== entry) this.dirtyFrom = Math.min(this.dirtyFrom, entry.from);
    this.take(entry);
    this.byKey.delete(key);
    return entry;
  }

  /** Lays out what has changed: calls gone for each journey that is no more and came for each that is new. */
  refresh(gone: (journey: Journey) => void, came: (journey: Journey) => void): void {
    this.forgetOldest(gone);
    if (this.dirtyFrom === Infinity) return;
    let keep = this.groups.length;
    while (keep > 0 && this.groups[keep - 1]?.entries.some((entry) => entry.from >= this.dirtyFrom)) keep--;
    // The two groups before are affected too: they yield to what comes after them, or take it in.
    keep = Math.max(0, keep - 2);
    for (const group of this.groups.splice(keep)) for (const journey of journeysOf(group)) gone(journey);
    const first = this.groups.at(-1);
    const from = first === undefined ? 0 : this.entries.lastIndexOf(last(first.entries)) + 1;
    const fixed = this.groups.length;
    for (let i = from; i < this.entries.length; i++) this.lay(this.entries[i]);
    const newest = this.groups.at(-1);
    if (newest !== undefined) finish(newest);
    for (const group of this.groups.slice(fixed)) for (const journey of journeysOf(group)) came(journey);
    this.dirtyFrom = Infinity;
  }

  /** The token's way of a pass. */
  journeyOf(key: string): Journey | undefined {
    const group = this.groups.find((g) => g.passes.some((pass) => pass.key === key));
    return group?.journeys.find((journey) => journey.kind === "pass");
  }

  private take(entry: Entry): void {
    removeSorted(this.entries, entry, byStart);
  }

  private forgetOldest(gone: (journey: Journey) => void): void {
    for (let group = this.groups[0]; group !== undefined; group = this.groups[0]) {
      if (group.entries.some((entry) => this.byKey.has(entry.key))) return;
      this.groups.shift();
      for (const journey of journeysOf(group)) gone(journey);
    }
  }

  private lay(entry: Entry | undefined): void {
    if (entry === undefined) return;
    if (entry.row === "wait") this.layWait(entry);
    else this.layPass(entry);
  }

  private layPass(pass: Reconcile): void {
    let before = this.groups.at(-1);
    if (before !== undefined && joins(before, pass)) {
      before = this.withErrors(before, pass);
      join(before, pass, gateOf(this.groups.at(-2)?.journeys));
      return;
    }
    if (before !== undefined) yieldTo(before, pass);
    const group = groupOf(pass, before);
    redo(group);
    this.groups.push(group);
  }

  /** An error that has no room of its own takes calm ones before it into the error that waits before them. */
  private withErrors(tail: Group, pass: Reconcile): Group {
    const errors = this.groups.at(-2);
    const apart = errors === undefined || !errors.uneasy || !errors.held || errors.leave <= pass.from;
    if (tail.uneasy || !isUneasy(pass) || apart) return tail;
    this.groups.pop();
    const gate = gateOf(this.groups.at(-2)?.journeys);
    for (const entry of tail.entries) if (entry.row === "reconcile") join(errors, entry, gate);
    errors.entries.push(...tail.entries.filter((entry) => entry.row === "wait"));
    return errors;
  }

  private layWait(wait: Wait): void {
    let group = this.groups.at(-1);
    if (group === undefined || (group.wait !== undefined && group.wait.to <= wait.from)) {
      group = alone(wait);
      this.groups.push(group);
    } else {
      group.entries.push(wait);
    }
    finish(group);
    const door = Math.max(wait.from, group.end === Infinity ? wait.from : group.end);
    group.wait = waitJourney(wait, group.passes.at(-1), door);
    settle(group);
  }
}

/** The events of rows that have been laid out already: a row never changes, and hot items are laid out often. */
const known = new WeakMap<Reconcile, Arrivals>();

function eventsOf(pass: Reconcile): Arrivals {
  const before = known.get(pass);
  if (before !== undefined) return before;
  const made = events(pass);
  known.set(pass, made);
  return made;
}

/**
 * Makes the group of a pass that can leave the queue when the one before has settled. Its slot is taken when the one
 * before is done at the earliest: a key that a worker has is not in the queue.
 */
function groupOf(pass: Reconcile, before: Group | undefined): Group {
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
function joins(group: Group, pass: Reconcile): boolean {
  const newest = group.passes.at(-1);
  if (newest === undefined || newest.to === 0 || group.leave <= pass.from) return false;
  if (!group.uneasy && !isUneasy(pass)) {
    return group.settled - pass.from > LAG && haste(group, pass.from).soonest > pass.from + LAG;
  }
  // A calm pass never becomes part of an error that came before it.
  return isUneasy(pass) && group.held && group.leave + SHOWN > pass.from + PATIENCE;
}

function join(group: Group, pass: Reconcile, gate: (at: number) => number): void {
  const wrote = Math.min(...group.passes.flatMap((other) => other.writes.map((write) => write.from)));
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
  group.events.push(...arrivals.journeys.filter((_, i) => (arrivals.happened[i] ?? 0) < wrote));
  if (leave < Infinity) group.settled += leave - group.leave;
  group.leave = leave;
  group.stale = true;
  group.yielded = false;
}

/** Lays out what has joined a group. Not at each joining: a hot item's group may have thousands. */
function finish(group: Group): void {
  if (group.stale) redo(group);
}

function redo(group: Group): void {
  group.stale = false;
  const passed = passJourneys(group.passes, group.slot, group.leave);
  group.journeys = [...passed.journeys];
  group.end = passed.end;
  group.worked = passed.settled;
  settle(group);
}

function settle(group: Group): void {
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
function yieldTo(group: Group, next: Reconcile): void {
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

function alone(wait: Wait): Group {
  return {
    passes: [],
    entries: [wait],
    uneasy: false,
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

function waitJourney(wait: Wait, pass: Reconcile | undefined, door: number): Journey {
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

function* journeysOf(group: Group): Iterable<Journey> {
  yield* group.events;
  yield* group.journeys;
  if (group.wait !== undefined) yield group.wait;
}

function last(entries: readonly Entry[]): Entry {
  return entries[entries.length - 1] as Entry;
}
