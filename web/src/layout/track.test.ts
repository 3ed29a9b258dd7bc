import assert from "node:assert/strict";
import { test } from "node:test";
import { pass } from "../../test/rows.ts";
import { layout } from "./layout.ts";
import type { Layout } from "./layout.ts";
import { BRISK, TRAVEL } from "./timing.ts";
import type { Journey } from "./types.ts";

function journeysOf(made: Layout): Journey[] {
  const all = new Set<Journey>();
  for (const lane of made.lanes())
    for (let t = made.nextStart(lane, -Infinity); t < Infinity; t = made.nextStart(lane, t))
      made.at(lane, t, (journey) => all.add(journey));
  return [...all].sort((a, b) => a.from - b.from);
}

test("passes of one item close together are drawn one by one as long as none lags more than 2 s", () => {
  const near = Array.from({ length: 4 }, (_, i) => pass(i * 100, [1, 1, 1, 1, 1], { key: `p${String(i)}` }));
  const tokens = journeysOf(layout(near)).filter((j) => j.kind === "pass");
  assert.deepEqual(
    tokens.map(({ id, count }) => [id, count]),
    near.map(({ key }) => [key, 1]),
  );
  const often = Array.from({ length: 20 }, (_, i) => pass(i * 600, [1, 1, 1, 1, 1], { key: `p${String(i)}` }));
  const steady = journeysOf(layout(often)).filter((j) => j.kind === "pass");
  assert.deepEqual([steady.length, Math.max(...steady.map(({ count }) => count))], [20, 1]);
  const seen = [...tokens, ...steady].flatMap(({ steps }) => steps.filter(({ kind }) => kind === "move"));
  const shortest = Math.min(...seen.map(({ from, to }) => to - from));
  assert.ok(shortest >= TRAVEL / BRISK - 1, `a hop lasts ${String(shortest)} µs only`);
});
