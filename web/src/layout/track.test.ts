import assert from "node:assert/strict";
import { test } from "node:test";
import { at, cause, pass } from "../../test/rows.ts";
import { layout } from "./layout.ts";
import type { Layout } from "./layout.ts";
import { BRISK, TRAVEL } from "./timing.ts";
import { Track } from "./track.ts";
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

/** A pass of an item that is ready again every 20 ms: more than can be drawn one by one. */
function busy(i: number): ReturnType<typeof pass> {
  const key = `p${String(i)}`;
  return pass(i * 20, [1, 1, 1, 1, 1], { key, causes: [cause({ at: at(i * 20) }), cause({ at: at(i * 20 + 1) })] });
}

/** How many journeys are laid out anew when a track of so many passes is told of one more. */
function renewed(passes: number): number {
  const track = new Track();
  const ignore = (): void => undefined;
  for (let i = 0; i < passes; i++) track.put(busy(i));
  track.refresh(ignore, ignore);
  track.put(busy(passes));
  let n = 0;
  const count = (): void => void n++;
  track.refresh(count, count);
  return n;
}

test("news of a busy item leaves what is drawn of it where it is, however much that is", () => {
  const few = Math.max(...[20, 25, 30, 35].map(renewed));
  const many = Math.max(...[200, 300, 400, 500].map(renewed));
  assert.ok(
    few > 0 && many <= 1.5 * few && many < 60,
    `${String(many)} of 200 to 500 passes, ${String(few)} of 20 to 35`,
  );
});
