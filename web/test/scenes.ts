import type { Mode, Scene } from "../src/scene/types.ts";

/** An empty scene in which podset was drawn in a mode, for the scene that comes after it. */
export function drawnAs(mode: Mode): Scene {
  const lane = { lane: "podset", mode, rate: 0, queue: [], waiting: [], held: [], behind: undefined };
  return { t: 0, tokens: [], nodes: [], edges: [], lanes: [lane], nextAt: Infinity };
}
