/** What a lane's head says, also of an earlier moment: the exact counts of now, less what was done since. */
import type { Controller } from "../base/rows.gen.ts";
import { SECOND, clock } from "../base/time.ts";
import { quantile } from "../model/histogram.ts";
import { failed } from "../model/samples.ts";
import type { Lane, Model } from "../model/types.ts";
import { plural } from "./words.ts";

export interface Counts {
  readonly reconciles: number;
  readonly errors: number;
  /** µs, 0 where nothing has run. */
  readonly p50: number;
}

/** countsOf are the counts of now. */
export function countsOf({ controller, p50 }: Lane): Counts {
  return { reconciles: controller.reconciles, errors: controller.errors, p50 };
}

/**
 * countsAt are the counts of the moment t (µs). Whole seconds after it are taken off by their samples, which are exact
 * whatever else was left out; the rest of t's own second by the reconciles that were done in it.
 */
export function countsAt(model: Model, lane: Lane, t: number): Counts {
  const { controller } = lane;
  const whole = Math.ceil(t / SECOND) * SECOND;
  let { reconciles, errors } = controller;
  const latency = [...(controller.latency ?? [])];
  const take = (n: number, bad: number): void => {
    reconciles -= n;
    errors -= bad;
  };
  for (const sample of model.samples(lane.name, whole, Infinity)) {
    const bad = Object.entries(sample.byResult).filter(([result]) => failed(result));
    take(
      sample.reconciles,
      bad.reduce((sum, [, n]) => sum + n, 0),
    );
    for (const [i, n] of (sample.latency ?? []).entries()) latency[i] = Math.max(0, (latency[i] ?? 0) - n);
  }
  for (const run of model.recent(lane.name, looked)) {
    if (run.to <= t || run.to >= whole) continue;
    take(1, failed(run.result) ? 1 : 0);
    const i = Math.max(0, Math.floor(Math.log2(Math.max(1, run.to - run.start))));
    latency[i] = Math.max(0, (latency[i] ?? 0) - 1);
  }
  const left = Math.max(0, reconciles);
  return { reconciles: left, errors: Math.min(left, Math.max(0, errors)), p50: quantile(latency, 0.5) };
}

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

/** aboutSaid says what a controller works on and how it stands with it: "PodSet · 2 workers · not connected since 10:41:07". */
export function aboutSaid(controller: Controller, zone: number): string {
  const { kind = "", workers, lease, connected, heard, watchError = "", dropped = 0 } = controller;
  const parts = [kind, workers > 0 ? plural(workers, "worker", "workers") : ""];
  if (lease === "waiting") parts.push("waiting for the lease");
  if (!connected) parts.push(heard > 0 ? `not connected since ${clock(heard, zone)}` : "not connected");
  if (watchError !== "") parts.push(`cannot watch ${watchError}`);
  if (dropped > 0) parts.push(plural(dropped, "event dropped", "events dropped"));
  return parts.filter((text) => text !== "").join(" · ");
}
