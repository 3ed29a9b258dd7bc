/** Rows pumped through eviction, many times what is kept: what the page holds stays bounded, by count and not by time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { geometry } from "../base/geometry.gen.ts";
import type { Reconcile, Row, RowKind } from "../base/rows.gen.ts";
import { Layout } from "../layout/layout.ts";
import { scene } from "../scene/scene.ts";
import { at, controller, hold, item, pass, sample, wait } from "../../test/rows.ts";
import { Table } from "./table.ts";

const limits = { reconcile: 200, wait: 150, hold: 20, sample: 60, edge: 50, gap: 10, finding: 10, item: 30 };

/** What happens in the second n: passes of some items, each with a wait, now and then a hold. */
function second(n: number): Row[] {
  const rows: Row[] = [sample(n, 5), controller({ reconciles: 5 * n, heard: at(n * 1000) })];
  for (let i = 0; i < 5; i++) {
    const from = n * 1000 + i * 150;
    const key = `${String(n)}-${String(i)}`;
    const name = `default/item-${String((n * 5 + i) % 40)}`;
    rows.push(pass(from, [1, 2, 3, 4, 1], { key, item: name }), item({ item: name, reconciles: n }));
    rows.push(
      wait({ item: name, key: `w-${key}`, from: at(from), to: at(from + 900), state: i % 2 ? "ready" : "delayed" }),
    );
  }
  if (n % 3 === 0) rows.push(hold({ key: `h-${String(n)}`, from: at(n * 1000), to: at(n * 1000 + 400) }));
  return rows;
}

/** Everything that can be reached from a thing: what a leak would make grow, wherever it hides. */
function reach(root: unknown): number {
  const seen = new Set<unknown>();
  const open = [root];
  for (let one = open.pop(); one !== undefined || open.length > 0; one = open.pop()) {
    if (typeof one !== "object" || one === null || seen.has(one)) continue;
    seen.add(one);
    if (one instanceof Map) for (const [key, value] of one) open.push(key, value);
    else if (one instanceof Set || Array.isArray(one)) open.push(...one);
    else open.push(...Object.values(one));
  }
  return seen.size;
}

test("rows pumped through eviction leave nothing behind in model, layout and scene", () => {
  const table = new Table(limits);
  const made = new Layout();
  const sizes: number[] = [];
  const counts: Partial<Record<RowKind, number>> = {};
  for (let n = 0; n < 1_200; n++) {
    made.apply(table.apply({ type: "rows", offset: n, now: at(n * 1000), rows: second(n), gone: [] }));
    if (n % 200 === 199) sizes.push(reach([table, made]));
  }
  for (const row of table.rows()) counts[row.row] = (counts[row.row] ?? 0) + 1;
  for (const [kind, most] of Object.entries(limits)) {
    assert.ok((counts[kind as RowKind] ?? 0) <= most, `${kind}: ${String(counts[kind as RowKind])} of ${String(most)}`);
  }
  // From when everything is full on it must not grow, whatever has been pumped through meanwhile.
  const [, full = 0, ...later] = sizes;
  for (const size of later) assert.ok(size <= full * 1.05, `it grows: ${sizes.join(" → ")} objects`);
  assert.ok(scene(made, at(1_199_500), { geometry }).tokens.length < 40);
});

test("the last of what is evicted takes its item's track and lane with it", () => {
  const table = new Table({ reconcile: 3 });
  const made = new Layout();
  const passes: Reconcile[] = [0, 1, 2, 3, 4, 5].map((n) =>
    pass(n * 1000, [1, 1, 1, 1, 1], { key: `p${String(n)}`, item: `default/i${String(n)}` }),
  );
  for (const one of passes) {
    made.apply(table.apply({ type: "rows", offset: 1, now: one.to, rows: [one], gone: [] }));
  }
  assert.equal(made.journeyOf("p0"), undefined);
  assert.equal(made.journeyOf("p2"), undefined);
  assert.ok(made.journeyOf("p5"));
  assert.equal(table.evicted, 3);
});

test("what is behind and laid out at once is what comes of it frame by frame", () => {
  const [one, many] = [new Layout(), new Layout()];
  const table = new Table(limits);
  const changes = Array.from({ length: 120 }, (_, n) =>
    table.apply({ type: "rows", offset: n, now: at(n * 1000), rows: second(n), gone: [] }),
  );
  for (const change of changes) one.apply(change);
  many.apply(...changes);
  for (const ms of [90_000, 110_400, 119_700]) {
    const [a, b] = [scene(one, at(ms), { geometry }), scene(many, at(ms), { geometry })];
    const byID = (x: { id: string }, y: { id: string }): number => (x.id < y.id ? -1 : 1);
    assert.deepEqual([...b.tokens].sort(byID), [...a.tokens].sort(byID));
  }
});
