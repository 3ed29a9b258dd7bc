import type { Cause, Reconcile, Write } from "../base/rows.gen.ts";

/** An event and the reconcile that it led to. */
export interface Overtaking {
  readonly cause: Cause;
  readonly reconcile: Reconcile;
}

/**
 * overtakenBy looks among an item's reconciles (in the order of time) for the first version of the object written
 * that is newer than the one written on. A fault that was injected is no conflict.
 */
export function overtakenBy(own: readonly Reconcile[], pass: Reconcile, write: Write): Overtaking | undefined {
  const before = Number(write.before ?? NaN);
  if (write.status !== 409 || (write.fault ?? "") !== "" || Number.isNaN(before)) return undefined;
  const uid = write.uid ?? (write.name === pass.object.name ? pass.object.uid : undefined);
  let found: Overtaking | undefined;
  for (const reconcile of own) {
    for (const cause of reconcile.causes) {
      const version = Number(cause.resourceVersion ?? NaN);
      if (!(version > before) || !sameObject(cause, uid, write)) continue;
      if (version < Number(found?.cause.resourceVersion ?? Infinity)) found = { cause, reconcile };
    }
  }
  return found;
}

/** By the UID where both are known, by the name of the object otherwise. */
function sameObject(cause: Cause, uid: string | undefined, write: Write): boolean {
  if ((uid ?? "") !== "" && (cause.uid ?? "") !== "") return cause.uid === uid;
  const kind = (cause.kind ?? "").toLowerCase();
  return cause.name === write.name && cause.namespace === write.namespace && write.resource.startsWith(kind);
}
