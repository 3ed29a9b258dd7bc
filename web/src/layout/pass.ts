/** One pass's way along the line of work, from the queue's slot to done or to the waiting room. */
import { PHASES } from "../base/geometry.ts";
import type { EdgeId, NodeId } from "../base/geometry.ts";
import type { Phase, Reconcile } from "../base/rows.gen.ts";
import { hasRefused, readStale } from "../model/samples.ts";
import { FAILED, IN_FLIGHT, STALE, Way, lookOf } from "./steps.ts";
import type { Look } from "./steps.ts";
import { isStandIn } from "./stops.ts";
import type { Stop } from "./stops.ts";
import { STAY, TRAVEL } from "./timing.ts";
import type { Journey } from "./types.ts";
import { causesWord, nameOf, outcome } from "./words.ts";
import { writes } from "./writes.ts";

const LINE = ["queue", ...PHASES] as const satisfies readonly NodeId[];
/** The ways from each place of the line to the next. */
export const EDGES = [
  "queue-dequeue",
  "dequeue-fetch",
  "fetch-compute",
  "compute-apply",
  "apply-requeue",
] as const satisfies readonly EdgeId[];

/** What became of laying a pass out. */
export interface Passed {
  readonly journeys: readonly Journey[];
  /** When its token has come to its end; Infinity while it is open. */
  readonly end: number;
  /** When everything of it has settled: its token, and its writes that come back to the queue. */
  readonly settled: number;
}

/** isFailed says whether a token ends as an error. That of a pass that was lost goes no further than what was told. */
export function isFailed(pass: Reconcile): boolean {
  return lookOf(pass) === FAILED && pass.result !== "lost";
}

/** isUneasy says whether a pass is never drawn as one with calm ones: it failed, a write of it did, or it is tried again. */
export function isUneasy(pass: Reconcile): boolean {
  return isFailed(pass) || pass.failedWrites > 0 || pass.next.why === "backoff";
}

/** beginOf is when the item became ready, as far as it is known: a pass whose root is not told yet has no From. */
export function beginOf(pass: Reconcile): number {
  if (pass.from > 0) return pass.from;
  return pass.start > 0 ? pass.start : (pass.phases[0]?.from ?? 0);
}

/** takenAt is when a worker took the item, 0 while none has. */
export function takenAt(pass: Reconcile): number {
  if (pass.start > 0) return pass.start;
  const [first, second] = pass.phases;
  if (first?.name === "dequeue") return Math.max(first.to, second?.from ?? 0);
  return first?.from ?? pass.to;
}

/** parks says whether the item goes to the waiting room after this pass. */
export function parks(pass: Reconcile): boolean {
  const { why } = pass.next;
  return why === "backoff" || why === "requeue" || why === "requeue_after" || (why === "" && pass.result === "error");
}

/**
 * passJourneys lays out passes that are drawn as one, the newest of them last: in its slot from slot on, on its
 * way from leave on. leave is Infinity while it waits for a worker.
 */
export function passJourneys(passes: readonly Reconcile[], slot: number, leave: number): Passed {
  const pass = passes.at(-1);
  if (pass === undefined) return { journeys: [], end: leave, settled: leave };
  const failed = passes.some(isFailed);
  const way = new Way(slot);
  way.stay("queue", leave, IN_FLIGHT, { from: pass.from, to: pass.start });
  const journeys: Journey[] = [];
  let settled = -Infinity;
  if (leave < Infinity) settled = work(way, passes, failed, journeys);
  if (way.steps.length === 0) way.t = leave;
  journeys.unshift(tokenOf(pass, passes.length, failed, way, slot));
  return { journeys, end: way.t, settled: Math.max(settled, way.t) };
}

/** Goes through the phases; gives back when the last write that comes back is in the queue. */
function work(way: Way, passes: readonly Reconcile[], failed: boolean, journeys: Journey[]): number {
  const pass = shownOf(passes);
  const closed = pass.to > 0;
  let returned = -Infinity;
  let wrote = false;
  let at = 0;
  let look = IN_FLIGHT;
  const stops: readonly Stop[] = pass.phases;
  for (const [i, phase] of stops.entries()) {
    const to = LINE.findIndex((node) => node === phase.name);
    if (to < 1) continue;
    look = lookAt(pass, phase, failed, look);
    travel(way, at, to, look);
    at = to;
    const newest = i === stops.length - 1;
    let until = endOf(phase, closed, newest, way.t);
    if (phase.name === "apply" && !wrote) {
      wrote = true;
      const written = writes(passes, way.t);
      journeys.push(...written.journeys);
      until = Math.max(until, written.answered);
      returned = written.returned;
    }
    until = Math.max(until, (stops[i + 1]?.from ?? -Infinity) - TRAVEL);
    way.stay(nodeAt(to), until, look, { from: phase.from, to: phase.to, held: phase.held });
  }
  // Of a pass that was lost nobody knows how it ended: its token goes no further than what was told.
  if (closed && pass.result !== "lost") finish(way, pass, at, failed);
  return returned;
}

/** The newest pass, or of those that are done the newest with writes, so that what was written is seen. */
function shownOf(passes: readonly Reconcile[]): Reconcile {
  const newest = passes[passes.length - 1] as Reconcile;
  if (newest.to === 0 || newest.writes.length > 0) return newest;
  let shown = newest;
  for (const pass of passes) if (pass.writes.length > 0) shown = pass;
  return shown;
}

function lookAt(pass: Reconcile, phase: Phase, failed: boolean, before: Look): Look {
  if (phase.name === "requeue" && failed) return FAILED;
  if (phase.name === "requeue" && hasRefused(pass)) return lookOf(pass);
  if (phase.name === "fetch" && readStale(pass)) return STALE;
  return before === STALE ? IN_FLIGHT : before;
}

/** The newest phase of a pass that goes on is where its token is, until it is told what comes next. */
function endOf(phase: Phase, closed: boolean, newest: boolean, arrived: number): number {
  if (!closed && (newest || phase.to === 0)) return Infinity;
  return Math.max(arrived + STAY, phase.to);
}

/** Goes from one node of the line to another; back along the same edges when a phase comes round again. */
function travel(way: Way, from: number, to: number, look: Look): void {
  for (let i = from; i < to; i++) way.move(edgeAt(i), look);
  for (let i = from; i > to; i--) way.move(edgeAt(i - 1), look, true, TRAVEL / 2);
}

function finish(way: Way, pass: Reconcile, at: number, failed: boolean): void {
  const look = failed && parks(pass) ? FAILED : lookOf(pass);
  travel(way, at, LINE.length - 1, look === FAILED ? FAILED : IN_FLIGHT);
  if (way.t < pass.to) way.stay("requeue", pass.to, IN_FLIGHT);
  way.move(parks(pass) ? "requeue-waiting" : "requeue-done", look);
}

function tokenOf(pass: Reconcile, count: number, failed: boolean, way: Way, from: number): Journey {
  const look = failed ? FAILED : hasRefused(pass) ? lookOf(pass) : undefined;
  const told = way.steps.findIndex((step) => step.shape === look?.shape);
  return {
    id: pass.key,
    kind: "pass",
    lane: pass.controller,
    item: pass.item,
    reconcile: isStandIn(pass) ? "" : pass.key,
    write: "",
    count,
    label: nameOf(pass.item),
    sub: causesWord(pass),
    outcome: outcome(pass),
    told: told < 0 ? Infinity : told,
    single: failed || pass.failedWrites > 0,
    own: false,
    minor: false,
    ...behindOf(pass),
    seat: Math.max(0, pass.worker),
    steps: way.steps,
    from,
    to: way.t,
  };
}

function behindOf(pass: Reconcile): Pick<Journey, "behind"> {
  const by = pass.reads.map(({ stale, staleBy = 1 }) => (stale === "yes" ? Math.max(1, staleBy) : 0));
  const behind = Math.max(0, ...by);
  return behind > 0 ? { behind } : {};
}

function nodeAt(i: number): NodeId {
  return LINE[i] ?? "requeue";
}

function edgeAt(i: number): EdgeId {
  return EDGES[i] ?? "apply-requeue";
}
