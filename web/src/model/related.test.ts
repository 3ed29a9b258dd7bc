import assert from "node:assert/strict";
import { test } from "node:test";
import type { Edge, Finding, Gap, Row } from "../base/rows.gen.ts";
import { at, pass, reconcile, wait } from "../../test/rows.ts";
import { Table } from "./table.ts";

function table(...rows: readonly Row[]): Table {
  const made = new Table();
  made.apply({ type: "rows", offset: 1, now: at(0), rows, gone: [] });
  return made;
}

const edge: Edge = {
  ...{ row: "edge", key: "w/b", from: at(1), to: at(3), write: { reconcile: "a", span: "w" }, reconcile: "b" },
  ...{ controller: "podset", item: "default/web", kind: "Pod", name: "web-x", self: true },
};
const finding: Finding = {
  ...{ row: "finding", key: "f", rule: "hot-loop", controller: "podset", item: "default/web", from: at(2), to: 0 },
  ...{ summary: "it runs for nothing", evidence: ["a", "b", "a"] },
};
const gap: Gap = {
  ...{ row: "gap", key: "g", source: "s", controller: "podset", epoch: "e", first: 1, last: 2, count: 2 },
  ...{ from: at(0), to: at(1), reason: "unknown" },
};

test("edges, findings, waits and gaps are found by what they belong to, until they are replaced or gone", () => {
  const stay = wait({ from: at(5), until: at(900) });
  const made = table(edge, finding, gap, stay);
  const all = (): number[] => {
    const { related } = made;
    const waits = related.waits("podset", "default/web");
    return [
      related.effects("a"),
      related.evidence("b"),
      related.findings("podset", "default/web"),
      waits,
      related.gaps("podset"),
    ].map((rows) => rows.length);
  };
  assert.deepEqual(all(), [1, 1, 1, 1, 1]);
  const rows = [
    { ...finding, evidence: ["a"] },
    { ...stay, to: at(9) },
    { ...edge, write: { reconcile: "x", span: "w" } },
  ];
  made.apply({ type: "rows", offset: 2, now: at(0), rows, gone: [{ row: "gap", key: "g" }] });
  assert.deepEqual(all(), [0, 0, 1, 1, 0]);
  assert.equal(made.related.waits("podset", "default/web")[0]?.to, at(9));
  made.apply({ type: "snapshot", epoch: "e", offset: 3, now: at(0), reason: "start", rows: [] });
  assert.deepEqual(all(), [0, 0, 0, 0, 0]);
});

test("what had begun at a moment: the newest of it, and nothing that still waited in the queue", () => {
  const runs = [0, 10, 20, 30].map((ms) => pass(ms, [4, 2], { key: `k${String(ms)}` }));
  const made = table(...runs);
  const keys = (ms: number, limit?: number): string[] =>
    made.until("podset", "default/web", at(ms), limit).map((run) => run.key);
  assert.deepEqual(keys(23), ["k0", "k10"]);
  assert.deepEqual(keys(24), ["k0", "k10", "k20"]);
  assert.deepEqual(keys(99, 2), ["k20", "k30"]);
  assert.deepEqual(
    made.until("", "", at(99), 1).map((run) => run.key),
    ["k30"],
  );
});

test("with 50,000 reconciles and as many waits, what panels ask is found and not searched for", () => {
  const made = new Table();
  for (let i = 0; i < 50; i++) {
    const rows = Array.from({ length: 1000 }, (_, k): Row[] => {
      const n = i * 1000 + k;
      const item = `default/item-${String(n % 500)}`;
      const from = at(n);
      return [
        reconcile({ key: `r${String(n)}`, item, from, start: from, to: from + 500, next: { why: "backoff" } }),
        wait({ item, from, to: from + 900 }),
        { ...edge, key: `e${String(n)}`, write: { reconcile: `r${String(n)}`, span: "w" } },
      ];
    }).flat();
    made.apply({ type: "rows", offset: i, now: at(0), rows, gone: [] });
  }
  const one = made.reconcile("r25000");
  assert.ok(one);
  const begun = performance.now();
  for (let i = 0; i < 1000; i++) {
    made.nth(one);
    made.until("podset", one.item, at(25_000));
    made.until("podset", "", at(25_000), 100);
    made.related.effects(one.key);
    made.related.waits("podset", one.item);
    made.why({ ...one, causes: [{ at: at(25_000), what: "backoff", by: "self" }] });
  }
  // A thousand scans of 50,000 rows take more than ten seconds; the index takes some tens of milliseconds.
  assert.ok(performance.now() - begun < 1500, `${String(performance.now() - begun)} ms`);
});
