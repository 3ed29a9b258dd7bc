/** The marks below the line of time: which of them is pressed, and what one says. Pure. */
import type { Reconcile } from "../base/rows.gen.ts";
import { SECOND, clock, clockMs, duration } from "../base/time.ts";
import type { Bar } from "../model/density.ts";
import { outcome, plural } from "./words.ts";

/** A mark below the line of something that is worth a look: where it stands, in CSS pixels, and what it is of. */
export interface LineMark {
  readonly x: number;
  readonly y: number;
  /** An error; else a write that was refused, of a reconcile that is done. */
  readonly error: boolean;
  readonly of: Bar | Reconcile;
}

/** So far from its centre a mark is still hit, in CSS pixels. */
const reach = 12;

/** markAt is the mark that is nearest to a place, of those that are hit there. */
export function markAt(marks: readonly LineMark[], x: number, y: number): LineMark | undefined {
  let found: LineMark | undefined;
  for (const mark of marks) {
    const far = Math.abs(mark.x - x);
    if (far <= reach && Math.abs(mark.y - y) <= reach && far < Math.abs((found?.x ?? Infinity) - x)) found = mark;
  }
  return found;
}

/** markSaid tells a mark: what it is of, and when that was. called is the name of an item. */
export function markSaid({ of }: LineMark, zone: number, called: (item: string) => string): readonly [string, string] {
  if (!("count" in of)) return [`${called(of.item)}: ${outcome(of)}`, clockMs(of.start, zone)];
  const wide = of.to - of.from;
  const when = (wide < SECOND ? clockMs : clock)(of.from, zone);
  return [barSaid(of), `in ${duration(wide)} from ${when}`];
}

function barSaid({ count, errors }: Bar): string {
  if (errors === 0) return `${plural(count, "reconcile", "reconciles")}, some writes refused`;
  if (errors < count) return `${String(errors)} of ${String(count)} failed`;
  return count === 1 ? "1 failed" : `all ${String(count)} failed`;
}
