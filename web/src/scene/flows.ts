/** How many tokens a second go along each line, in truth: for lanes too fast to draw tokens. */
import type { EdgeId } from "../base/geometry.ts";
import type { Cause, Reconcile } from "../base/rows.gen.ts";
import { SECOND } from "../base/time.ts";
import { originOf } from "../layout/events.ts";
import type { Layout } from "../layout/layout.ts";
import { EDGES, isFailed, parks } from "../layout/pass.ts";
import { dimmed } from "./slots.ts";
import type { ActiveEdge, SceneOptions } from "./types.ts";

const LINE: readonly EdgeId[] = [...EDGES, "cache-fetch"];
/** A line with so many a second is as wide and as hot as one can be. */
const HOTTEST = 1000;

interface Flow {
  n: number;
  bad: number;
  dim: boolean;
}

/**
 * flowsAt gives each line the rate at which passes that began in the window (µs) before t go along it. So many more are
 * missing: they ended well, and went the ways of those that are there and did.
 */
export function flowsAt(
  layout: Layout,
  lane: string,
  t: number,
  window: number,
  missing: number,
  shows: SceneOptions["shows"],
): ActiveEdge[] {
  // All go along the line of work: it is counted once.
  const line: Flow = { n: 0, bad: 0, dim: true };
  const flows = new Map<EdgeId, Flow>(LINE.map((edge) => [edge, line]));
  layout.begun(lane, t - window, t, (pass) => {
    const bad = isFailed(pass);
    const dim = shows?.(lane, pass.item, pass.key) === false;
    count(line, 1, bad, dim);
    ways(pass, (edge, n) => {
      const flow = flows.get(edge) ?? { n: 0, bad: 0, dim: true };
      count(flow, n, bad, dim);
      flows.set(edge, flow);
    });
  });
  if (line.n === 0) return [];
  const fine = line.n - line.bad;
  const each = fine > 0 ? 1 + missing / fine : 1;
  return [...flows].map(([edge, { n: seen, bad, dim }]) => {
    const n = bad + (seen - bad) * each;
    const rate = n / (window / SECOND);
    const heat = Math.min(1, Math.log10(1 + rate) / Math.log10(1 + HOTTEST));
    const tone = 2 * bad > n ? "error" : "accent";
    return dimmed({ lane, edge, tone, own: false, rate, heat, width: 1 + 5 * heat }, dim);
  });
}

function count(flow: Flow, n: number, bad: boolean, dim: boolean): void {
  flow.n += n;
  if (bad) flow.bad += n;
  flow.dim &&= dim;
}

/** Calls way for each line beside the line of work that a pass, what set it off and what it writes go along. */
function ways(pass: Reconcile, way: (edge: EdgeId, n: number) => void): void {
  if (pass.to > 0) way(parks(pass) ? "requeue-waiting" : "requeue-done", 1);
  if (pass.writeCount > 0) way("apply-api", pass.writeCount);
  for (const cause of pass.causes) event(cause, way);
}

function event(cause: Cause, way: (edge: EdgeId, n: number) => void): void {
  if (cause.what === "backoff" || cause.what === "requeue_after") return way("waiting-queue", 1);
  const origin = originOf(cause);
  if (origin === "outside") way("outside-api", 1);
  if (origin !== "cache") way("api-cache", 1);
  way("cache-queue", 1);
}
