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
/** So many tokens under way are as hard to follow as one reconcile a second. */
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
    ),
    nodes: pictures.flatMap((p) => p.nodes),
    edges: pictures.flatMap((p) => p.edges),
    lanes: pictures.map((p) => p.lane),
    nextAt: Math.min(Infinity, ...pictures.map((p) => p.nextAt)),
  };
}

/** modesOf is what to give the next scene as `before`. */
export function modesOf(drawn: Scene): ReadonlyMap<string, Mode> {
  return new Map(drawn.lanes.map((lane) => [lane.lane, lane.mode]));
}

function pictureOf(layout: Layout, name: string, t: number, options: SceneOptions): LanePicture {
  const rate = layout.begunIn(name, t - RATE_WINDOW, t) / (RATE_WINDOW / SECOND);
  // What is drawn goes on for a while after the rate has fallen.
  const mode = modeOf(Math.max(rate, crowdAt(layout, name, t) / TOKENS_EACH), options.before?.get(name));
  const { under, drawn, nextAt } = drawnAt(layout, name, t, mode, options);
  const queue = slotsOf(layout, name, under, t, options.shows);
  const held = holdsOf(layout, name, options.truth ?? t);
  return {
    lane: { lane: name, mode, rate, queue, waiting: ringsOf(name, under, t), held, behind: behindOf(under) },
    tokens: merge(drawn, mode, options.pinned, options.shows !== undefined),
    nodes: nodesOf(under, options.truth ?? t),
    edges: mode === "flow" ? flowsAt(layout, name, t, RATE_WINDOW, options.shows) : edgesOf(under),
    nextAt: Math.min(nextAt, layout.nextStart(name, t)),
  };
}

/** How many tokens there would be, each drawn by itself. */
function crowdAt(layout: Layout, name: string, t: number): number {
  let crowd = 0;
  layout.at(name, t, (journey) => {
    const step = journey.steps[stepAt(journey, t)];
    if (step !== undefined && !isParked(step)) crowd++;
  });
  return crowd;
}

function isParked(step: Step): boolean {
  return step.kind === "stay" && (step.node === "queue" || step.node === "waiting");
}

/** What is under way at t, and of that what has a token: items in the queue and the waiting room stand there instead. */
function drawnAt(
  layout: Layout,
  name: string,
  t: number,
  mode: Mode,
  options: SceneOptions,
): { under: Under[]; drawn: Drawn[]; nextAt: number } {
  const under: Under[] = [];
  const drawn: Drawn[] = [];
  let nextAt = Infinity;
  layout.at(name, t, (journey) => {
    const i = stepAt(journey, t);
    const step = journey.steps[i];
    if (step === undefined) return;
    const dim = isDim(journey, options.shows);
    under.push({ journey, step, dim });
    const parked = isParked(step);
    nextAt = Math.min(nextAt, parked ? step.to : changesAt(step, t));
    // In a flow most have no token: they are counted, not placed. What one has searched for is.
    const sought = options.shows !== undefined && !dim;
    const shown = !parked && (mode !== "flow" || sought || journey.single || journey.item === options.pinned);
    const token = !shown ? undefined : placed(options.geometry, journey, i, t);
    if (token !== undefined) drawn.push({ token: dimmed(token, dim), journey, step });
  });
  return { under, drawn, nextAt };
}

function isDim({ lane, item, reconcile }: Journey, shows: SceneOptions["shows"]): boolean {
  return shows?.(lane, item, reconcile) === false;
}
