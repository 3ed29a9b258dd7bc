/** The picture is pure: the same layout, time and options give the same tokens, live, paused or replayed. */
import type { Layout } from "../layout/layout.ts";
import type { Journey, Step } from "../layout/types.ts";
import { SECOND } from "../base/time.ts";
import { flowsAt } from "./flows.ts";
import { holdsOf } from "./holds.ts";
import { edgesOf, nodesOf } from "./lit.ts";
import { bound, merge } from "./merge.ts";
import type { Drawn } from "./merge.ts";
import { modeOf } from "./modes.ts";
import { changesAt, placed, stepAt } from "./place.ts";
import { behindOf, dimmed, ringsOf, slotsOf } from "./slots.ts";
import type { Under } from "./slots.ts";
import type { ActiveEdge, ActiveNode, LaneScene, Mode, Scene, SceneOptions, Token } from "./types.ts";

/** The time over which rates are taken. */
const RATE_WINDOW = 2 * SECOND;
/** How often those along the lines are taken: each walks the window's passes. */
const RATE_EVERY = SECOND / 10;
/**
 * So many tokens under way are one reconcile a second. Its tokens are under way for so many seconds: its own for 2.5, its
 * event's for 1, and for 1 each those of three or four writes.
 */
const TOKENS_EACH = 7;

interface LanePicture {
  readonly lane: LaneScene;
  readonly tokens: readonly Token[];
  readonly nodes: readonly ActiveNode[];
  readonly edges: readonly ActiveEdge[];
  readonly nextAt: number;
}

/** scene draws the display time t (µs, hub's clock). Live draws at the hub's now − 250 ms. */
export function scene(layout: Layout, t: number, options: SceneOptions): Scene {
  const pictures = layout.lanes().map((lane) => pictureOf(layout, lane, t, options));
  return {
    t,
    tokens: bound(
      pictures.flatMap((p) => p.tokens),
      options.pinned,
      options.before?.tokens,
    ),
    nodes: pictures.flatMap((p) => p.nodes),
    edges: pictures.flatMap((p) => p.edges),
    lanes: pictures.map((p) => p.lane),
    nextAt: Math.min(Infinity, ...pictures.map((p) => p.nextAt)),
  };
}

function pictureOf(layout: Layout, name: string, t: number, options: SceneOptions): LanePicture {
  const before = options.before?.lanes.find(({ lane }) => lane === name);
  const { rate, missing } = rateOf(layout, name, t, options);
  const under = underAt(layout, name, t, options);
  const crowd = under.filter(({ step }) => !isParked(step)).length;
  // What is drawn goes on for a while after the rate has fallen.
  const mode = modeOf(Math.max(rate, crowd / TOKENS_EACH), before?.mode);
  const drawn = drawnOf(under, t, mode, options);
  const nextAt = under.reduce(
    (next, { step }) => Math.min(next, isParked(step) ? step.to : changesAt(step, t)),
    Infinity,
  );
  const queue = slotsOf(layout, name, under, t, options);
  const held = holdsOf(layout, name, options.truth ?? t, options);
  const kept = keptFlow(options.before, before, t);
  const flowAt = mode !== "flow" ? {} : { flowAt: kept === undefined ? t : (before?.flowAt ?? t) };
  const waiting = ringsOf(name, under, t);
  return {
    lane: { lane: name, mode, rate, queue, waiting, held, behind: behindOf(under, options), ...flowAt },
    tokens: merge(drawn, mode, options.pinned, options.shows !== undefined),
    nodes: nodesOf(under, options.truth ?? t),
    edges: mode === "flow" ? (kept ?? flowsAt(layout, name, t, RATE_WINDOW, missing, options.shows)) : edgesOf(under),
    nextAt: Math.min(nextAt, layout.nextStart(name, t)),
  };
}

/** How many reconciles a second begin, and how many of those in the window the hub has left out: these ended well. */
function rateOf(layout: Layout, name: string, t: number, options: SceneOptions): { rate: number; missing: number } {
  const drawn = layout.begunIn(name, t - RATE_WINDOW, t);
  const second = SECOND * Math.floor(t / SECOND);
  const counted = options.counted?.(name, second - RATE_WINDOW, second);
  const all = Math.max(drawn, counted ?? 0);
  return { rate: all / (RATE_WINDOW / SECOND), missing: all - drawn };
}

/** The lines of the scene before, as long as their rates are new enough. */
function keptFlow(
  before: Scene | undefined,
  lane: LaneScene | undefined,
  t: number,
): readonly ActiveEdge[] | undefined {
  if (lane?.flowAt === undefined || t <= lane.flowAt || t >= lane.flowAt + RATE_EVERY) return undefined;
  return before?.edges.filter((edge) => edge.lane === lane.lane);
}

function isParked(step: Step): boolean {
  return step.kind === "stay" && (step.node === "queue" || step.node === "waiting");
}

function underAt(layout: Layout, name: string, t: number, { shows, called }: SceneOptions): Under[] {
  const under: Under[] = [];
  layout.at(name, t, (journey) => {
    const i = stepAt(journey, t);
    const step = journey.steps[i];
    if (step !== undefined) under.push({ journey: named(journey, called), i, step, dim: isDim(journey, shows) });
  });
  return under;
}

/** What is labelled with its item's name has it with the namespace where that is needed to tell it from others. */
function named(journey: Journey, called: SceneOptions["called"]): Journey {
  if (called === undefined) return journey;
  const label = called(journey.item);
  return label.endsWith(`/${journey.label}`) ? { ...journey, label } : journey;
}

/** What has a token: items in the queue and the waiting room stand there instead. */
function drawnOf(under: readonly Under[], t: number, mode: Mode, options: SceneOptions): Drawn[] {
  const drawn: Drawn[] = [];
  for (const { journey, i, step, dim } of under) {
    // In a flow most have no token: they are counted, not placed. What one has searched for is.
    const sought = options.shows !== undefined && !dim;
    const shown = mode !== "flow" || sought || journey.single || journey.item === options.pinned;
    const token = isParked(step) || !shown ? undefined : placed(options.geometry, journey, i, t);
    if (token !== undefined) drawn.push({ token: dimmed(token, dim), journey, step });
  }
  return drawn;
}

function isDim({ lane, item, reconcile }: Journey, shows: SceneOptions["shows"]): boolean {
  return shows?.(lane, item, reconcile) === false;
}
