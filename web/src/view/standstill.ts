import type { Controller } from "../base/rows.gen.ts";
import { SECOND } from "../base/time.ts";

/** standsStill tells whether a step before a controller's loop is not done although it has had the time for it. */
export function standsStill(c: Controller, now: number): boolean {
  if (!c.connected || now - c.since < 3 * SECOND) return false;
  const { lease, unsynced = [], watchError = "", workers, stopping } = c;
  return lease === "waiting" || unsynced.length > 0 || watchError !== "" || workers <= 0 || stopping === true;
}
