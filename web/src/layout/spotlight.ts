/**
 * One reconcile laid out by itself, for stepping through it: never merged with others, never hurried, and found by
 * the true times of its phases, so that stepping through reconciles only ever goes one way in time.
 */
import type { NodeId } from "../base/geometry.ts";
import type { Hold, Reconcile } from "../base/rows.gen.ts";
import { MS } from "../base/time.ts";
import { isHoldOf } from "../model/holds.ts";
import type { Layout } from "./layout.ts";
import { layout } from "./layout.ts";
import { STAY, TRAVEL } from "./timing.ts";
import type { Journey, Step } from "./types.ts";
import { writes } from "./writes.ts";

/** So long after it has come to apply the last of its writes sets out, if it was sent at once. */
const SENT = 2 * TRAVEL;

/** How long a token needs to come to rest at its station, in µs. */
const REST = 100 * MS;

/** Where a reconcile can be looked at: a phase. */
export interface Station {
  readonly node: NodeId;
  /** When it began, in truth; a µs later than the one before at least. */
  readonly at: number;
  /** The display time at which the token rests there. */
  readonly shown: number;
}

export interface Spotlight {
  readonly layout: Layout;
  /** In the order of time; empty as long as no phase is known. */
  readonly stations: readonly Station[];
}

const known = new WeakMap<Reconcile, { readonly holds: readonly Hold[]; readonly made: Spotlight }>();

/** spotlight lays a reconcile out by itself, with its holds. A row never changes: its spotlight is made once. */
export function spotlight(pass: Reconcile, all: readonly Hold[]): Spotlight {
  const holds = all.filter((hold) => isHoldOf(hold, pass)).sort((a, b) => a.from - b.from);
  const before = known.get(pass);
  if (before?.holds.length === holds.length && holds.every((hold, i) => hold === before.holds[i])) return before.made;
  const first = layout([pass, ...holds]);
  const waits = waiting(pass, first.journeyOf(pass.key));
  const alone = waits === pass ? first : layout([waits, ...holds]);
  const made = { layout: alone, stations: stationsOf(waits, alone.journeyOf(pass.key)) };
  known.set(pass, { holds, made });
  return made;
}

/** Where a write was refused, all wait at the API server until the last refusal has come there too. */
function waiting(pass: Reconcile, journey: Journey | undefined): Reconcile {
  const apply = journey?.steps.find((step) => step.kind === "stay" && step.node === "apply");
  const { sent, refused } = sentBy(pass, apply?.from ?? NaN);
  if (!refused) return pass;
  return { ...pass, writes: pass.writes.map((write) => ({ ...write, to: write.to && Math.max(write.to, sent) })) };
}

/** When all that a pass sends at once is on its way if it came to apply at arrive, and what is refused at the API server. */
function sentBy(pass: Reconcile, arrive: number): { readonly sent: number; readonly refused: boolean } {
  const { journeys } = writes([pass], arrive);
  const times = journeys.map(({ from, single }) => (single ? from + TRAVEL : Math.min(from, arrive + SENT) + REST));
  return { sent: Math.max(-Infinity, ...times), refused: journeys.some(({ single }) => single) };
}

/** stationOf is where a reconcile is looked at at the true time t: undefined before its first phase and after its end. */
export function stationOf(pass: Reconcile, t: number, holds: readonly Hold[]): Station | undefined {
  const { stations } = spotlight(pass, holds);
  const end = pass.to === 0 ? Infinity : Math.max(pass.to, stations.at(-1)?.at ?? 0);
  return t > end ? undefined : stations.filter((station) => station.at <= t).at(-1);
}

function stationsOf(pass: Reconcile, journey: Journey | undefined): Station[] {
  const stations: Station[] = [];
  for (const step of journey?.steps ?? []) {
    if (step.kind !== "stay" || step.node === "queue" || Number.isNaN(step.trueFrom)) continue;
    const at = Math.max(step.trueFrom, (stations.at(-1)?.at ?? -Infinity) + 1);
    stations.push({ node: step.node, at, shown: rested(step, pass) });
  }
  return stations;
}

/** Where it writes it is seen when all that it sends at once is on its way, and what is refused is at the API server. */
function rested(step: Step & { readonly kind: "stay" }, pass: Reconcile): number {
  const rest = step.from + Math.min(REST, (step.to - step.from) / 2);
  if (step.node !== "apply") return rest;
  const { sent, refused } = sentBy(pass, step.from);
  return Math.min(Math.max(rest, refused ? sent + STAY / 2 : sent), step.to - 1);
}
