/** The picture is pure: the same layout, time and options give the same tokens, live, paused or replayed. */
import type { EdgeId } from "../base/geometry.ts";
import type { Layout } from "../layout/layout.ts";
import type { Journey } from "../layout/types.ts";
import { SECOND } from "../base/time.ts";
import { heldSince, holdsOf } from "./holds.ts";
import { edgesOf, flowsOf, nodesOf } from "./lit.ts";
import type { Flow } from "./lit.ts";
import { bound, merge } from "./merge.ts";
import type { Drawn } from "./merge.ts";
import { modeOf } from "./modes.ts";
import { changesAt, placed, stepAt } from "./place.ts";
import { behindOf, dimmed, ringsOf, slotsOf } from "./slots.ts";
import type { Under } from "./slots.ts";
import type { ActiveEdge, ActiveNode, LaneScene, Mode, Scene, SceneOptions, Token } from "./types.ts";

/** The time over which a lane's rate is taken, and the shorter one over which flows are counted. */
const RATE_WINDOW = 2 * SECOND;
const FLOW_WINDOW = SECOND / 4;

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
  const mode = modeOf(rate, options.before?.get(name));
  const { under, drawn, nextAt } = drawnAt(layout, name, t, mode, options);
  const queue = slotsOf(layout, name, under, t, options.shows);
  const held = holdsOf(layout, name, options.truth ?? t);
  return {
    lane: { lane: name, mode, rate, queue, waiting: ringsOf(name, under, t), held, behind: behindOf(under) },
    tokens: merge(drawn, mode, options.pinned, options.shows !== undefined),
    nodes: nodesOf(under, options.truth ?? t, (key, at) => heldSince(options.holder ?? layout, name, key, at)),
    edges: mode === "flow" ? flowsAt(layout, name, t, options.shows) : edgesOf(under),
    nextAt: Math.min(nextAt, layout.nextStart(name, t)),
  };
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
    const parked = step.kind === "stay" && (step.node === "queue" || step.node === "waiting");
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

function flowsAt(layout: Layout, name: string, t: number, shows: SceneOptions["shows"]): ActiveEdge[] {
  const starts = new Map<EdgeId, Flow>();
  layout.overlapping(name, t - FLOW_WINDOW, t, (journey) => {
    for (const step of journey.steps) {
      if (step.kind !== "move" || step.from > t || step.from <= t - FLOW_WINDOW) continue;
      const flow = starts.get(step.edge) ?? { n: 0, dim: true };
      flow.n += journey.count;
      flow.dim &&= isDim(journey, shows);
      starts.set(step.edge, flow);
    }
  });
  return flowsOf(name, starts, FLOW_WINDOW / SECOND);
}
