/** What proves that a read was stale: the version that it gave, and the own write that had made a newer one. Pure. */
import type { Read, Reconcile, Write } from "../base/rows.gen.ts";
import { MS } from "../base/time.ts";
import type { Model } from "../model/types.ts";
import { plural, span, writeName } from "../view/words.ts";

/** The answer of a write is told by its own span and by the read that missed it: so far these clocks are apart at most. */
const apart = 5 * MS;

/** So many reconciles before a read are looked through for the write that it missed. */
const reach = 500;

/** The write that a stale read had not got, the oldest of several, and its reconcile. */
export interface Missed {
  readonly write: Write;
  readonly reconcile: Reconcile;
  readonly nth: number;
}

/** missedBy finds what a stale read had not got; undefined where its reconcile is not kept, or was not told. */
export function missedBy(read: Read, of: Reconcile, model: Pick<Model, "nth" | "until">): Missed | undefined {
  const { kind, stale, staleSince = 0 } = read;
  if (stale !== "yes" || staleSince === 0) return undefined;
  const noun = kind.toLowerCase();
  const off = (write: Write): number => Math.abs(write.to - staleSince);
  let found: Omit<Missed, "nth"> | undefined;
  for (const reconcile of model.until("", "", read.from, reach)) {
    if (reconcile.source !== of.source) continue;
    for (const write of reconcile.writes) {
      if ((write.after ?? "") === "" || !write.resource.startsWith(noun) || off(write) > apart) continue;
      if (found === undefined || off(write) < off(found.write)) found = { write, reconcile };
    }
  }
  return found && { ...found, nth: model.nth(found.reconcile).n };
}

/** staleSaid says how stale a read was, and by what that is known: "the cache was 1 own write behind: read rv 276, but PUT status had made rv 280, 0.4 ms before". */
export function staleSaid(read: Read, of: Reconcile, missed: Missed | undefined): string {
  const { kind, count, staleBy = 1 } = read;
  const behind = `the cache was ${plural(staleBy, "own write", "own writes")} behind`;
  if (missed === undefined) return behind;
  const { after = "", uid, to } = missed.write;
  const { resourceVersion: seen = "" } = of.object;
  // Of a list no version is told, and of another object than the reconcile's neither.
  const own = count === 1 && kind === of.object.kind && uid === of.object.uid && Number(seen) < Number(after);
  const had = own && seen !== "" ? `: read rv ${seen}, but ` : ": ";
  const oldest = staleBy > 1 ? ", the oldest," : "";
  return `${behind}${had}${writeName(missed.write)}${oldest} had made rv ${after}, ${span(Math.max(0, read.from - to))} before`;
}
