import { getOrInsert } from "./getorinsert.ts";
import { insertSorted, lowerBound, removeSorted } from "./sorted.ts";

/** Something that lasts from from up to, not including, to. to may be Infinity. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

const start = (item: Interval): number => item.from;
const itself = (n: number): number => n;

/** Those that start in one stretch of time, in order, and the latest end that one of them has had. */
interface Field<T> {
  readonly items: T[];
  to: number;
}

/** Into how many fields the length `long` is cut. */
const CUT = 16;

/**
 * Intervals that can be asked "which of you hold t". Short ones are kept in fields of time by their start, so that
 * adding and removing one stays cheap however many there are; the few that last longer than `long` are kept apart, so
 * that they do not make every search long.
 */
export class Intervals<T extends Interval> {
  private readonly fields = new Map<number, Field<T>>();
  /** The numbers of the fields that hold something, in order. */
  private readonly numbers: number[] = [];
  private readonly lasting: T[] = [];
  private readonly long: number;

  /** long is the length (in the intervals' unit) above which an interval is kept apart. */
  constructor(long: number) {
    this.long = long;
  }

  add(item: T): void {
    if (this.lasts(item)) return insertSorted(this.lasting, item, start);
    const number = this.numberOf(item.from);
    const field = getOrInsert(this.fields, number, () => {
      insertSorted(this.numbers, number, itself);
      return { items: [], to: item.to };
    });
    field.to = Math.max(field.to, item.to);
    insertSorted(field.items, item, start);
  }

  /** Takes out this very item. Its from and to must be what they were when it was added. */
  remove(item: T): boolean {
    if (this.lasts(item)) return removeSorted(this.lasting, item, start);
    const number = this.numberOf(item.from);
    const field = this.fields.get(number);
    if (field === undefined || !removeSorted(field.items, item, start)) return false;
    if (field.items.length > 0) return true;
    this.fields.delete(number);
    return removeSorted(this.numbers, number, itself);
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
    const last = this.numberOf(to);
    for (let i = lowerBound(this.numbers, this.numberOf(from - this.long), itself); i < this.numbers.length; i++) {
      const number = this.numbers[i] ?? Infinity;
      if (number > last) break;
      const field = this.fields.get(number);
      if (field === undefined || field.to <= from) continue;
      for (const item of field.items) if (item.to > from && item.from <= to) visit(item);
    }
  }

  /** The first start after t, Infinity when there is none. */
  nextStart(t: number): number {
    const after = (list: readonly T[]): number => list[lowerBound(list, t + 1, start)]?.from ?? Infinity;
    const next = after(this.lasting);
    for (let i = lowerBound(this.numbers, this.numberOf(t), itself); i < this.numbers.length; i++) {
      const found = after(this.fields.get(this.numbers[i] ?? NaN)?.items ?? []);
      if (found < Infinity) return Math.min(next, found);
    }
    return next;
  }

  private lasts(item: T): boolean {
    return item.to - item.from > this.long;
  }

  private numberOf(t: number): number {
    return Math.floor((t * CUT) / this.long);
  }
}
