import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EPOCH, at, pass, sample } from "../../test/rows.ts";
import type { Row } from "../base/rows.gen.ts";
import { SECOND } from "../base/time.ts";
import { density, singly, union } from "./density.ts";
import { Filter, filterOf } from "./filter.ts";
import { Table } from "./table.ts";

function table(...rows: readonly Row[]): Table {
  const made = new Table();
  made.apply({ type: "rows", offset: 1, now: at(0), rows, gone: [] });
  return made;
}

function sought(text: string): Filter {
  const filter = filterOf(text);
  assert.ok(filter instanceof Filter);
  return filter;
}

const span = { from: EPOCH, to: EPOCH + 4 * SECOND };
const shop = pass(100, [1, 1], { key: "a", item: "shop/a", result: "error" });
const other = pass(1200, [1, 1], { key: "b", item: "default/b" });

test("bars of whole seconds count what the samples tell, also of reconciles that are not here", () => {
  const bars = density(table(sample(0, 9, 2), sample(1, 4), shop), sought(""), span, SECOND);
  assert.deepEqual(
    bars.map(({ count, errors, shown, shownErrors }) => [count, errors, shown, shownErrors]),
    [
      [9, 2, 9, 2],
      [4, 0, 4, 0],
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ],
  );
});

test("a filter shows its part of a bar, and the bar stays as high", () => {
  const bars = density(table(sample(0, 9, 2), sample(1, 4), shop, other), sought("item:shop/*"), span, SECOND);
  assert.deepEqual(
    bars.slice(0, 2).map(({ count, errors, shown, shownErrors }) => [count, errors, shown, shownErrors]),
    [
      [9, 2, 1, 1],
      [4, 0, 0, 0],
    ],
  );
});

test("a bar tells refused writes from errors, of samples and of reconciles, and what of them the filter shows", () => {
  const refused = pass(1300, [1, 1], { key: "c", item: "shop/c", failedWrites: 2 });
  const samples = [sample(0, 9, 2), { ...sample(1, 4), failedWrites: 2 }];
  const bars = (text: string, width: number): readonly number[][] =>
    density(table(...samples, shop, other, refused), sought(text), { from: EPOCH, to: EPOCH + 2 * SECOND }, width)
      .filter(({ count }) => count > 0)
      .map(({ errors, refused: all, shownRefused }) => [errors, all, shownRefused]);
  assert.deepEqual(bars("", SECOND), [
    [2, 0, 0],
    [0, 2, 2],
  ]);
  assert.deepEqual(bars("item:default/*", SECOND).at(-1), [0, 2, 0]);
  assert.deepEqual(bars("", SECOND / 10).at(-1), [0, 1, 1]);
});

test("bars of less than a second count the reconciles themselves", () => {
  const bars = density(table(sample(0, 9), shop, other), sought(""), { from: at(50), to: at(250) }, 50_000);
  assert.deepEqual(
    bars.map(({ count, errors }) => [count, errors]),
    [
      [0, 0],
      [1, 1],
      [0, 0],
      [0, 0],
    ],
  );
});

test("few reconciles are drawn one by one, many are not", () => {
  const made = table(shop, other);
  const keys = (most: number): string[] => singly(made, { from: at(0), to: at(1201) }, most).map((run) => run.key);
  assert.deepEqual([keys(2), keys(1)], [["b", "a"], []]);
});

test("property: joined stretches cover what they were made of, and do not touch", () => {
  const one = fc.record({ from: fc.nat(100), length: fc.nat(20), open: fc.boolean() });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 12 }), (given) => {
      const spans = given.map(({ from, length, open }) => ({ from, to: open ? 0 : from + length }));
      const joined = union(spans, 200);
      for (const { from, to } of spans) {
        const end = to === 0 ? 200 : to;
        assert.ok(from === 0 || joined.some((whole) => whole.from <= from && whole.to >= end));
      }
      for (const [i, { from }] of joined.entries()) assert.ok(i === 0 || from > (joined[i - 1]?.to ?? Infinity));
    }),
  );
});
