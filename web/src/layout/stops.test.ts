import assert from "node:assert/strict";
import { test } from "node:test";
import { geometry } from "../base/geometry.gen.ts";
import type { Hold, Phase, Reconcile, Row } from "../base/rows.gen.ts";
import { scene } from "../scene/scene.ts";
import { spotlit } from "../scene/spotlight.ts";
import { at, hold, reconcile } from "../../test/rows.ts";
import { layout, Layout } from "./layout.ts";
import { spotlight, stationOf } from "./spotlight.ts";

const LINE = ["queue", "dequeue", "fetch", "compute", "apply", "requeue", "done"];

/** A pass that is stepped through, as a controller tells it: phases in ms, the last of them open where to is 0. */
function stepped(phases: readonly (readonly [string, number, number])[], to = 0): Reconcile {
  const list: Phase[] = phases.map(([name, from, end]) => ({ name, from: at(from), to: end === 0 ? 0 : at(end) }));
  const result = to === 0 ? "" : "success";
  return reconcile({ key: "r", from: at(0), start: at(3000), to: to === 0 ? 0 : at(to), result, phases: list });
}

function held(phase: string, from: number, to = 0): Hold {
  const own = phase === "dequeue" ? {} : { reconcile: "r" };
  return hold({ key: `podset/1/${String(from)}`, phase, from: at(from), to: to === 0 ? 0 : at(to), ...own });
}

const door = held("dequeue", 0.02, 3000);
const beforeFetch = held("fetch", 3000.07);
// What the library tells while it is held before its first read: a fetch without length, and computing since.
const inFetch = stepped([
  ["dequeue", 0, 3000],
  ["fetch", 3000, 3000],
  ["compute", 3000, 0],
]);
const whole = stepped(
  [
    ["dequeue", 0, 3000],
    ["fetch", 3000, 3000],
    ["compute", 3000, 6000],
    ["fetch", 6000, 9000],
    ["compute", 9000, 12_000],
    ["apply", 12_000, 15_000],
    ["requeue", 15_000, 15_000.03],
  ],
  15_000.03,
);
const holds = [
  door,
  held("fetch", 3000.07, 6000.17),
  held("compute", 6000.17, 9000.15),
  held("apply", 9000.15, 12_000),
  held("requeue", 12_005, 15_000.05),
];

function places(rows: readonly Row[], from: number, to: number): string[] {
  const made = layout(rows);
  const seen: string[] = [];
  for (let ms = from; ms <= to; ms += 50) {
    const token = scene(made, at(ms), { geometry }).tokens.find(({ kind }) => kind === "pass");
    const place = token?.node ?? token?.edge ?? "";
    if (place !== "" && place !== seen.at(-1)) seen.push(place);
  }
  return seen;
}

function nodeAt(rows: readonly Row[], ms: number): string | undefined {
  return scene(layout(rows), at(ms), { geometry }).tokens.find(({ kind }) => kind === "pass")?.node;
}

test("the token of a pass that is held before fetch stands at fetch, though it is said to compute", () => {
  assert.equal(nodeAt([inFetch, beforeFetch, door], 5000), "fetch");
});

test("stepping from phase to phase, the token stands where the worker is held, and never goes back", () => {
  for (const { phase, from } of holds.slice(1)) {
    assert.equal(nodeAt([whole, ...holds], (from - at(0)) / 1000 + 1500), phase);
  }
  const nodes = places([whole, ...holds], 0, 18_000).filter((place) => LINE.includes(place));
  assert.deepEqual(nodes, ["dequeue", "fetch", "compute", "apply", "requeue"]);
});

test("an item that is held before its dequeue stands there, also before anything is told of its pass", () => {
  assert.equal(nodeAt([held("dequeue", 0.02)], 2000), "dequeue");
  const [token] = scene(layout([held("dequeue", 0.02)]), at(2000), { geometry }).tokens;
  assert.deepEqual([token?.item, token?.reconcile], ["default/web", ""]);
  assert.equal(nodeAt([inFetch, beforeFetch, door], 2000), "dequeue");
});

test("a hold is drawn the same whether it or its pass is told first", () => {
  const all = [whole, ...holds];
  const made = new Layout();
  for (const row of [...all].reverse()) made.apply({ reset: false, upserted: [row], removed: [] });
  const again = new Layout();
  for (const row of all) again.apply({ reset: false, upserted: [row], removed: [] });
  for (let ms = 0; ms < 18_000; ms += 250) {
    const expected = scene(layout(all), at(ms), { geometry });
    assert.deepEqual(scene(made, at(ms), { geometry }), expected);
    assert.deepEqual(scene(again, at(ms), { geometry }), expected);
  }
});

test("what stood for an item at its dequeue goes with its hold", () => {
  const made = layout([held("dequeue", 0.02)]);
  made.apply({ reset: false, upserted: [], removed: [{ row: "hold", key: held("dequeue", 0.02).key }] });
  assert.equal(scene(made, at(2000), { geometry }).tokens.length, 0);
});

test("how long a phase took leaves out how long it was held", () => {
  const made = layout([whole, ...holds]);
  const took = (ms: number): number | undefined => scene(made, at(ms), { geometry }).nodes[0]?.duration;
  // 70 µs before the hold at fetch; what follows it is before the hold at compute.
  assert.equal(took(5000), 70);
  assert.equal(scene(layout([inFetch, beforeFetch, door]), at(5000), { geometry }).nodes[0]?.duration, -1);
});

test("looked at by itself, a held pass stands where it is held, and each hold's phase is one station", () => {
  const { stations } = spotlight(whole, holds);
  assert.deepEqual(
    stations.map(({ node }) => node),
    ["dequeue", "fetch", "compute", "apply", "requeue"],
  );
  const made = layout([inFetch, beforeFetch, door]);
  assert.equal(spotlit(made, inFetch, at(5000), { geometry }).tokens[0]?.node, "fetch");
});

test("whoever tells where a held pass is looked at tells the phase before which it is held", () => {
  for (const { phase, from } of holds) assert.equal(stationOf(whole, from + 1_000_000, holds)?.node, phase);
  const made = layout([whole, ...holds]);
  for (const { from } of holds) {
    spotlit(made, whole, from + 1_000_000, { geometry });
    // The layout's holds and the model's, in whatever order, are one spotlight.
    assert.equal(spotlight(whole, [...holds].reverse()), spotlight(whole, made.holdsOf(whole)));
  }
});
