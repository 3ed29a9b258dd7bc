/** Workers that a pause or a breakpoint holds, in true time: a hold is not stretched, for somebody waits there. */
import { isPhase } from "../base/geometry.ts";
import type { Reconcile } from "../base/rows.gen.ts";
import type { Layout } from "../layout/layout.ts";
import { nameOf } from "../layout/words.ts";
import { isHoldOf } from "../model/holds.ts";
import type { Held, SceneOptions } from "./types.ts";

/**
 * holdsOf gives the holds of a lane at t, or only those of a pass, the longest first; of a phase that the map does not
 * have, at its dequeue.
 */
export function holdsOf(
  layout: Layout,
  lane: string,
  t: number,
  { called = nameOf }: SceneOptions,
  of?: Reconcile,
): Held[] {
  const held: Held[] = [];
  layout.heldAt(lane, t, ({ hold }) => {
    const { item = "", reconcile = "", worker, why, from, until = 0 } = hold;
    if (of !== undefined && !isHoldOf(hold, of)) return;
    const node = isPhase(hold.phase) ? hold.phase : "dequeue";
    held.push({ lane, node, item, label: called(item), reconcile, worker, why, lasting: t - from, until });
  });
  return held.sort((a, b) => b.lasting - a.lasting || a.worker - b.worker);
}
