/** How much happened when, and what else is worth a look there: what the line of time shows. */
import type { Reconcile } from "../base/rows.gen.ts";
import { SECOND } from "../base/time.ts";
import type { Filter } from "./filter.ts";
import { failed, hasRefused } from "./samples.ts";
import type { Bin, Model, Span } from "./types.ts";

/** One bar: all that happened, and of that what the filter shows. */
export interface Bar extends Bin {
  readonly shown: number;
  readonly shownErrors: number;
  readonly shownRefused: number;
}

/**
 * density counts the reconciles that were done in each stretch of width µs of a span. Of whole seconds the samples tell
 * exactly, whatever has been left out; of shorter ones the reconciles that are here.
 */
export function density(model: Model, filter: Filter, { from, to }: Span, width: number): readonly Bar[] {
  const first = Math.floor(from / width) * width;
  const n = Math.max(1, Math.ceil((to - first) / width));
  const end = first + n * width;
  const inside = (rows: readonly Reconcile[]): readonly Bin[] => counted(rows, first, width, n);
  const all = width % SECOND === 0 ? model.timeline("", first, end, n) : inside(model.recent("", Infinity));
  const shown = filter.on ? inside(filter.recent(model, Infinity)) : all;
  return all.map((bin, i) => {
    const { count = 0, errors = 0, refused = 0 } = shown[i] ?? {};
    // A sample may be late by a moment: what is here has happened.
    return {
      ...bin,
      count: Math.max(bin.count, count),
      errors: Math.max(bin.errors, errors),
      refused: Math.max(bin.refused, refused),
      shown: count,
      shownErrors: errors,
      shownRefused: refused,
    };
  });
}

function counted(rows: readonly Reconcile[], first: number, width: number, n: number): readonly Bin[] {
  const bins = Array.from({ length: n }, (_, i) => ({
    from: first + i * width,
    to: first + (i + 1) * width,
    count: 0,
    errors: 0,
    refused: 0,
  }));
  for (const row of rows) {
    const bin = bins[Math.floor((row.to - first) / width)];
    if (bin === undefined) continue;
    bin.count++;
    if (failed(row.result)) bin.errors++;
    if (hasRefused(row)) bin.refused++;
  }
  return bins;
}

/** singly gives the reconciles that have a moment of a span when they are few enough to be drawn one by one. */
export function singly(model: Model, { from, to }: Span, most: number): readonly Reconcile[] {
  const there = model.recent("", Infinity).filter((row) => row.from <= to && (row.to === 0 || row.to >= from));
  return there.length > most ? [] : there;
}

/** union joins stretches that overlap; what is open (to 0) lasts until end. */
export function union(spans: readonly Span[], end: number): readonly Span[] {
  const out: { from: number; to: number }[] = [];
  for (const { from, to: given } of [...spans].sort((a, b) => a.from - b.from)) {
    const to = given === 0 ? end : given;
    const last = out.at(-1);
    if (last === undefined || from > last.to) out.push({ from, to });
    else last.to = Math.max(last.to, to);
  }
  return out;
}
