import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EPOCH, pass, sample } from "../../test/rows.ts";
import { series } from "./series.ts";

const second = 1_000_000;

test("the last step holds the moment, and each adds up its seconds exactly", () => {
  const list = [
    sample(0, 9),
    { ...sample(5, 4, 1), depth: 3, latency: [0, 0, 4], drops: 2 },
    { ...sample(7, 6), depth: 1, latency: [0, 0, 0, 6] },
  ];
  const points = series(list, EPOCH + 9 * second, 5 * second, 2, []);
  assert.deepEqual(
    points.map(({ reconciles, rate, errors, depth, drops }) => [reconciles, rate, errors, depth, drops]),
    [
      [9, 1.8, 0, 0, 0],
      [10, 2, 1, 3, 2],
    ],
  );
  const [, last] = points;
  assert.ok(last && last.p50 >= 4 && last.p50 < 16 && last.p99 > last.p50 && last.p99 <= 16 && last.rough);
  assert.deepEqual([last.from, last.to], [EPOCH + 5 * second, EPOCH + 10 * second]);
});

test("times are exact in a step of which every reconcile is here", () => {
  const [one, two] = [pass(5100, [0, 37]), pass(5200, [0, 18.2])];
  const latency = [...Array<number>(14).fill(0), 1, 1];
  const runs = [one, two, pass(5300, [0, 900], { to: 0 }), pass(100, [0, 3])];
  const list = [sample(0, 2), { ...sample(5, 2), latency }];
  const [, last] = series(list, EPOCH + 9 * second, 5 * second, 2, runs);
  assert.deepEqual([last?.p50, last?.rough], [27_600, false]);
  assert.ok(series(list, EPOCH + 9 * second, 5 * second, 2, [one])[1]?.rough);
});

test("property: whatever the step, no reconcile of the window is lost or counted twice", () => {
  const seconds = fc.uniqueArray(fc.nat(300), { maxLength: 60 });
  fc.assert(
    fc.property(seconds, fc.constantFrom(1, 5, 60), fc.integer({ min: 1, max: 60 }), (at, width, n) => {
      const list = at.sort((a, b) => a - b).map((s) => sample(s, 1 + (s % 7)));
      const points = series(list, EPOCH + 300 * second, width * second, n, []);
      const from = points[0]?.from ?? 0;
      const wanted = list.filter((one) => one.from >= from).reduce((sum, one) => sum + one.reconciles, 0);
      assert.equal(
        points.reduce((sum, point) => sum + point.reconciles, 0),
        wanted,
      );
      assert.equal(points.length, n);
    }),
  );
});
