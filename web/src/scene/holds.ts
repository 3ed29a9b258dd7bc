/** Workers that a pause or a breakpoint holds, in true time: a hold is not stretched, for somebody waits there. */
import type { NodeId } from "../base/geometry.ts";
import type { Layout } from "../layout/layout.ts";
import { nameOf } from "../layout/words.ts";
import type { Held } from "./types.ts";

/** A phase begins a little after its hold has ended, µs. */
const slack = 2_000;

const PHASES: readonly NodeId[] = ["dequeue", "fetch", "compute", "apply", "requeue"];

/** holdsOf gives the holds of a lane at t, the longest first; of a phase that the map does not have, at its dequeue. */
export function holdsOf(layout: Layout, lane: string, t: number): Held[] {
  const held: Held[] = [];
  layout.heldAt(lane, t, ({ hold }) => {
    const { item = "", reconcile = "", worker, why, from, until = 0 } = hold;
    const node = PHASES.find((phase) => phase === hold.phase) ?? "dequeue";
    held.push({ lane, node, item, label: nameOf(item), reconcile, worker, why, lasting: t - from, until });
  });
  return held.sort((a, b) => b.lasting - a.lasting || a.worker - b.worker);
}

/** heldSince is when the worker of a reconcile began to be held, of the hold that ends at t or goes on; 0 for none. */
export function heldSince(layout: Pick<Layout, "heldAt">, lane: string, reconcile: string, t: number): number {
  let since = 0;
  layout.heldAt(lane, t - slack, ({ hold }) => {
    if (hold.reconcile === reconcile) since = hold.from;
  });
  return since;
}
