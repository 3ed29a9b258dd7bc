import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { geometry } from "../base/geometry.gen.ts";
import type { Layout } from "../layout/layout.ts";
import { layout } from "../layout/layout.ts";
import { at, pass, wait } from "../../test/rows.ts";
import { drawnAs } from "../../test/scenes.ts";
import { last, simulate } from "../../test/simulate.ts";
import { MOST } from "./merge.ts";
import { scene } from "./scene.ts";
import type { Mode, Scene, SceneOptions, Token } from "./types.ts";

/** n passes of different items in one second; each tenth is of the team shop, each fails-th fails. */
function crowd(n: number, fails = 0): Layout {
  return layout(
    Array.from({ length: n }, (_, i) => {
      const item = `${i % 10 === 0 ? "shop" : "default"}/i${String(i)}`;
      const failed = i % fails === 1 ? { result: "error", error: "Conflict" } : {};
      return pass((i * 1000) / n, [1, 1, 1, 1, 1], { key: `p${String(i)}`, item, ...failed });
    }),
  );
}

const shop = (_: string, item: string): boolean => item.startsWith("shop/");
const sum = (tokens: readonly Token[]): number => tokens.reduce((n, token) => n + token.count, 0);
const dim = (tokens: readonly Token[]): Token[] => tokens.filter((token) => token.dim === true);
const bright = (tokens: readonly Token[]): Token[] => tokens.filter((token) => token.dim !== true);

function drawn(made: Layout, mode: Mode, options: Partial<SceneOptions> = {}): Scene {
  return scene(made, at(1400), { geometry, before: drawnAs(mode), ...options });
}

test("drawn singly, what the filter leaves out is dimmed and not removed", () => {
  const [all, some] = [drawn(crowd(30), "single"), drawn(crowd(30), "single", { shows: shop })];
  assert.deepEqual([dim(all.tokens).length, dim(some.tokens).length], [0, 27]);
  assert.deepEqual(
    some.tokens.map((token) => [token.id, token.x, token.y]),
    all.tokens.map((token) => [token.id, token.x, token.y]),
  );
  for (const token of some.tokens) assert.equal(token.dim !== true, shop("", token.item), token.item);
});

test("drawn as ×n, what matches is never merged with what does not, and the counts of both are exact", () => {
  const some = drawn(crowd(200), "merged", { shows: shop });
  assert.equal(some.lanes[0]?.mode, "merged");
  assert.deepEqual([sum(bright(some.tokens)), sum(dim(some.tokens))], [20, 180]);
  assert.ok(some.tokens.length < 80, String(some.tokens.length));
});

test("in a flow, what is searched for gets tokens, rates are of all, and a line with nothing of it is dimmed", () => {
  const made = crowd(1000, 100);
  const [all, some] = [drawn(made, "flow"), drawn(made, "flow", { shows: shop })];
  assert.equal(some.lanes[0]?.mode, "flow");
  assert.equal(sum(bright(some.tokens)), 100);
  // Errors that do not match stay single, and quiet.
  assert.deepEqual([dim(some.tokens).length, dim(all.tokens).length], [10, 0]);
  assert.deepEqual(
    some.edges.map((edge) => [edge.edge, edge.rate, edge.width, edge.dim]),
    all.edges.map((edge) => [edge.edge, edge.rate, edge.width, edge.dim]),
  );
  const none = drawn(made, "flow", { shows: () => false });
  assert.ok(none.edges.length > 0 && none.edges.every((edge) => edge.dim === true));
});

test("a filter that leaves too much of a flow leaves it a flow", () => {
  const some = drawn(crowd(3000), "flow", { shows: () => true });
  assert.equal(some.tokens.length, 0);
});

test("slots and rings of other items are dimmed, also of items of which only the wait is known", () => {
  const made = layout([
    ...["shop/a", "default/b"].map((item, i) => wait({ item, state: "ready", from: at(i), order: i })),
    ...["shop/c", "default/d"].map((item) => wait({ item, from: at(0), until: at(9000), why: "backoff" })),
  ]);
  const { lanes } = scene(made, at(2000), { geometry, shows: shop });
  const said = lanes[0]?.queue.concat().map((slot) => [slot.item, slot.dim === true]);
  assert.deepEqual(said, [
    ["shop/a", false],
    ["default/b", true],
  ]);
  assert.deepEqual(lanes[0]?.waiting.map((ring) => [ring.item, ring.dim === true]).sort(), [
    ["default/d", true],
    ["shop/c", false],
  ]);
});

test("a box and a line are lit in the colour of what is shown there, and quiet where nothing is", () => {
  const failed = { result: "error", error: "Conflict" };
  const made = layout([
    pass(0, [1, 1, 1, 1, 1], { key: "s", item: "shop/a", worker: 0 }),
    pass(0, [1, 1, 1, 1, 1], { key: "d", item: "default/b", worker: 1, ...failed }),
  ]);
  const stay = made.journeyOf("s")?.steps.find((step) => step.kind === "stay" && step.node === "requeue");
  assert.ok(stay);
  const at2 = (shows?: SceneOptions["shows"]) =>
    scene(made, stay.from, { geometry, ...(shows === undefined ? {} : { shows }) }).nodes.find(
      ({ node }) => node === "requeue",
    );
  const node = at2(shop);
  assert.deepEqual([node?.dim, at2(() => false)?.dim, at2()?.dim], [undefined, true, undefined]);
  assert.notEqual(node?.tone, "error");
});

test("property: a filter changes no count and no place, whatever it shows", () => {
  const options = fc.record({
    seed: fc.nat(10_000),
    perSecond: fc.integer({ min: 1, max: 150 }),
    ms: fc.nat(6000),
    modulo: fc.nat(6),
  });
  fc.assert(
    fc.property(options, ({ seed, perSecond, ms, modulo }) => {
      const made = layout(last(simulate({ seed, items: 6, lasting: 4000, perSecond, errors: 0.2 })));
      const shows = (_: string, item: string): boolean =>
        item.length % 6 === modulo || Number(item.at(-1)) % 6 === modulo;
      const before = drawnAs("merged");
      const [all, some] = [scene(made, at(ms), { geometry, before }), scene(made, at(ms), { geometry, before, shows })];
      assert.equal(sum(some.tokens), sum(all.tokens));
      assert.ok(some.tokens.length <= MOST);
      assert.deepEqual(
        some.lanes.map((lane) => [lane.rate, lane.queue.length, lane.waiting.length, lane.behind]),
        all.lanes.map((lane) => [lane.rate, lane.queue.length, lane.waiting.length, lane.behind]),
      );
      assert.deepEqual(new Set(some.edges.map((edge) => edge.edge)), new Set(all.edges.map((edge) => edge.edge)));
    }),
    { numRuns: 30 },
  );
});
