import type { Mode } from "./types.ts";

/** Reconciles a second above which tokens of a kind become one, and above which they become a flow. */
export const MERGED = 20;
const FLOW = 200;
/** A rate must leave the threshold behind by this part before the drawing changes back or forth. */
const SLACK = 0.15;

/** modeOf chooses how a lane is drawn at a rate, with hysteresis around the mode it was drawn in before. */
export function modeOf(rate: number, before: Mode | undefined): Mode {
  if (before === undefined) return rate <= MERGED ? "single" : rate <= FLOW ? "merged" : "flow";
  const up = 1 + SLACK;
  const down = 1 - SLACK;
  if (rate > FLOW * (before === "flow" ? down : up)) return "flow";
  if (rate > MERGED * (before === "single" ? up : down))
    return before === "flow" && rate > FLOW * down ? "flow" : "merged";
  return "single";
}
