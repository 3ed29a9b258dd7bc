import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { geometry } from "../base/geometry.gen.ts";
import type { NodeId } from "../base/geometry.ts";
import type { Layout } from "../layout/layout.ts";
import { layout } from "../layout/layout.ts";
import { at, cause, hold, pass, wait, write } from "../../test/rows.ts";
import { scenarios } from "../../test/scenarios.ts";
import { drawnAs } from "../../test/scenes.ts";
import { last, simulate } from "../../test/simulate.ts";
import { matches, transcript } from "../../test/transcript.ts";
import { MOST, bound } from "./merge.ts";
import { modeOf } from "./modes.ts";
import { scene } from "./scene.ts";
import { spotlit } from "./spotlight.ts";
import type { Scene, Token } from "./types.ts";

const plain = pass(0, [3.1, 0.02, 0.3, 6.4, 0.01], { key: "r", causes: [cause({ at: at(0) })] });

test("the same layout, time and options give the same picture, in any order of asking", () => {
  const made = layout(last(simulate({ seed: 3, items: 5, lasting: 4000, perSecond: 20, errors: 0.2 })));
  const times = [900, 3000, 10, 2345.678, 900];
  const first = times.map((ms) => scene(made, at(ms), { geometry }));
  const again = [...times].reverse().map((ms) => scene(made, at(ms), { geometry }));
  assert.deepEqual([...again].reverse(), first);
});

test("a box is lit with its phase's true duration while the token is there", () => {
  const made = layout([plain]);
  const stay = made.journeyOf("r")?.steps.find((step) => step.kind === "stay" && step.node === "apply");
  assert.ok(stay);
  const [node, ...rest] = scene(made, stay.from, { geometry }).nodes;
  assert.deepEqual(rest, []);
  assert.deepEqual(
    [node?.node, node?.duration, node?.open, node?.label, node?.item],
    ["apply", 6400, false, "web", "default/web"],
  );
});

test("items of one name are called as they are told apart, on their tokens and boxes, in the queue and the waiting room", () => {
  const called = (item: string): string => item;
  const made = layout([plain, wait({ key: "x", item: "lesson-1/web", from: at(0), until: at(8000), why: "backoff" })]);
  const stay = made.journeyOf("r")?.steps.find((step) => step.kind === "stay" && step.node === "apply");
  const { tokens, nodes, lanes } = scene(made, stay?.from ?? 0, { geometry, called });
  assert.deepEqual(
    tokens.filter(({ kind }) => kind === "pass").map(({ label }) => label),
    ["default/web"],
  );
  assert.equal(nodes.find(({ node }) => node === "apply")?.label, "default/web");
  assert.equal(lanes[0]?.waiting[0]?.label, "lesson-1/web");
  const queued = made.journeyOf("r")?.steps[0];
  assert.equal(scene(made, queued?.from ?? 0, { geometry, called }).lanes[0]?.queue[0]?.label, "default/web");
});

test("an open phase's duration grows, and its box says that it is open", () => {
  const phases = plain.phases.slice(0, 2).map((phase, i) => (i === 1 ? { ...phase, to: 0 } : phase));
  const made = layout([{ ...plain, to: 0, result: "", phases }]);
  const durations = [3000, 5000].map((ms) => scene(made, at(ms), { geometry }).nodes[0]);
  assert.deepEqual(
    durations.map((node) => [node?.node, node?.open, node?.duration]),
    [
      ["fetch", true, 2_996_900],
      ["fetch", true, 4_996_900],
    ],
  );
});

test("the waiting room counts down to the real time", () => {
  const made = layout([wait({ from: at(0), until: at(8000), why: "backoff", requeues: 4 })]);
  const ring = (ms: number) => scene(made, at(ms), { geometry }).lanes[0]?.waiting[0];
  assert.deepEqual(
    [ring(2000)?.left, ring(2000)?.done, ring(2000)?.requeues, ring(2000)?.why],
    [6_000_000, 0.25, 4, "back-off"],
  );
  assert.deepEqual([ring(9000)?.left, ring(9000)?.done], [0, 1]);
});

test("slots stand in the queue's order, also for items of which only the wait is known", () => {
  const waits = ["c", "a", "b"].map((name, i) =>
    wait({ item: `default/${name}`, state: "ready", from: at(i * 10), order: i, why: "resync", causes: i }),
  );
  const slots = scene(layout(waits), at(500), { geometry }).lanes[0]?.queue;
  assert.deepEqual(
    slots?.map((slot) => [slot.label, slot.sub]),
    [
      ["c", "resync"],
      ["a", "resync"],
      ["b", "2 causes"],
    ],
  );
});

test("the cache is behind while an own write is on its way along the watch", () => {
  const w = write({ span: "w", from: at(4), to: at(9), seenAt: at(12) });
  const made = layout([{ ...plain, writes: [w], writeCount: 1 }]);
  let moving = 0;
  const applying = made.journeyOf("r")?.steps.find((step) => step.kind === "stay" && step.node === "apply");
  made.at("podset", applying?.from ?? 0, (j) => {
    if (j.kind === "write")
      moving = j.steps.find((step) => step.kind === "move" && step.edge === "api-cache")?.from ?? 0;
  });
  assert.deepEqual(scene(made, moving, { geometry }).lanes[0]?.behind, {
    item: "default/web",
    label: "web",
    writes: 1,
  });
  assert.equal(scene(made, moving - 1, { geometry }).lanes[0]?.behind, undefined);
});

test("modes change with hysteresis", () => {
  const steps: readonly [number, Parameters<typeof modeOf>[1], string][] = [
    [20, undefined, "single"],
    [21, undefined, "merged"],
    [201, undefined, "flow"],
    [22, "single", "single"],
    [24, "single", "merged"],
    [18, "merged", "merged"],
    [16, "merged", "single"],
    [220, "merged", "merged"],
    [240, "merged", "flow"],
    [180, "flow", "flow"],
    [160, "flow", "merged"],
    [10, "flow", "single"],
    [500, "single", "flow"],
  ];
  for (const [rate, before, want] of steps)
    assert.equal(modeOf(rate, before), want, `${String(rate)}/s after ${String(before)}`);
});

/** n passes of different items in one second from 0 on; each nth one fails. */
function crowd(n: number, fails: number): Layout {
  return layout(
    Array.from({ length: n }, (_, i) => {
      const failed = i % fails === 0 ? { result: "error", error: "Conflict" } : {};
      return pass((i * 1000) / n, [1, 1, 1, 1, 1], { key: `p${String(i)}`, item: `default/i${String(i)}`, ...failed });
    }),
  );
}

const sum = (tokens: readonly Token[]): number => tokens.reduce((n, token) => n + token.count, 0);

test("up to 20/s tokens are single, above they become ×n with exact counts, errors and the pinned item never", () => {
  const few = scene(crowd(30, 10), at(1400), { geometry });
  assert.deepEqual([few.lanes[0]?.mode, few.tokens.every((token) => token.count === 1)], ["single", true]);
  const merged = scene(crowd(200, 50), at(1400), {
    geometry,
    pinned: "default/i77",
    before: drawnAs("merged"),
  });
  assert.equal(merged.lanes[0]?.mode, "merged");
  assert.ok(merged.tokens.length < 60, String(merged.tokens.length));
  assert.equal(sum(merged.tokens), 200);
  const singles = merged.tokens.filter((token) => token.count === 1).map((token) => token.id);
  for (const id of ["p0", "p50", "p77", "p100", "p150"]) assert.ok(singles.includes(id), `${id} is merged`);
});

test("above 200/s only errors and the pinned item are tokens, lines carry rates", () => {
  const flow = scene(crowd(1000, 100), at(1400), { geometry, pinned: "default/i77" });
  assert.equal(flow.lanes[0]?.mode, "flow");
  const ids = flow.tokens.map((token) => token.id).sort();
  assert.deepEqual(ids, ["p0", "p100", "p200", "p300", "p400", "p500", "p600", "p700", "p77", "p800", "p900"]);
  const work = flow.edges.find((edge) => edge.edge === "compute-apply");
  assert.equal(work?.rate, flow.lanes[0]?.rate);
  assert.ok(work && work.width > 3 && work.heat > 0.5, JSON.stringify(work));
});

test("there are never more than 600 tokens, and the errors are among them", () => {
  const many = scene(crowd(3000, 30), at(1400), { geometry, before: drawnAs("single") });
  assert.ok(many.tokens.length <= MOST);
  const all = layout(last(simulate({ seed: 1, items: 900, lasting: 2000, perSecond: 2000, errors: 0.5 })));
  for (const ms of [500, 1000, 2000, 3000]) {
    const drawn = scene(all, at(ms), { geometry });
    assert.ok(drawn.tokens.length <= MOST, `${String(drawn.tokens.length)} at ${String(ms)}`);
  }
});

function tokenAt(node: NodeId, i: number): Token {
  const id = `${node}${String(i)}`;
  const words = { label: "", sub: "", item: "", reconcile: "", write: "" };
  const looks = { x: 0, y: 0, shape: "circle", tone: "accent", halo: false, minor: false } as const;
  return { id, kind: "event", lane: "podset", node, count: 1, ...words, ...looks };
}

test("what is too much becomes one place after the other, the fullest first, and stays so while it is nearly too much", () => {
  const crowd = (node: NodeId, n: number): Token[] => Array.from({ length: n }, (_, i) => tokenAt(node, i));
  const counts = (drawn: readonly Token[]): Record<string, [number, number]> => {
    const of = (node: NodeId): Token[] => drawn.filter((one) => one.node === node);
    return Object.fromEntries((["fetch", "apply"] as const).map((node) => [node, [of(node).length, sum(of(node))]]));
  };
  const many = [...crowd("fetch", 250), ...crowd("apply", 360)];
  const first = bound(many, undefined);
  assert.deepEqual(counts(first), { fetch: [250, 250], apply: [1, 360] });
  const fewer = [...crowd("fetch", 250), ...crowd("apply", 340)];
  assert.deepEqual(counts(bound(fewer, undefined)), { fetch: [250, 250], apply: [340, 340] });
  assert.deepEqual(counts(bound(fewer, undefined, first)), { fetch: [250, 250], apply: [1, 340] });
  const few = [...crowd("fetch", 250), ...crowd("apply", 280)];
  assert.deepEqual(counts(bound(few, undefined, first)), { fetch: [250, 250], apply: [280, 280] });
  assert.deepEqual(counts(bound([...crowd("fetch", 700), ...crowd("apply", 700)], undefined)), {
    fetch: [1, 700],
    apply: [1, 700],
  });
});

test("property: tokens are on the map, in exactly one place, and ids are unique", () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.integer({ min: 1, max: 400 }), fc.nat(6000), (seed, perSecond, ms) => {
      const drawn = scene(layout(last(simulate({ seed, items: 6, lasting: 4000, perSecond, errors: 0.2 }))), at(ms), {
        geometry,
      });
      assert.equal(new Set(drawn.tokens.map((token) => token.id)).size, drawn.tokens.length);
      for (const token of drawn.tokens) {
        assert.ok(
          token.x >= 0 && token.x <= geometry.width && token.y >= 0 && token.y <= geometry.height,
          JSON.stringify(token),
        );
        assert.notEqual(token.node === undefined, token.edge === undefined);
      }
    }),
    { numRuns: 20 },
  );
});

test("property: a token never jumps: 16 ms later it is near, whatever it does", () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.integer({ min: 0, max: 5000 }), (seed, ms) => {
      const made = layout(last(simulate({ seed, items: 4, lasting: 4000, perSecond: 5, errors: 0.2 })));
      const before = new Map(scene(made, at(ms), { geometry }).tokens.map((token) => [token.id, token]));
      for (const token of scene(made, at(ms + 16), { geometry }).tokens) {
        const was = before.get(token.id);
        if (was === undefined) continue;
        const moved = Math.hypot(token.x - was.x, token.y - was.y);
        assert.ok(
          moved < 160,
          `${token.id} moved ${String(moved)} from ${JSON.stringify(was)} to ${JSON.stringify(token)}`,
        );
      }
    }),
    { numRuns: 60 },
  );
});

test("at an even rate the lines of a flow carry an even rate, whatever passes are drawn as one", () => {
  const even = Array.from({ length: 1800 }, (_, i) =>
    pass((i * 10) / 3, [0.1, 0.1, 0.1, 0.1, 0.1], { key: `p${String(i)}`, item: `default/i${String(i % 50)}` }),
  );
  const made = layout(even);
  for (let ms = 2500; ms < 5500; ms += 50) {
    const { edges, lanes } = scene(made, at(ms), { geometry });
    for (const edge of ["queue-dequeue", "compute-apply", "requeue-done"]) {
      const rate = edges.find((one) => one.edge === edge)?.rate ?? 0;
      assert.ok(Math.abs(rate - 300) < 15 && lanes[0]?.mode === "flow", `${edge} at ${String(ms)} ms: ${String(rate)}`);
    }
  }
});

test("where the hub left reconciles out, rates are those that it counted, and errors are not multiplied", () => {
  const made = crowd(1000, 10);
  const rates = (drawn: Scene): (readonly [string, number])[] => drawn.edges.map(({ edge, rate }) => [edge, rate]);
  const all = scene(made, at(1400), { geometry });
  assert.deepEqual(rates(scene(made, at(1400), { geometry, counted: () => undefined })), rates(all));
  const asked: (readonly [string, number, number])[] = [];
  const counted = (lane: string, from: number, to: number): number => {
    asked.push([lane, from, to]);
    return 9_000;
  };
  const some = scene(made, at(1400), { geometry, counted });
  assert.deepEqual(asked, [["podset", at(-1000), at(1000)]]);
  assert.equal(some.lanes[0]?.rate, 4_500);
  const rateOf = (drawn: Scene, edge: string): number => Object.fromEntries(rates(drawn))[edge] ?? 0;
  assert.ok(Math.abs(rateOf(some, "compute-apply") - 4_500) < 0.01);
  assert.equal(rateOf(some, "requeue-waiting"), rateOf(all, "requeue-waiting"));
});

test("the rates along a flow's lines are taken ten times a second, and anew at a moment that one goes to", () => {
  const made = crowd(1000, 10);
  let before = scene(made, at(1400), { geometry });
  const taken: (number | undefined)[] = [];
  for (const ms of [1400, 1450, 1499, 1500, 1600, 1200]) {
    before = scene(made, at(ms), { geometry, before });
    taken.push(before.lanes[0]?.flowAt);
    const fresh = scene(made, before.lanes[0]?.flowAt ?? 0, { geometry });
    assert.deepEqual(before.edges, fresh.edges);
  }
  assert.deepEqual(taken, [1400, 1400, 1400, 1500, 1600, 1200].map(at));
});

test("after a flow has ended, what is left of it is not drawn one by one", () => {
  const made = crowd(1000, 2000);
  let before = drawnAs("flow");
  for (let ms = 1000; ms < 6000; ms += 50) {
    const drawn = scene(made, at(ms), { geometry, before });
    before = drawn;
    const singles = drawn.lanes[0]?.mode === "single" ? drawn.tokens.length : 0;
    assert.ok(singles < 200, `${String(singles)} single tokens at ${String(ms)} ms`);
  }
  assert.equal(before.lanes[0]?.mode, "single");
});

test("nextAt tells when a still picture must be drawn again", () => {
  const made = layout([plain]);
  assert.equal(scene(made, at(-500), { geometry }).nextAt, at(0));
  assert.equal(scene(made, at(100), { geometry }).nextAt, at(100));
  assert.equal(scene(made, at(60_000), { geometry }).nextAt, Infinity);
});

test("a worker that is held shows at its phase for as long as it is held, drawn alone as well", () => {
  const open = pass(0, [1, 2, 3], { key: "held", to: 0, result: "", worker: 1 });
  const rows = [open, hold({ from: at(400), to: at(5400), reconcile: "held", worker: 1 })];
  const made = layout(rows);
  matches("hold", transcript(made, at(0), 6000));
  const [lane] = scene(made, at(1400), { geometry }).lanes;
  assert.deepEqual(
    lane?.held.map(({ node, label, lasting }) => [node, label, lasting]),
    [["apply", "web", 1_000_000]],
  );
  assert.equal(spotlit(made, open, at(1400), { geometry }).lanes[0]?.held.length, 1);
  made.apply({ reset: false, upserted: [], removed: [{ row: "hold", key: rows[1]?.key ?? "" }] });
  assert.deepEqual(scene(made, at(1400), { geometry }).lanes[0]?.held, []);
});

for (const { name, rows } of scenarios()) {
  test(`transcript of the hub's scenario ${name}`, () => {
    const first = Math.min(...rows.map((row) => (row.row === "reconcile" ? row.from : Infinity)));
    matches(name, transcript(layout(rows), first - 100_000, 12_000));
  });
}
