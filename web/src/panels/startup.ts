/** Why a controller does nothing: the steps before its loop, each done or with the reason why not. Pure. */
import type { Control, Controller, Drop, Gap, Hold } from "../base/rows.gen.ts";
import { clock, count } from "../base/time.ts";
import type { Model } from "../model/types.ts";
import { heldWhere, isSlow, plural, word } from "../view/words.ts";

export interface StartStep {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
}

/** startSteps are the steps in the order in which a controller takes them. */
export function startSteps(c: Controller, zone: number): readonly StartStep[] {
  const step = (name: string, ok: boolean, good: string, bad: string): StartStep => ({
    name,
    ok,
    text: ok ? good : bad,
  });
  const time = (at: number): string => (at > 0 ? `since ${clock(at, zone)}` : "");
  return [
    step(
      "Connected",
      c.connected,
      time(c.since),
      `not heard of ${time(c.heard)}: does its process run and send to this hub?`,
    ),
    step(
      "Lease",
      c.lease !== "waiting",
      c.lease === "leading" ? "held" : "none needed",
      "waiting: another process holds it",
    ),
    ...cacheSteps(c),
    step(
      "Workers",
      c.workers > 0,
      plural(c.workers, "worker", "workers"),
      "none yet: they start when every cache is synced",
    ),
    step("Running", c.stopping !== true, "not stopping", "it is stopping"),
  ];
}

/** The API server's own word for a watch that fails, and for RBAC what to ask next. */
function cacheSteps({ synced = [], unsynced = [], watchError = "" }: Controller): StartStep[] {
  const [kind = "", reason = ""] = watchError.split(": ");
  const known = new Set([...synced, ...unsynced, ...(watchError === "" ? [] : [kind])]);
  return [...known].sort().map((name) => {
    const failed = watchError !== "" && name === kind;
    const ok = !failed && !unsynced.includes(name);
    const ask =
      reason === "Forbidden"
        ? `: RBAC does not let it list and watch ${name}. Ask: kubectl auth can-i watch ${name} --as=ITS_ACCOUNT`
        : "";
    const bad = failed
      ? `the watch fails: the API server answers ${reason}${ask}`
      : "not synced: the first list has not come";
    return { name: `Cache ${name}`, ok, text: ok ? "synced" : bad };
  });
}

/** What else is known of a controller when it is asked why it does nothing. Times are µs. */
export interface Around {
  /** When the newest reconcile began, 0 when there was none. */
  readonly last: number;
  readonly zone: number;
  /** The pauses and holds that stand. */
  readonly controls: readonly Control[];
  readonly holds: readonly Hold[];
  readonly model: Pick<Model, "called" | "reconcile">;
  /** When the hub was heard of last, while it is not; else undefined. */
  readonly lostAt?: number;
}

/** verdict says in one sentence how it stands. */
export function verdict(c: Controller, { last, zone, controls, holds, model, lostAt }: Around): string {
  if (lostAt !== undefined) {
    const since = lostAt > 0 ? ` since ${clock(lostAt, zone)}` : "";
    return `The hub is not connected${since}: what ${c.key} does is not known. The steps are as they were then.`;
  }
  const bad = startSteps(c, zone).find((step) => !step.ok);
  if (bad !== undefined) return `${c.key} does nothing because of: ${bad.name}.`;
  const pause = controls.find(({ command }) => command === "pause");
  const held = holds.map((hold) => heldWhere([hold], model));
  if (pause !== undefined) {
    const whom = held.length === 0 ? "no worker has come to a phase since" : held.join(", ");
    return `${c.key} is paused by the ${pause.by} since ${clock(pause.from, zone)}: ${whom}.`;
  }
  if (held.length > 0) return `${c.key} ${holds.every(isSlow) ? "goes on slowly" : "stands"}: ${held.join(", ")}.`;
  const since = last > 0 ? `since ${clock(last, zone)}` : "yet";
  const dropped = c.dropped ?? 0;
  const but = dropped === 0 ? "" : ` ${count(dropped)} ${dropped === 1 ? "was" : "were"} dropped before it.`;
  return `${c.key} is ready. No event has put an item into its queue ${since}.${but}`;
}

/** dropSaid: "by TypedFuncs: 12 of ConfigMap, the newest an update of default/web at 10:41:07". */
export function dropSaid(drop: Drop, zone: number): string {
  const what = [drop.what, drop.item ?? ""].filter((s) => s !== "").join(" of ");
  return `${what === "" ? "newest" : `newest: ${what}`} at ${clock(drop.at, zone)}`;
}

/** gapSaid says what is missing and why: "12 spans, 10:41:07 to 10:41:09: rejected". */
export function gapSaid({ count: n, from, to, reason, closed }: Gap, zone: number): string {
  const why = closed === true ? "came late" : word(reason);
  return `${plural(n, "span", "spans")}, ${clock(from, zone)} to ${clock(to, zone)}: ${why}`;
}
