/** The picture while one steps: the selected reconcile by itself in its lane, the other lanes as they were. */
import type { Reconcile } from "../base/rows.gen.ts";
import type { Layout } from "../layout/layout.ts";
import { spotlight, stationOf } from "../layout/spotlight.ts";
import { holdsOf } from "./holds.ts";
import { scene } from "./scene.ts";
import type { Scene, SceneOptions } from "./types.ts";

/** spotlit draws pass at the true time t of it, and everything as scene does when t is not of it. */
export function spotlit(layout: Layout, pass: Reconcile, t: number, options: SceneOptions): Scene {
  const whole = scene(layout, t, options);
  const holds = layout.holdsOf(pass);
  const station = stationOf(pass, t, holds);
  if (station === undefined) return whole;
  // The holds of a pass stand in the rows of its lane, not in its own.
  const held = holdsOf(layout, pass.controller, options.truth ?? t, options, pass);
  const alone = scene(spotlight(pass, holds).layout, station.shown, { ...options, truth: t });
  const others = <T extends { readonly lane: string }>(list: readonly T[]): T[] =>
    list.filter((one) => one.lane !== pass.controller);
  return {
    t,
    tokens: [...others(whole.tokens), ...alone.tokens],
    nodes: [...others(whole.nodes), ...alone.nodes],
    edges: [...others(whole.edges), ...alone.edges],
    lanes: [...others(whole.lanes), ...alone.lanes.map((lane) => ({ ...lane, held }))],
    nextAt: whole.nextAt,
    alone: pass.key,
  };
}
