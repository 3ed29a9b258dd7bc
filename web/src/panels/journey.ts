/** An item's reconciles on a time axis: which mark stands where, and the generations as steps. Pure. */
import type { Reconcile } from "../base/rows.gen.ts";
import { DONE, FAILED, IN_FLIGHT, REFUSED, WAITING } from "../layout/steps.ts";
import type { Look } from "../layout/steps.ts";
import { causeSaid, lookOf, writeFailed } from "../view/words.ts";

/** One mark: a reconcile, or as many as come to stand in one place. */
export interface Mark {
  /** The row: a cause in words. */
  readonly row: string;
  /** Where the first of them lies. */
  readonly x: number;
  /** The worst of them. */
  readonly look: Look;
  /** In order of time. */
  readonly runs: readonly Reconcile[];
}

/** leadsTo is where a press on a mark goes: to the first with its look, and from one of its own to the next. */
export function leadsTo({ look, runs }: Mark, selected: string | undefined): Reconcile | undefined {
  const at = runs.findIndex(({ key }) => key === selected);
  return at >= 0 ? runs[(at + 1) % runs.length] : runs.find((run) => lookOf(run) === look);
}

/** How many of a mark's reconciles have the look that it is drawn with. */
function alike({ look, runs }: Mark): number {
  return runs.filter((run) => lookOf(run) === look).length;
}

/** markText stands below a mark: how many it is, or how many of them are as bad as it is drawn; "" for one alone. */
export function markText(mark: Mark): string {
  const n = mark.runs.length;
  const like = alike(mark);
  if (n === 1) return "";
  return like === n ? `×${upTo99(n)}` : `${upTo99(like)} of ${upTo99(n)}`;
}

function upTo99(n: number): string {
  return n > 99 ? "99+" : String(n);
}

const saidOf = new Map<Look, string>([
  [FAILED, "failed"],
  [IN_FLIGHT, "running"],
  [REFUSED, "with a refused write"],
  [WAITING, "to come back"],
]);

/** markSaid tells a mark of many in words: "6 reconciles, 3 failed". */
export function markSaid(mark: Mark): string {
  const n = mark.runs.length;
  const like = alike(mark);
  const what = saidOf.get(mark.look);
  return `${String(n)} reconciles${what === undefined ? "" : `, ${like === n ? "all" : String(like)} ${what}`}`;
}

export interface Journey {
  readonly from: number;
  readonly to: number;
  /** Of the line, in CSS pixels; the last mark stands a mark's room before its end. */
  readonly width: number;
  /** The causes that there are, in the order in which they first came. */
  readonly rows: readonly string[];
  readonly marks: readonly Mark[];
}

/** How much room a mark has, in CSS pixels: as much as a finger's or a pointer's target needs. */
export const markRoom = 24;

const worst: readonly Look[] = [FAILED, IN_FLIGHT, REFUSED, WAITING, DONE];

/**
 * journeyOf places runs (in order of time) on a line of that width. It ends with the last of them, or at t while that
 * runs. Marks of a row stand apart by their room at least, or as far as the text below one of them is wide, by the width
 * of a letter.
 */
export function journeyOf(runs: readonly Reconcile[], t: number, width: number, letter = 0): Journey {
  const from = runs[0]?.start ?? t;
  const end = runs.at(-1);
  const to = Math.max(end === undefined || end.to === 0 ? t : Math.min(t, end.to), from + 1);
  const across = (run: Reconcile): number => ((run.start - from) / (to - from)) * (width - markRoom);
  for (let apart = markRoom; ;) {
    const marks = placed(runs, across, apart);
    const wide = letter * Math.max(...marks.map((mark) => markText(mark).length));
    if (wide <= apart) return { from, to, width, rows: [...new Set(marks.map(({ row }) => row))], marks };
    apart = wide;
  }
}

/** Marks of a row that stand so far apart. */
function placed(runs: readonly Reconcile[], across: (run: Reconcile) => number, apart: number): readonly Mark[] {
  const marks: { row: string; x: number; look: Look; runs: Reconcile[] }[] = [];
  const last = new Map<string, (typeof marks)[number]>();
  for (const run of runs) {
    const row = run.causes[0] === undefined ? "not known" : causeSaid(run.causes[0]).chip;
    const x = across(run);
    const look = lookOf(run);
    const before = last.get(row);
    if (before !== undefined && x < before.x + apart) {
      before.runs.push(run);
      if (worst.indexOf(look) < worst.indexOf(before.look)) before.look = look;
      continue;
    }
    const mark = { row, x, look, runs: [run] };
    last.set(row, mark);
    marks.push(mark);
  }
  return marks;
}

/** A step line: from at on it is v. */
export interface Step {
  readonly at: number;
  readonly v: number;
}

export interface Generations {
  readonly wanted: readonly Step[];
  readonly observed: readonly Step[];
}

/** generationsOf are metadata.generation and status.observedGeneration as the reconciles saw and wrote them. */
export function generationsOf(runs: readonly Reconcile[], t: number): Generations {
  const wanted: Step[] = [];
  const observed: Step[] = [];
  let uid = "";
  for (const { start, object, writes } of runs) {
    const anew = object.uid !== undefined && object.uid !== uid;
    uid = object.uid ?? uid;
    put(wanted, start, object.generation ?? 0, anew);
    put(observed, start, object.observedGeneration ?? 0, anew);
    for (const write of writes) {
      const field = write.fields?.find(({ path }) => path === "status.observedGeneration");
      if (field !== undefined && write.to <= t && !writeFailed(write))
        put(observed, write.to, Number(field.value) || 0, false);
    }
  }
  return { wanted, observed };
}

/** A step goes up, as a stale read takes nothing back; an object of that name that was made anew begins anew. */
function put(steps: Step[], at: number, v: number, anew: boolean): void {
  const last = steps.at(-1)?.v ?? 0;
  if (v > last || (anew && v < last)) steps.push({ at, v });
}
