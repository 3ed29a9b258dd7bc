import assert from "node:assert/strict";
import { test } from "node:test";

import type { ElidedFrame } from "../base/frames.ts";
import { at, sample } from "../../test/rows.ts";
import { withElided } from "./elided.ts";
import { Table } from "./table.ts";
import type { Elided } from "./types.ts";

const second = 1_000_000;

function frames(times: readonly number[]): readonly Elided[] {
  let list: readonly Elided[] = [];
  for (const [i, now] of times.entries()) {
    const frame: ElidedFrame = {
      type: "elided",
      offset: i,
      now,
      reconciles: 3,
      by: { success: 2, [`r${String(i)}`]: 1 },
    };
    list = withElided(list, frame, times[i - 1] ?? 0);
  }
  return list;
}

test("what is left out frame after frame is one range with all counts", () => {
  assert.deepEqual(frames([5 * second, 5.1 * second, 5.2 * second]), [
    { from: 5 * second, to: 5.2 * second, reconciles: 9, by: { success: 6, r0: 1, r1: 1, r2: 1 } },
  ]);
});

test("after a second without it, a new range begins", () => {
  let list = withElided([], { type: "elided", offset: 1, now: second, reconciles: 1, by: {} }, 0);
  list = withElided(list, { type: "elided", offset: 2, now: 3 * second, reconciles: 1, by: {} }, 2.5 * second);
  assert.deepEqual(
    list.map(({ from, to }) => [from, to]),
    [
      [second, second],
      [2.5 * second, 3 * second],
    ],
  );
});

test("ten seconds are one range at most, without a hole to the next, and a thousand are kept", () => {
  const list = frames(Array.from({ length: 12_500 }, (_, i) => (i + 1) * second * 0.9));
  assert.equal(list.length, 1000);
  for (const [i, one] of list.entries()) {
    assert.ok(one.to - one.from <= 10 * second);
    if (i > 0) assert.equal(one.from, list[i - 1]?.to);
  }
});

test("where some were left out, all that were done are counted, and elsewhere nothing need be", () => {
  const made = new Table();
  const samples = [sample(0, 40), sample(1, 2), sample(60, 1)];
  made.apply({ type: "rows", offset: 1, now: at(1000), rows: samples, gone: [] });
  assert.equal(made.counted("podset", at(0), at(2000)), undefined);
  made.apply({ type: "elided", offset: 2, now: at(1900), reconciles: 30, by: { success: 30 } });
  assert.equal(made.counted("podset", at(0), at(2000)), 42);
  assert.equal(made.counted("podset", at(60_000), at(62_000)), undefined);
});
