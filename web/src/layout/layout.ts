import type { RowRef } from "../base/frames.ts";
import { getOrInsert } from "../base/getorinsert.ts";
import { Intervals } from "../base/intervals.ts";
import type { Hold, Reconcile, Row, Wait } from "../base/rows.gen.ts";
import { insertSorted, lowerBound, removeAllSorted, removeSorted, replaceSorted } from "../base/sorted.ts";
import { SECOND } from "../base/time.ts";
import { isHoldOf } from "../model/holds.ts";
import type { Change } from "../model/types.ts";
import type { Entry } from "./group.ts";
import { beginOf, takenAt } from "./pass.ts";
import { isStandIn, standIn, stopped } from "./stops.ts";
import { Track } from "./track.ts";
import type { Journey } from "./types.ts";

const LONG = 5 * SECOND;

/** One stay in the queue, in true time: for items that have no journey yet. */
export interface Ready {
  readonly from: number;
  readonly to: number;
  readonly wait: Wait;
}

/** One stay of a worker at a pause or breakpoint, in true time. */
export interface Holding {
  readonly from: number;
  readonly to: number;
  readonly hold: Hold;
}

interface LaneIndex {
  readonly journeys: Intervals<Journey>;
  readonly ready: Intervals<Ready>;
  readonly holds: Intervals<Holding>;
  /** The true beginnings of passes, in order: for rates. */
  readonly begun: Reconcile[];
}

const byStart = (pass: Reconcile): number => pass.from;

/**
 * Layout holds the journeys that rows make, ready to be asked for any time. It is a pure function of the rows it has
 * been given, in whatever portions: only the tracks of items that a change speaks of are laid out anew, from the
 * changed entry on.
 */
export class Layout {
  private index = new Map<string, LaneIndex>();
  private tracks = new Map<string, Track>();
  private trackOf = new Map<string, Track>();
  private passes = new Map<string, Reconcile>();
  /** The passes as they were told, without what their holds make of them. */
  private told = new Map<string, Reconcile>();
  /** Holds by the trace id of their pass, or by their lane and item where they have none: before the dequeue. */
  private stops = new Map<string, Hold[]>();
  private ready = new Map<string, Ready>();
  private holds = new Map<string, Holding>();
  private dirty = new Map<Track, LaneIndex>();

  /** Takes in what the model's apply gave back, for as many frames as there are, and lays it out. */
  apply(...changes: readonly Change[]): void {
    this.take(changes);
    this.settle(() => false);
  }

  /** Takes changes in. Items of which they speak are drawn as they were until settle has come to them. */
  take(changes: readonly Change[]): void {
    for (const change of changes) this.takeOne(change);
  }

  /**
   * Lays out the items that have changed, those that have waited longest first, until enough says so; answers whether
   * any are left. What is behind after a while out of sight is laid out once and not frame by frame.
   */
  settle(enough: () => boolean): boolean {
    for (const [track, lane] of this.dirty) {
      track.refresh(
        (journey) => lane.journeys.remove(journey),
        (journey) => lane.journeys.add(journey),
      );
      this.dirty.delete(track);
      if (enough()) break;
    }
    return this.dirty.size > 0;
  }

  private takeOne(change: Change): void {
    if (change.reset) this.clear();
    this.drop(change.removed);
    for (const row of change.upserted) this.put(row);
  }

  /** The names of the lanes that have a journey or an item in the queue, sorted. */
  lanes(): readonly string[] {
    return [...this.index.keys()].sort();
  }

  /** The way of a reconcile's token; passes that are drawn as one share theirs. undefined when it is not laid out. */
  journeyOf(reconcile: string): Journey | undefined {
    return this.trackOf.get(reconcile)?.journeyOf(reconcile);
  }

  /** Calls visit for each journey of a lane that is under way at the display time t. */
  at(lane: string, t: number, visit: (journey: Journey) => void): void {
    this.index.get(lane)?.journeys.at(t, visit);
  }

  /** Calls visit for each stay in the queue that holds the true time t. */
  readyAt(lane: string, t: number, visit: (ready: Ready) => void): void {
    this.index.get(lane)?.ready.at(t, visit);
  }

  /** Calls visit for each hold that holds the true time t. */
  heldAt(lane: string, t: number, visit: (holding: Holding) => void): void {
    this.index.get(lane)?.holds.at(t, visit);
  }

  /** How many passes of a lane began in [from, to), in truth. */
  begunIn(lane: string, from: number, to: number): number {
    const begun = this.index.get(lane)?.begun ?? [];
    return lowerBound(begun, to, byStart) - lowerBound(begun, from, byStart);
  }

  /** Calls visit for each pass of a lane that began in [from, to), in truth. */
  begun(lane: string, from: number, to: number, visit: (pass: Reconcile) => void): void {
    const begun = this.index.get(lane)?.begun ?? [];
    const end = lowerBound(begun, to, byStart);
    for (let i = lowerBound(begun, from, byStart); i < end; i++) visit(begun[i] as Reconcile);
  }

  /** The next display time after t at which a journey begins, Infinity when none is known. */
  nextStart(lane: string, t: number): number {
    const index = this.index.get(lane);
    return index === undefined ? Infinity : Math.min(index.journeys.nextStart(t), index.holds.nextStart(t));
  }

  private clear(): void {
    Object.assign(this, new Layout());
  }

  private put(row: Row): void {
    if (row.row === "wait" && row.state !== "delayed") {
      this.putReady(row);
      return;
    }
    if (row.row === "hold") this.putHold(row);
    else if (row.row === "reconcile") this.putPass(row);
    else if (row.row === "wait") this.putEntry(row);
  }

  private putPass(row: Reconcile): void {
    this.told.set(row.key, row);
    const holds = this.holdsOf(row);
    for (const hold of holds) if ((hold.reconcile ?? "") === "") this.remove(standIn(hold).key);
    const [from, start] = [beginOf(row), takenAt(row)];
    this.putEntry(stopped(from === row.from && start === row.start ? row : { ...row, from, start }, holds));
  }

  /** The holds of a pass, oldest first. */
  holdsOf(row: Reconcile): readonly Hold[] {
    if (this.stops.size === 0) return [];
    const known = [...(this.stops.get(row.key) ?? []), ...(this.stops.get(trackKey(row)) ?? [])];
    return known.filter((hold) => isHoldOf(hold, row)).sort((a, b) => a.from - b.from);
  }

  private putEntry(row: Entry): void {
    if (row.from <= 0) return;
    const lane = this.laneOf(row.controller);
    const key = trackKey(row);
    const track = getOrInsert(this.tracks, key, () => new Track());
    track.put(row);
    this.trackOf.set(row.key, track);
    this.dirty.set(track, lane);
    if (row.row === "reconcile" && !isStandIn(row)) this.putBegun(row, lane);
  }

  private putBegun(row: Reconcile, lane: LaneIndex): void {
    const before = this.passes.get(row.key);
    this.passes.set(row.key, row);
    // Most rows tell more of a pass that has begun: it stays where it is.
    if (before?.from === row.from && replaceSorted(lane.begun, before, row, byStart)) return;
    if (before !== undefined) removeSorted(lane.begun, before, byStart);
    insertSorted(lane.begun, row, byStart);
  }

  private putReady(wait: Wait): void {
    const lane = this.laneOf(wait.controller);
    this.dropReady(wait.key);
    const ready = { from: wait.from, to: wait.to === 0 ? Infinity : wait.to, wait };
    lane.ready.add(ready);
    this.ready.set(wait.key, ready);
  }

  private putHold(hold: Hold): void {
    this.dropHold(hold.key);
    const holding = { from: hold.from, to: hold.to === 0 ? Infinity : hold.to, hold };
    this.laneOf(hold.controller).holds.add(holding);
    this.holds.set(hold.key, holding);
    getOrInsert(this.stops, stopKey(hold), () => []).push(hold);
    this.stand(hold);
  }

  /** Draws the pass of a hold anew, or what stands for it as long as it is not told. */
  private stand(hold: Hold): void {
    const named = (hold.reconcile ?? "") !== "";
    const pass = named ? this.told.get(hold.reconcile ?? "") : this.passAtDoor(hold);
    if (pass !== undefined) this.putPass(pass);
    else if (!named && hold.phase === "dequeue" && (hold.item ?? "") !== "") this.putEntry(standIn(hold));
  }

  private passAtDoor(hold: Hold): Reconcile | undefined {
    const lane = this.index.get(hold.controller)?.begun ?? [];
    for (let i = lowerBound(lane, hold.from - SECOND, byStart); i < lane.length; i++) {
      const pass = this.told.get(lane[i]?.key ?? "");
      if (pass !== undefined && isHoldOf(hold, pass)) return pass;
    }
    return undefined;
  }

  private dropHold(key: string): void {
    const holding = this.holds.get(key);
    if (holding === undefined) return;
    const { hold } = holding;
    this.laneOf(hold.controller).holds.remove(holding);
    this.holds.delete(key);
    const left = (this.stops.get(stopKey(hold)) ?? []).filter((other) => other.key !== key);
    if (left.length > 0) this.stops.set(stopKey(hold), left);
    else this.stops.delete(stopKey(hold));
    this.remove(standIn(hold).key);
  }

  private dropReady(key: string): void {
    const ready = this.ready.get(key);
    if (ready === undefined) return;
    this.laneOf(ready.wait.controller).ready.remove(ready);
    this.ready.delete(key);
  }

  /** Forgets rows; the beginnings of all their passes at once. */
  private drop(refs: readonly RowRef[]): void {
    const begun = new Map<string, Reconcile[]>();
    for (const { row, key } of refs) {
      if (row === "hold") this.dropHold(key);
      if (row !== "reconcile" && row !== "wait") continue;
      const pass = this.passes.get(key);
      if (pass !== undefined) getOrInsert(begun, pass.controller, () => []).push(pass);
      this.remove(key);
    }
    for (const [lane, gone] of begun) removeAllSorted(this.laneOf(lane).begun, gone, byStart);
  }

  private remove(key: string): void {
    this.dropReady(key);
    const track = this.trackOf.get(key);
    if (track === undefined) return;
    const entry = track.remove(key);
    this.trackOf.delete(key);
    this.told.delete(key);
    this.passes.delete(key);
    if (entry === undefined) return;
    this.dirty.set(track, this.laneOf(entry.controller));
    if (track.empty) this.tracks.delete(trackKey(entry));
  }

  private laneOf(name: string): LaneIndex {
    return getOrInsert(this.index, name, () => ({
      journeys: new Intervals(LONG),
      ready: new Intervals(LONG),
      holds: new Intervals(LONG),
      begun: [],
    }));
  }
}

function trackKey({ controller, item }: Entry): string {
  return `${controller}\n${item}`;
}

function stopKey({ reconcile = "", controller, item = "" }: Hold): string {
  return reconcile === "" ? `${controller}\n${item}` : reconcile;
}

/** layout makes a Layout of rows: what the page draws of a recorded file, and what tests compare with. */
export function layout(rows: Iterable<Row>): Layout {
  const made = new Layout();
  made.apply({ reset: true, upserted: [...rows], removed: [] });
  return made;
}
