/** An item's reconciles on a time axis: which mark stands where, and the generations as steps. Pure. */
import type { Reconcile } from "../base/rows.gen.ts";
import { causeSaid, toneOf, writeFailed } from "../view/words.ts";
import type { Tone } from "../layout/types.ts";

/** One mark: a reconcile, or as many as come to stand in one place. */
export interface Mark {
  /** The row: a cause in words. */
  readonly row: string;
  readonly x: number;
  readonly n: number;
  /** The worst of them. */
  readonly tone: Tone;
  /** The newest of them with that tone. */
  readonly run: Reconcile;
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

const worst: readonly Tone[] = ["error", "accent", "warn", "own", "ok"];

/** journeyOf places runs (in order of time) on a line of that width. It ends with the last of them, or at t while that runs. */
export function journeyOf(runs: readonly Reconcile[], t: number, width: number): Journey {
  const from = runs[0]?.start ?? t;
  const last = runs.at(-1);
  const to = Math.max(last === undefined || last.to === 0 ? t : Math.min(t, last.to), from + 1);
  const cells = new Map<string, Mark>();
  const rows = new Set<string>();
  for (const run of runs) {
    const row = run.causes[0] === undefined ? "not known" : causeSaid(run.causes[0]).chip;
    rows.add(row);
    const x = ((run.start - from) / (to - from)) * (width - markRoom);
    const key = `${row} ${String(Math.floor(x / markRoom))}`;
    cells.set(key, joined(cells.get(key), { row, x, n: 1, tone: toneOf(run), run }));
  }
  return { from, to, width, rows: [...rows], marks: [...cells.values()] };
}

function joined(before: Mark | undefined, mark: Mark): Mark {
  if (before === undefined) return mark;
  const worse = worst.indexOf(before.tone) < worst.indexOf(mark.tone) ? before : mark;
  return { ...worse, x: before.x, n: before.n + 1 };
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
