import type { Reconcile, Sample } from "../base/rows.gen.ts";
import { insertSorted, lowerBound, removeSorted } from "../base/sorted.ts";
import { SECOND } from "../base/time.ts";
import type { Bin } from "./types.ts";

const KEPT = 4 * 3600;
const WINDOW = 10;
/** As in the hub: whatever else a result is, "lost" too, is a failure. "" is one that still runs. */
const FINE = new Set(["", "success", "requeue", "requeue_after"]);

const byStart = (sample: Sample): number => sample.from;

/** failed says whether a result counts as an error. */
export function failed(result: string): boolean {
  return !FINE.has(result);
}

/** hasRefused says that a reconcile is done and counts as no error, though a write of it was refused. */
export function hasRefused({ to, result, failedWrites }: Reconcile): boolean {
  return to > 0 && failedWrites > 0 && !failed(result);
}

/** readStale says that something which a reconcile read is proven to have been old. */
export function readStale({ reads }: Reconcile): boolean {
  return reads.some(({ stale }) => stale === "yes");
}

/** isCounted says that a reconcile was done by t, and is in the samples and totals: one that was lost is not. */
export function isCounted({ to, result }: Reconcile, t: number): boolean {
  return to > 0 && to <= t && result !== "lost";
}

/** The seconds of one controller, in order; the newest four hours are kept. */
export class Samples {
  private readonly list: Sample[] = [];

  /** Adds sample in the place of before, its older state. */
  put(sample: Sample, before: Sample | undefined): void {
    if (before !== undefined) this.remove(before);
    insertSorted(this.list, sample, byStart);
    if (this.list.length > KEPT) this.list.shift();
  }

  remove(sample: Sample): void {
    removeSorted(this.list, sample, byStart);
  }

  /** Samples that start in [from, to). */
  between(from: number, to: number): readonly Sample[] {
    return this.list.slice(lowerBound(this.list, from, byStart), lowerBound(this.list, to, byStart));
  }

  /** Reconciles a second over the ten seconds before now. */
  rate(now: number): number {
    const recent = this.between(now - WINDOW * SECOND, now);
    return recent.reduce((sum, sample) => sum + sample.reconciles, 0) / WINDOW;
  }
}

/** addToBins counts samples into bins of equal width that start at from. */
export function addToBins(bins: Bin[], samples: readonly Sample[], from: number, width: number): void {
  for (const sample of samples) {
    const i = Math.floor((sample.from - from) / width);
    const bin = bins[i];
    if (bin === undefined) continue;
    let errors = 0;
    for (const [result, n] of Object.entries(sample.byResult)) if (failed(result)) errors += n;
    const refused = bin.refused + sample.failedWrites;
    bins[i] = { ...bin, count: bin.count + sample.reconciles, errors: bin.errors + errors, refused };
  }
}
