/** A controller over time, in steps of equal length: what the charts draw and their table says. Pure. */
import type { Reconcile, Sample } from "../base/rows.gen.ts";
import { SECOND } from "../base/time.ts";
import { quantile } from "./histogram.ts";
import { failed, isCounted } from "./samples.ts";

export interface Point {
  readonly from: number;
  readonly to: number;
  /** Reconciles a second. */
  readonly rate: number;
  readonly reconciles: number;
  readonly errors: number;
  /** Times of a reconcile in µs, 0 when none was done. */
  readonly p50: number;
  readonly p99: number;
  /** These times are interpolated, as not every reconcile is here. */
  readonly rough: boolean;
  /** The deepest that the queue was seen. */
  readonly depth: number;
  readonly drops: number;
}

/**
 * series adds up samples (in order of time) in n steps of width µs, the last of which holds the moment to. Counts are
 * exact; times are where runs has every reconcile that was done in the step.
 */
export function series(
  samples: readonly Sample[],
  to: number,
  width: number,
  n: number,
  runs: readonly Reconcile[],
): readonly Point[] {
  const start = (Math.floor(to / width) + 1 - n) * width;
  const bins = Array.from({ length: n }, () => ({ samples: [] as Sample[], times: [] as number[] }));
  const binOf = (at: number): (typeof bins)[number] | undefined => bins[Math.floor((at - start) / width)];
  for (const sample of samples) binOf(sample.from)?.samples.push(sample);
  for (const run of runs) if (isCounted(run, Infinity)) binOf(run.to)?.times.push(run.to - run.start);
  return bins.map((bin, i) => pointOf(bin.samples, bin.times, start + i * width, width));
}

function pointOf(list: readonly Sample[], times: readonly number[], from: number, width: number): Point {
  const sum = (of: (sample: Sample) => number): number => list.reduce((n, sample) => n + of(sample), 0);
  const latency: number[] = [];
  for (const sample of list) for (const [i, n] of (sample.latency ?? []).entries()) latency[i] = (latency[i] ?? 0) + n;
  const counts = Array.from(latency, (n) => n ?? 0);
  const reconciles = sum((sample) => sample.reconciles);
  const { value: p50, rough } = quantile(counts, 0.5, times);
  return {
    from,
    to: from + width,
    rate: reconciles / (width / SECOND),
    reconciles,
    errors: sum(({ byResult }) => Object.entries(byResult).reduce((n, [word, k]) => n + (failed(word) ? k : 0), 0)),
    p50,
    p99: quantile(counts, 0.99, times).value,
    rough,
    depth: Math.max(0, ...list.map((sample) => sample.depth)),
    drops: sum((sample) => sample.drops ?? 0),
  };
}
