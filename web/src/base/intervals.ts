import { insertSorted, lowerBound, removeSorted } from "./sorted.ts";

/** Something that lasts from from up to, not including, to. to may be Infinity. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

const start = (item: Interval): number => item.from;

/**
 * Intervals that can be asked "which of you hold t". Short ones are sorted by their start and searched by
 * halving; the few that last longer than `long` are kept apart, so that they do not make every search long.
 */
export class Intervals<T extends Interval> {
  private readonly short: T[] = [];
  private readonly lasting: T[] = [];
  private readonly long: number;

  /** long is the length (in the intervals' unit) above which an interval is kept apart. */
  constructor(long: number) {
    this.long = long;
  }

  get size(): number {
    return this.short.length + this.lasting.length;
  }

  add(item: T): void {
    insertSorted(this.listOf(item), item, start);
  }

  /** Takes out this very item. Its from and to must be what they were when it was added. */
  remove(item: T): boolean {
    return removeSorted(this.listOf(item), item, start);
  }

  /** Calls visit for each interval that holds t, those that started first first within short and lasting. */
  at(t: number, visit: (item: T) => void): void {
    this.overlapping(t, t, visit);
  }

  /** Calls visit for each interval that holds some moment of [from, to]. */
  overlapping(from: number, to: number, visit: (item: T) => void): void {
    for (const item of this.lasting) {
      if (item.from > to) break;
      if (item.to > from) visit(item);
    }
    for (let i = lowerBound(this.short, from - this.long, start); i < this.short.length; i++) {
      const item = this.short[i];
      if (item === undefined || item.from > to) break;
      if (item.to > from) visit(item);
    }
  }

  /** The first start after t, Infinity when there is none. */
  nextStart(t: number): number {
    const after = (list: readonly T[]): number => list[lowerBound(list, t + 1, start)]?.from ?? Infinity;
    return Math.min(after(this.short), after(this.lasting));
  }

  private listOf(item: T): T[] {
    return item.to - item.from > this.long ? this.lasting : this.short;
  }
}
