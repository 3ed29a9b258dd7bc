/** The picture while one steps: the selected reconcile by itself in its lane, the other lanes as they were. */
import type { Reconcile } from "../base/rows.gen.ts";
import type { Layout } from "../layout/layout.ts";
import { shownAt, spotlight } from "../layout/spotlight.ts";
import { scene } from "./scene.ts";
import type { Held, Scene, SceneOptions } from "./types.ts";

/** spotlit draws pass at the true time t of it, and everything as scene does when t is not of it. */
export function spotlit(layout: Layout, pass: Reconcile, t: number, options: SceneOptions): Scene {
  const whole = scene(layout, t, options);
  const shown = shownAt(pass, t);
  if (shown === undefined) return whole;
  const alone = scene(spotlight(pass).layout, shown, { ...options, truth: t, holder: layout });
  const others = <T extends { readonly lane: string }>(list: readonly T[]): T[] =>
    list.filter((one) => one.lane !== pass.controller);
  return {
    t,
    tokens: [...others(whole.tokens), ...alone.tokens],
    nodes: [...others(whole.nodes), ...alone.nodes],
    edges: [...others(whole.edges), ...alone.edges],
    lanes: [...others(whole.lanes), ...alone.lanes.map((lane) => ({ ...lane, held: heldOf(whole, pass) }))],
    nextAt: whole.nextAt,
    alone: pass.key,
  };
}

/** The holds of a pass stand in the rows of its lane, not in its own. */
function heldOf(whole: Scene, pass: Reconcile): readonly Held[] {
  const lane = whole.lanes.find((one) => one.lane === pass.controller);
  return lane?.held.filter((hold) => hold.reconcile === pass.key) ?? [];
}
