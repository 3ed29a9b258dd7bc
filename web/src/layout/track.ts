/**
 * One item's passes and waits in display time. Passes follow each other: one sets out when the one before has come
 * to its end, at most LAG after it did in truth. To keep that, the one before yields (is hurried from the moment on
 * at which the next began). It leaves half of the time that is left to those that may follow, so that a few passes
 * close together are drawn one by one; when it would have to go faster than BRISK, those that have not set out yet
 * become one. An error or a back-off does not join calm ones: it may lag longer, and what joins it then is drawn as
 * an error too. What is decided at a time never moves what was drawn before it, so a picture drawn live stays right
 * when more becomes known.
 */
import type { Reconcile, Wait } from "../base/rows.gen.ts";
import { insertSorted, removeSorted } from "../base/sorted.ts";
import { gateOf } from "./gate.ts";
import {
  alone,
  copyOf,
  finish,
  groupOf,
  join,
  joins,
  journeysOf,
  redo,
  settle,
  waitJourney,
  yieldTo,
} from "./group.ts";
import type { Entry, Group } from "./group.ts";
import { isUneasy } from "./pass.ts";
import type { Journey } from "./types.ts";

const byStart = (entry: Entry): number => entry.from;

/** What the next entry can change: the newest group, and the one before it, which may take the newest in. */
const OPEN = 2;

/** How far all was laid out before the newest entry. Most news is of that one, or comes after it. */
interface Mark {
  /** The entry laid out last. */
  readonly last: Entry;
  /** The newest of the groups that stay what they are. */
  readonly fixed: Group | undefined;
  /** What the groups after it were. */
  readonly open: readonly Group[];
}

/** What was taken back to be laid out anew. */
interface Rewound {
  readonly groups: readonly Group[];
  /** How many groups have stayed, and the first entry that is in none of them. */
  readonly kept: number;
  readonly from: number;
}

/** The entries of one item of one lane, and what they look like. */
export class Track {
  private readonly entries: Entry[] = [];
  private readonly byKey = new Map<string, Entry>();
  private groups: Group[] = [];
  private dirtyFrom = Infinity;
  private mark: Mark | undefined;

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
    if (this.mark?.last === entry) this.mark = undefined;
    this.take(entry);
    this.byKey.delete(key);
    return entry;
  }

  /** Lays out what has changed: calls gone for each journey that is no more and came for each that is new. */
  refresh(gone: (journey: Journey) => void, came: (journey: Journey) => void): void {
    this.forgetOldest(gone);
    if (this.dirtyFrom === Infinity) return;
    const before = this.rewind();
    for (let i = before.from; i < this.entries.length; i++) {
      if (i === this.entries.length - 1) this.mark = this.markAt(i);
      this.lay(this.entries[i]);
    }
    const newest = this.groups.at(-1);
    if (newest !== undefined) finish(newest);
    exchange(journeysOf(before.groups), journeysOf(this.groups.slice(before.kept)), gone, came);
    this.dirtyFrom = Infinity;
  }

  /** The token's way of a pass. */
  journeyOf(key: string): Journey | undefined {
    const group = this.groups.find((g) => g.passes.some((pass) => pass.key === key));
    return group?.journeys.find((journey) => journey.kind === "pass");
  }

  /** Takes back what a change may reach: to the mark, or where the change goes further back, to whole groups before it. */
  private rewind(): Rewound {
    const { mark, entries } = this;
    if (mark !== undefined && mark.last.from < this.dirtyFrom) {
      const kept = mark.fixed === undefined ? 0 : this.groups.lastIndexOf(mark.fixed) + 1;
      const open = mark.open.filter((group) => this.holds(group)).map(copyOf);
      return { groups: this.groups.splice(kept, Infinity, ...open), kept, from: entries.lastIndexOf(mark.last) + 1 };
    }
    this.mark = undefined;
    let kept = this.groups.length;
    while (kept > 0 && this.groups[kept - 1]?.entries.some((entry) => entry.from >= this.dirtyFrom)) kept--;
    kept = Math.max(0, kept - OPEN);
    const groups = this.groups.splice(kept);
    const last = this.groups.at(-1)?.entries.at(-1);
    return { groups, kept, from: last === undefined ? 0 : entries.lastIndexOf(last) + 1 };
  }

  /** Remembers what is laid out before entry i. */
  private markAt(i: number): Mark | undefined {
    const last = this.entries[i - 1];
    if (last === undefined) return undefined;
    return { last, fixed: this.groups.at(-1 - OPEN), open: this.groups.slice(-OPEN).map(copyOf) };
  }

  /** Whether anything of a group is not forgotten. */
  private holds(group: Group): boolean {
    return group.entries.some((entry) => this.byKey.has(entry.key));
  }

  private take(entry: Entry): void {
    removeSorted(this.entries, entry, byStart);
  }

  private forgetOldest(gone: (journey: Journey) => void): void {
    for (let group = this.groups[0]; group !== undefined; group = this.groups[0]) {
      if (this.holds(group)) return;
      this.groups.shift();
      journeysOf([group]).forEach(gone);
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

/** Journeys that stay what they were are neither gone nor new. */
function exchange(
  before: readonly Journey[],
  after: readonly Journey[],
  gone: (journey: Journey) => void,
  came: (journey: Journey) => void,
): void {
  const left = new Set(after);
  for (const journey of before) if (!left.delete(journey)) gone(journey);
  left.forEach(came);
}
