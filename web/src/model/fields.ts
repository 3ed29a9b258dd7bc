/** What can be asked of a reconcile: the fields of the search, each with the values that it reads from a row. */
import type { Cause, Reconcile } from "../base/rows.gen.ts";
import { SECOND } from "../base/time.ts";
import { failed } from "./samples.ts";

/** What a query is asked of: a reconcile, or an item of which no more is known than its name. */
export type Subject = Pick<Reconcile, "controller" | "item"> & Partial<Reconcile>;

/** A field with words as values. */
export interface WordField {
  readonly about: string;
  /** All that a value matches, whole; the first ones are what completion offers. */
  readonly of: (row: Subject) => readonly string[];
  /** The only words there are; absent where any may come. */
  readonly words?: readonly string[];
}

/** A field with a number as its value: µs for a time, NaN where it is not known yet. */
export interface NumberField {
  readonly about: string;
  readonly number: (row: Subject) => number;
  readonly time: boolean;
  /** Comparisons that completion offers. */
  readonly offer: readonly string[];
}

export type Field = WordField | NumberField;

/** The fields, by the name that stands before the colon. */
export const fields: Readonly<Record<string, Field>> = {
  controller: { about: "whose it is", of: (row) => [row.controller] },
  item: { about: "namespace/name, or the name", of: (row) => [row.item, row.item.slice(row.item.indexOf("/") + 1)] },
  result: {
    about: "how it ended",
    of: resultsOf,
    words: "success error requeue requeue_after terminal_error panic timeout lost running".split(" "),
  },
  error: { about: "of the reconcile or a write", of: (row) => known([row.error, ...each(row.writes, (w) => w.error)]) },
  cause: {
    about: "why it ran",
    of: (row) => [...each(row.causes, causeOf), ...Object.keys(row.causeCounts ?? {})],
    words: "own_write initial_list add update delete generic resync relist backoff requeue_after manual".split(" "),
  },
  by: {
    about: "who made the change",
    of: (row) => known(each(row.causes, (c) => (c.by === "self" ? c.by : c.manager))),
  },
  write: {
    about: "method, resource, status, or refused",
    of: (row) => known((row.writes ?? []).flatMap((w) => [w.method, w.resource, w.subresource, ...answers(w.status)])),
  },
  stale: {
    about: "what it read was old",
    of: staleOf,
    words: ["yes", "no", "unknown"],
  },
  dur: {
    about: "how long it took",
    number: ({ start = NaN, to = 0 }) => (to === 0 ? NaN : to - start),
    time: true,
    offer: [">10ms", ">100ms", ">1s"],
  },
  wait: {
    about: "how long it was in the queue",
    number: ({ from = NaN, start = NaN }) => start - from,
    time: true,
    offer: [">10ms", ">100ms", ">1s"],
  },
  writes: { about: "how many", number: (row) => row.writeCount ?? NaN, time: false, offer: ["0", ">0", ">5"] },
  requeues: { about: "in a row", number: (row) => row.queue?.requeues ?? NaN, time: false, offer: [">0", ">3"] },
};

/** The units of a time, in µs. */
export const units: Readonly<Record<string, number>> = {
  us: 1,
  µs: 1,
  ms: 1_000,
  s: SECOND,
  m: 60 * SECOND,
  min: 60 * SECOND,
  h: 3600 * SECOND,
};

/** textOf is what free text is looked for in. */
export function textOf(row: Subject): string {
  const { controller, item, key = "", error = "", object, causes = [], plan = [], writes = [] } = row;
  return [
    [controller, item, key, error, object?.kind, ...resultsOf(row)],
    ...causes.map((c) => [c.what, c.manager, c.kind, c.name, ...(ownWrite(c) ? ["own write"] : [])]),
    plan.map((action) => action.summary),
    ...writes.map((w) => [w.method, w.resource, w.subresource, w.name, w.error, ...answers(w.status)]),
  ]
    .flat()
    .join(" ");
}

/** Every failure is an error, whatever its own word is. */
function resultsOf({ result, to }: Subject): readonly string[] {
  if (result === undefined) return [];
  if (to === 0) return ["running"];
  return failed(result) ? [result, "error"] : [result];
}

/** One old read makes a reconcile stale, and one of which it is not known leaves it open. */
function staleOf({ reads = [] }: Subject): readonly string[] {
  return ["yes", "unknown", "no"].filter((word) => reads.some(({ stale }) => stale === word)).slice(0, 1);
}

function causeOf(cause: Cause): string {
  return ownWrite(cause) ? "own_write" : cause.what;
}

/** The controller's own change that came back to it along the watch. */
function ownWrite({ by, what }: Cause): boolean {
  return by === "self" && (what === "add" || what === "update" || what === "delete");
}

function answers(status: number): readonly string[] {
  return status >= 400 ? [String(status), "refused"] : status > 0 ? [String(status)] : [];
}

function each<T, V>(list: readonly T[] | undefined, of: (one: T) => V): V[] {
  return (list ?? []).map(of);
}

function known(list: readonly (string | undefined)[]): readonly string[] {
  return list.filter((word): word is string => word !== undefined && word !== "");
}
