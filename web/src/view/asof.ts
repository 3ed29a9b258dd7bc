/** What a lane's head says, also of an earlier moment: the exact counts of now, less what was done since. */
import type { Controller } from "../base/rows.gen.ts";
import { SECOND, clock } from "../base/time.ts";
import { quantile } from "../model/histogram.ts";
import { failed, isCounted } from "../model/samples.ts";
import type { Lane, Model } from "../model/types.ts";
import { plural, span } from "./words.ts";

export interface Counts {
  readonly reconciles: number;
  readonly errors: number;
  /** How long they took, as in a sample. */
  readonly latency: readonly number[];
}

/**
 * countsAt are the counts of now, or of the moment t (µs). Whole seconds after it are taken off by their samples, which
 * are exact whatever else was left out; the rest of t's own second by the reconciles that were done in it.
 */
export function countsAt(model: Model, { name, controller }: Lane, t?: number): Counts {
  let { reconciles, errors } = controller;
  const latency = [...(controller.latency ?? [])];
  if (t === undefined) return { reconciles, errors, latency };
  const whole = Math.ceil(t / SECOND) * SECOND;
  for (const sample of model.samples(name, whole, Infinity)) {
    reconciles -= sample.reconciles;
    for (const [result, n] of Object.entries(sample.byResult)) if (failed(result)) errors -= n;
    for (const [i, n] of (sample.latency ?? []).entries()) latency[i] = Math.max(0, (latency[i] ?? 0) - n);
  }
  for (const run of model.recent(name, looked)) {
    if (run.to <= t || !isCounted(run, whole - 1)) continue;
    reconciles--;
    if (failed(run.result)) errors--;
    const i = Math.max(0, Math.floor(Math.log2(Math.max(1, run.to - run.start))));
    latency[i] = Math.max(0, (latency[i] ?? 0) - 1);
  }
  const left = Math.max(0, reconciles);
  return { reconciles: left, errors: Math.min(left, Math.max(0, errors)), latency };
}

/** p50Said is the median of Start to To: exact while every reconcile counted is here and they are few, else with ~. */
export function p50Said(model: Model, lane: string, { latency }: Counts, t = Infinity): string {
  const runs = model.until(lane, "", t, few).filter((run) => isCounted(run, t));
  const times = runs.map(({ start, to }) => to - start);
  const { value, rough } = quantile(latency, 0.5, times);
  return value === 0 ? "–" : `${rough ? "~" : ""}${span(value)}`;
}

/** Of so many reconciles the median is exact. */
const few = 2000;

/** How many reconciles are looked through for those of one second, or of one version. */
const looked = 20_000;

/** Of so many reconciles the versions are compared. */
const compared = 40;

/** newestVersion is the newest resourceVersion that a lane had written or heard of at t, 0 when none is known. */
export function newestVersion(model: Model, lane: string, t: number): number {
  const newest = model.recent(lane, compared);
  const live = (newest[0]?.start ?? 0) <= t;
  const begun = live ? newest : model.recent(lane, looked).filter((run) => run.start <= t);
  let version = 0;
  for (const { writes, causes } of begun.slice(0, compared)) {
    for (const { to, after } of writes) if (to > 0 && to <= t) version = Math.max(version, Number(after ?? 0) || 0);
    for (const { at, resourceVersion } of causes)
      if (at <= t) version = Math.max(version, Number(resourceVersion ?? 0) || 0);
  }
  return version;
}

/** aboutSaid says what a controller works on and how it stands with it: "not connected since 10:41:07 · PodSet · 2 workers". */
export function aboutSaid(controller: Controller, zone: number): string {
  const { kind = "", workers, lease, connected, heard, watchError = "", dropped = 0 } = controller;
  const parts = [kind, workers > 0 ? plural(workers, "worker", "workers") : ""];
  if (lease === "waiting") parts.push("waiting for the lease");
  // First, for the end is cut where there is no room.
  if (!connected) parts.unshift(heard > 0 ? `not connected since ${clock(heard, zone)}` : "not connected");
  if (watchError !== "") parts.push(`cannot watch ${watchError}`);
  if (dropped > 0) parts.push(plural(dropped, "event dropped", "events dropped"));
  return parts.filter((text) => text !== "").join(" · ");
}
