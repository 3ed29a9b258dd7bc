/** Why a controller does nothing: the steps before its loop, each done or with the reason why not. Pure. */
import type { Controller, Drop, Gap } from "../base/rows.gen.ts";
import { SECOND, clock, count } from "../base/time.ts";
import { plural } from "./words.ts";

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
  const heard = c.heard > 0 ? ` since ${clock(c.heard, zone)}` : "";
  const steps = [
    step(
      "Connected",
      c.connected,
      c.since > 0 ? `since ${clock(c.since, zone)}` : "",
      `not heard of${heard}: does its process run, and does it send to this hub?`,
    ),
    step(
      "Lease",
      c.lease !== "waiting",
      c.lease === "leading" ? "held: this process leads" : "none needed",
      "waiting: another process leads, or its lease has not run out yet",
    ),
    ...cacheSteps(c),
    step(
      "Workers",
      c.workers > 0,
      plural(c.workers, "worker", "workers"),
      "none yet: they start when every cache is synced",
    ),
  ];
  return c.stopping === true ? [...steps, step("Running", false, "", "it is stopping")] : steps;
}

function cacheSteps({ synced = [], unsynced = [], watchError = "" }: Controller): StartStep[] {
  const [, kind = "", reason = watchError] = /^([^:]+): (.*)$/.exec(watchError) ?? [];
  const known = new Set([...synced, ...unsynced, ...(watchError === "" ? [] : [kind])]);
  return [...known].sort().map((name) => {
    const failed = watchError !== "" && name === kind;
    const ok = !failed && !unsynced.includes(name);
    const said = failed ? watchSaid(name, reason) : "not synced: the first list has not come yet";
    return { name: `Cache ${name}`.trim(), ok, text: ok ? "synced" : said };
  });
}

/** The API server's own word for it, and for RBAC what to ask next. */
function watchSaid(kind: string, reason: string): string {
  if (reason !== "Forbidden" && reason !== "Unauthorized") return `the watch fails: ${reason}`;
  const who = "--as=system:serviceaccount:NAMESPACE:NAME";
  const may =
    reason === "Forbidden" ? `RBAC does not let it list and watch ${kind}` : "its credentials are not accepted";
  return `the API server answers ${reason}: ${may}. Ask: kubectl auth can-i watch ${kind.toLowerCase()} ${who}`;
}

/** redCause is the first step that is not done, of a controller that has had the time for it. */
export function redCause(c: Controller, now: number): StartStep | undefined {
  if (!c.connected || now - c.since < 3 * SECOND) return undefined;
  return startSteps(c, 0).find((step) => !step.ok);
}

/** verdict says in one sentence how it stands. last: when the newest reconcile began, 0 when there was none. */
export function verdict(c: Controller, last: number, zone: number): string {
  const bad = startSteps(c, zone).find((step) => !step.ok);
  if (bad !== undefined) return `${c.key} does nothing because of: ${bad.name}.`;
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

const reasons: Readonly<Record<string, string>> = {
  emitter_drop: "the controller had to leave them out",
  in_flight: "the process ended before it had sent them",
  rejected: "the hub refused them",
  retention: "older than what is kept",
  corrupt_block: "a damaged block of the journal",
};

/** gapSaid says what is missing and why: "12 spans, 10:41:07 to 10:41:09: the hub refused them". */
export function gapSaid({ count: n, from, to, reason, closed }: Gap, zone: number): string {
  const when = `${clock(from, zone)} to ${clock(to, zone)}`;
  return `${plural(n, "span", "spans")}, ${when}: ${closed === true ? "came late" : (reasons[reason] ?? "it is not known why")}`;
}
