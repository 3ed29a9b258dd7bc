/** The ways of writes: down to the API server, and back along the watch, or turned round by a refusal. */
import { getOrInsert } from "../base/getorinsert.ts";
import type { Reconcile, Write } from "../base/rows.gen.ts";
import { FAILED, IN_FLIGHT, OWN, Way } from "./steps.ts";
import type { Look } from "./steps.ts";
import { LINGER, SINGLES, STAY, TRAVEL } from "./timing.ts";
import type { Journey } from "./types.ts";
import { answerWord, nameOf, writeWord } from "./words.ts";

/** Writes that are drawn as one token: their like, in a row. */
interface Batch {
  readonly pass: Reconcile;
  readonly write: Write;
  count: number;
}

/** The journeys of an apply phase's writes. answered is when the last answer has come, Infinity while one is out. */
export interface Written {
  readonly journeys: readonly Journey[];
  readonly answered: number;
  /** When the last of those that come back has reached the queue; -Infinity when none does. */
  readonly returned: number;
}

/** writes lays out the writes of passes that are drawn as one, from the moment arrive on at which it is at apply. */
export function writes(passes: readonly Reconcile[], arrive: number): Written {
  const all = batches(passes);
  const gap = Math.min(TRAVEL, (2 * TRAVEL) / Math.max(1, all.length));
  const journeys: Journey[] = [];
  let answered = -Infinity;
  let returned = -Infinity;
  for (const [i, batch] of all.entries()) {
    const one = writeJourney(batch, i, Math.max(arrive + i * gap, batch.write.from));
    journeys.push(one.journey);
    answered = Math.max(answered, one.answered);
    if (one.returns) returned = Math.max(returned, one.journey.to);
  }
  return { journeys, answered, returned };
}

function batches(passes: readonly Reconcile[]): Batch[] {
  const all = passes.reduce((n, pass) => n + pass.writes.length, 0);
  const likeOf = all > SINGLES ? likeness : (write: Write): Write => write;
  const byLike = new Map<unknown, Batch>();
  let unlisted = 0;
  for (const pass of passes) {
    unlisted += Math.max(0, pass.writeCount - pass.writes.length);
    for (const write of pass.writes) {
      getOrInsert(byLike, likeOf(write), () => ({ pass, write, count: 0 })).count++;
    }
  }
  const batched = [...byLike.values()];
  const [largest] = [...batched].sort((a, b) => b.count - a.count);
  if (largest !== undefined && all > SINGLES) largest.count += unlisted;
  return batched;
}

/** Writes of one likeness are drawn as one. A refused write is always shown singly, so it is like no other. */
function likeness(write: Write): string {
  if (isRefused(write)) return write.span;
  return write.to === 0 ? `${writeWord(write)} …` : writeWord(write);
}

/** isRefused says whether the API server answered with an error, or no answer came. */
export function isRefused(write: Write): boolean {
  return write.status >= 400 || (write.to > 0 && write.status === 0) || (write.error ?? "") !== "";
}

function writeJourney(
  batch: Batch,
  seat: number,
  depart: number,
): { journey: Journey; answered: number; returns: boolean } {
  const { pass, write, count } = batch;
  const way = new Way(depart);
  const refused = isRefused(write);
  const seenAt = write.seenAt ?? 0;
  const returns = !refused && seenAt > 0;
  const look: Look = refused || write.noop === true ? IN_FLIGHT : OWN;
  way.move("apply-api", look);
  const truth = { from: write.from, to: write.to };
  let answered = write.to === 0 ? Infinity : Math.max(way.t, write.to);
  if (refused) {
    way.stay("api", answered + STAY, FAILED, truth).move("apply-api", FAILED, true);
    answered = way.t;
  } else if (returns) {
    const leave = Math.max(answered + STAY, seenAt - 2 * TRAVEL - STAY);
    way.stay("api", leave, look, truth).move("api-cache", look);
    way.stay("cache", way.t + STAY, look).move("cache-queue", look);
  } else {
    way.stay("api", answered + LINGER, look, truth);
  }
  const journey: Journey = {
    id: `${pass.key}/write/${write.span}`,
    kind: "write",
    lane: pass.controller,
    item: pass.item,
    reconcile: pass.key,
    write: write.span,
    count,
    label: (write.name ?? "") === "" ? nameOf(pass.item) : (write.name ?? ""),
    sub: writeWord(write),
    outcome: [writeWord(write), answerWord(write)].join(" ").trim(),
    told: write.to === 0 ? Infinity : 1,
    single: refused,
    own: !refused && write.noop !== true,
    minor: false,
    seat,
    steps: way.steps,
    from: depart,
    to: way.t,
  };
  return { journey, answered, returns };
}
