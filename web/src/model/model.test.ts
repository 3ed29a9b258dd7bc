import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Frame, RowRef } from "../base/frames.ts";
import type { Cause, Row } from "../base/rows.gen.ts";
import { EPOCH, at, cause, controller, item, pass, reconcile, sample, wait, write } from "../../test/rows.ts";
import { scenarios } from "../../test/scenarios.ts";
import { last, simulate } from "../../test/simulate.ts";
import { quantile } from "./histogram.ts";
import { Table } from "./table.ts";

function rows(list: readonly Row[], gone: readonly RowRef[] = []): Frame {
  return { type: "rows", offset: 1, now: at(0), rows: list, gone };
}

function table(...list: readonly Row[]): Table {
  const made = new Table();
  made.apply(rows(list));
  return made;
}

const named = (list: Iterable<Row>): Map<string, Row> =>
  new Map([...list].map((row) => [`${row.row}/${row.key}`, row]));

for (const { name, frames, rows: end } of scenarios()) {
  test(`the hub's scenario ${name} ends with the fold's own rows`, () => {
    const made = new Table();
    for (const frame of frames) made.apply(frame);
    assert.deepEqual(named(made.rows()), named(end));
  });
}

test("a snapshot replaces everything, a row its own key, gone takes away", () => {
  const made = table(item(), pass(0, [1], { key: "a" }));
  assert.deepEqual(made.apply(rows([pass(0, [1], { key: "a", result: "error" })])).removed, []);
  assert.equal(made.reconcile("a")?.result, "error");
  made.apply(rows([], [{ row: "reconcile", key: "a" }]));
  assert.deepEqual([made.reconcile("a"), made.recent("", 9)], [undefined, []]);
  const fresh = made.apply({
    type: "snapshot",
    epoch: "e",
    offset: 9,
    now: at(0),
    reason: "start",
    rows: [controller()],
  });
  assert.deepEqual([fresh.reset, [...made.rows()].map((row) => row.row)], [true, ["controller"]]);
});

test("lanes have exact counts and the rate over ten seconds", () => {
  const made = table(controller({ key: "b", reconciles: 1204, latency: [0, 0, 4] }), controller({ key: "a" }));
  made.apply(rows([sample(0, 5, 0, "b"), sample(5, 15, 0, "b"), sample(9, 1, 0, "b")]));
  made.apply(rows([sample(9, 5, 0, "b")]));
  const lanes = made.lanes(EPOCH + 10_500_000);
  assert.deepEqual(
    lanes.map((lane) => [lane.name, lane.controller.reconciles, lane.rate]),
    [
      ["a", 0, 0],
      ["b", 1204, 2],
    ],
  );
});

test("quantiles are interpolated in their power of two, and then rough", () => {
  const read = (buckets: readonly number[]): unknown => Object.values(quantile(buckets, 0.5, []));
  assert.deepEqual(
    [read([]), read([0, 0])],
    [
      [0, false],
      [0, false],
    ],
  );
  assert.deepEqual(
    [read([0, 0, 0, 8]), read([0, 0, 4]), read([1, 0, 0, 3])],
    [
      [12, true],
      [6, true],
      [8 * (1 + 1 / 3), true],
    ],
  );
});

test("quantiles of values that are all known are exact", () => {
  const exact = (q: number, values: readonly number[]): unknown =>
    Object.values(quantile([0, 0, 0, 0, 1, 1], q, values));
  assert.deepEqual(
    [exact(0.5, [37, 18]), exact(0.99, [37, 18])],
    [
      [27.5, false],
      [18 + 19 * 0.99, false],
    ],
  );
  assert.deepEqual(exact(0.5, [37]), [32, true], "one of them is missing");
});

test("a reconcile is the 17th of 17, also when the older ones are not here", () => {
  const [a, b, c] = [0, 10, 20].map((ms) => pass(ms, [1], { key: `k${String(ms)}` }));
  assert.ok(a && b && c);
  const made = table(item({ reconciles: 17 }), c, a, b);
  assert.deepEqual(
    [made.nth(a), made.nth(b), made.nth(c)],
    [
      { n: 15, of: 17 },
      { n: 16, of: 17 },
      { n: 17, of: 17 },
    ],
  );
  const open = pass(30, [1], { key: "k30", to: 0 });
  made.apply(rows([open]));
  assert.deepEqual(made.nth(open), { n: 18, of: 18 });
  assert.deepEqual(
    made.reconcilesOf("podset", "default/web").map((r) => r.key),
    ["k30", "k20", "k10", "k0"],
  );
  assert.equal(made.latestFinished("default/web")?.key, "k20");
});

test("a reconcile has the number that the hub counted, whatever is left out", () => {
  const [a, b, c] = [3, 8, 12].map((nth) => pass(nth * 10, [1], { key: `n${String(nth)}`, nth }));
  assert.ok(a && b && c);
  // Fourteen are done, and one more was lost, which the item's count does not say.
  const made = table(item({ reconciles: 14 }), b, c, a);
  const numbers = [made.nth(a), made.nth(b), made.nth(c)].map(({ n, of }) => `${String(n)} of ${String(of)}`);
  assert.deepEqual(numbers, ["3 of 14", "8 of 14", "12 of 14"]);
  made.apply(rows([pass(200, [1], { key: "n15", nth: 15 })]));
  assert.deepEqual(made.nth(a), { n: 3, of: 15 });
});

test("why leads from a cause to its write and reconcile, and back", () => {
  const w = write({ span: "w", seenAt: at(12), to: at(9) });
  const first = pass(0, [1], { key: "a", writes: [w] });
  const ref = { reconcile: "a", span: "w" };
  const second = pass(20, [1], {
    key: "b",
    causes: [cause({ by: "self", write: ref }), cause({ write: { reconcile: "x", span: "y" } })],
  });
  const made = table(second, first, item({ reconciles: 2 }));
  const [known, unknown] = made.why(second);
  assert.deepEqual([known?.write?.span, known?.reconcile?.key, known?.nth], ["w", "a", 1]);
  assert.deepEqual([unknown?.write, unknown?.reconcile, unknown?.nth], [undefined, undefined, 0]);
  assert.deepEqual(
    made.effectsOf("w").map((r) => r.key),
    ["b"],
  );
});

test("queue and waiting room can be asked for any time, in order", () => {
  const ready = (name: string, order: number, from: number, to: number, priority = 0): Row =>
    wait({ item: name, state: "ready", order, from: at(from), to: to === 0 ? 0 : at(to), priority });
  const made = table(ready("c", 3, 0, 100), ready("a", 1, 10, 50), ready("b", 2, 20, 0), ready("p", 9, 30, 0, 5));
  made.apply(
    rows([wait({ item: "late", from: at(0), until: at(900) }), wait({ item: "soon", from: at(1), until: at(300) })]),
  );
  const queue = (ms: number): string =>
    made
      .queueAt("podset", at(ms))
      .map((w) => w.item)
      .join("");
  assert.deepEqual([queue(5), queue(25), queue(40), queue(60), queue(200)], ["c", "abc", "pabc", "pbc", "pb"]);
  assert.deepEqual(
    made.waitingAt("podset", at(2)).map((w) => w.item),
    ["soon", "late"],
  );
});

test("the time line counts seconds exactly and marks errors", () => {
  const made = table(sample(0, 3), sample(1, 4, 2), sample(2, 5, 0, "other"), sample(7, 9));
  const bins = (name: string): number[][] =>
    made.timeline(name, EPOCH, EPOCH + 4_000_000, 2).map((b) => [b.count, b.errors]);
  assert.deepEqual(
    [bins(""), bins("podset")],
    [
      [
        [7, 2],
        [5, 0],
      ],
      [
        [7, 2],
        [0, 0],
      ],
    ],
  );
});

test("elided reconciles are kept with the time since the frame before", () => {
  const made = table(item());
  made.apply({
    type: "elided",
    offset: 9,
    now: at(500),
    reconciles: 830,
    by: { success: 829, error: 1 },
  });
  assert.deepEqual(made.elided(), [{ from: at(0), to: at(500), reconciles: 830, by: { success: 829, error: 1 } }]);
});

test("memory is bounded: the oldest go first, are counted and told to the layout", () => {
  const made = new Table({ reconcile: 3, wait: 1 });
  const passes = [0, 1, 2, 3, 4].map((ms) => pass(ms, [1], { key: `k${String(ms)}` }));
  const change = made.apply(rows([...passes, wait({ from: at(1) }), wait({ from: at(2) })]));
  assert.deepEqual(
    change.removed.map((ref) => ref.row),
    ["reconcile", "reconcile", "wait"],
  );
  assert.deepEqual([made.recent("", 9).map((r) => r.key), made.evicted], [["k4", "k3", "k2"], 2]);
  assert.equal(made.waitingAt("podset", at(5)).length, 1);
});

test("what somebody looks at is not evicted, until there is no room for it, which is counted; then the oldest go", () => {
  const made = new Table({ reconcile: 4, sample: 2 });
  const passes = (from: number, n: number): Row[] =>
    Array.from({ length: n }, (_, i) => pass(from + i, [1], { key: `k${String(from + i)}` }));
  made.apply(rows([...passes(0, 4), sample(0, 1), sample(1, 1)]));
  made.look({ from: at(0), to: at(1.5) });
  made.apply(rows([...passes(4, 1), sample(2, 1)]));
  const keys = (): string =>
    made
      .recent("", 9)
      .map((run) => run.key)
      .join();
  assert.equal(keys(), "k4,k3,k1,k0");
  // The seconds of the window are kept as well.
  assert.deepEqual(
    [made.samples("podset", EPOCH, at(9000)).length, made.timeline("", EPOCH, at(3000), 3)[0]?.count],
    [2, 1],
  );
  made.look({ from: at(0), to: at(100) });
  const change = made.apply(rows(passes(5, 3)));
  assert.deepEqual(change.removed, [
    { row: "reconcile", key: "k0" },
    { row: "reconcile", key: "k1" },
  ]);
  assert.deepEqual([keys(), made.shortened], ["k7,k6,k5,k4,k3", 2]);
  made.look(undefined);
  made.apply(rows(passes(8, 1)));
  assert.deepEqual([keys(), made.shortened], ["k8,k7,k6,k5", 0]);
});

test("what the hub lets go of stays while somebody looks at its time, and goes when nobody does", () => {
  const made = table(pass(0, [1], { key: "a" }), pass(50, [1], { key: "b" }), wait({ from: at(0), to: at(2) }));
  made.look({ from: at(0), to: at(10) });
  const gone: RowRef[] = [
    { row: "reconcile", key: "a" },
    { row: "reconcile", key: "b" },
    { row: "wait", key: wait({ from: at(0) }).key },
  ];
  assert.deepEqual(made.apply(rows([], gone)).removed, [{ row: "reconcile", key: "b" }]);
  assert.equal(made.reconcile("a")?.key, "a");
  assert.equal(made.waitingAt("podset", at(1)).length, 1);
  made.look({ from: at(0), to: at(10) });
  assert.deepEqual(made.apply(rows([])).removed, [], "the same window is no other");
  made.look({ from: at(40), to: at(60) });
  assert.deepEqual(made.apply(rows([])).removed, [gone[0], gone[2]]);
  assert.equal(made.reconcile("a"), undefined);
});

test("a row that comes again is not let go of after all", () => {
  const made = table(pass(0, [1], { key: "a" }));
  made.look({ from: at(0), to: at(10) });
  made.apply(rows([], [{ row: "reconcile", key: "a" }]));
  made.apply(rows([pass(0, [1], { key: "a", result: "error" })]));
  made.look(undefined);
  assert.deepEqual(made.apply(rows([])).removed, []);
  assert.equal(made.reconcile("a")?.result, "error");
});

test("property: whatever is looked at, memory is bounded and the layout is told of all that goes", () => {
  const window = fc.option(fc.record({ from: fc.nat(60), length: fc.nat(60) }), { nil: undefined });
  fc.assert(
    fc.property(fc.array(fc.tuple(window, fc.nat(20)), { maxLength: 20 }), (steps) => {
      const made = new Table({ reconcile: 8 });
      const kept = new Set<string>();
      let next = 0;
      for (const [looked, n] of steps) {
        made.look(looked === undefined ? undefined : { from: at(looked.from), to: at(looked.from + looked.length) });
        const change = made.apply(rows(Array.from({ length: n }, () => pass(next, [1], { key: String(next++) }))));
        for (const row of change.upserted) kept.add(row.key);
        for (const { key } of change.removed) kept.delete(key);
        assert.deepEqual(new Set(made.recent("", 99).map((run) => run.key)), kept);
        assert.ok(kept.size <= 10);
      }
    }),
  );
});

test("holds and the stays in the waiting room can be asked for a stretch of time", () => {
  const made = table(
    wait({ from: at(0), to: at(5) }),
    wait({ item: "b", from: at(3) }),
    wait({ state: "ready", from: at(0), to: at(9) }),
  );
  const items = (from: number, to: number): string[] =>
    made
      .waits(at(from), at(to))
      .map((one) => one.item)
      .sort();
  assert.deepEqual([items(1, 2), items(4, 9), items(6, 9)], [["default/web"], ["b", "default/web"], ["b"]]);
  made.apply(
    rows([
      { row: "hold", key: "h", controller: "podset", worker: 0, phase: "apply", why: "pause", from: at(1), to: 0 },
    ]),
  );
  assert.equal(made.holds().length, 1);
});

test("property: rows in any portions give the same answers as their newest states at once", () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.integer({ min: 1, max: 9 }), (seed, n) => {
      const told = simulate({ seed, items: 4, lasting: 2000, perSecond: 30, errors: 0.2 });
      const made = new Table();
      for (let i = 0; i < told.length; i += n) made.apply(rows(told.slice(i, i + n).map(({ row }) => row)));
      const once = table(...last(told));
      assert.deepEqual(named(made.rows()), named(once.rows()));
      for (const ms of [0, 500, 1500])
        assert.deepEqual(made.waitingAt("podset", at(ms)), once.waitingAt("podset", at(ms)));
    }),
    { numRuns: 20 },
  );
});

test("what overtook a conflicting write is the first newer version of its object, with the reconcile that it led to", () => {
  const put = write({
    span: "p",
    method: "PUT",
    resource: "podsets",
    name: "web",
    before: "273",
    status: 409,
    from: at(20),
  });
  const failed = reconcile({ key: "r12", from: at(10), start: at(10), to: at(30), writes: [put], result: "error" });
  const rv = (resourceVersion: string, given: Partial<Cause> = {}): Cause => cause({ resourceVersion, ...given });
  const later = reconcile({
    key: "r13",
    from: at(31),
    start: at(31),
    to: at(40),
    causes: [rv("280"), rv("275", { at: at(16) }), rv("274", { kind: "Pod", name: "web-1" }), rv("273")],
  });
  const made = table(failed, later);
  const found = made.overtaken(failed, put);
  assert.deepEqual(
    [found?.cause.resourceVersion, found?.reconcile.key, found?.nth, found?.made],
    ["275", "r13", 2, false],
  );
  assert.equal(made.followed(failed, at(99)).after?.key, "r13");
  assert.equal(made.followed(later, at(99)).after, undefined);
  assert.equal(made.overtaken(failed, { ...put, status: 500 }), undefined);
  assert.equal(made.overtaken(failed, { ...put, fault: "409" }), undefined, "a fault is no conflict");
});

test("what the controller itself made after the answer overtook nothing", () => {
  const put = write({ span: "p", method: "PUT", resource: "podsets", name: "web", before: "473", status: 409 });
  const refused = { ...put, from: at(20), to: at(22) };
  const failed = reconcile({ key: "a", from: at(10), start: at(10), to: at(30), writes: [refused], result: "error" });
  const again = write({ span: "q", method: "PUT", resource: "podsets", name: "web", status: 200, after: "474" });
  const overtaken = (madeAt: number, known: boolean): string | undefined => {
    const ref = { reconcile: "b", span: "q" };
    const own = cause({ by: "self", resourceVersion: "474", at: at(madeAt + 1), ...(known && { write: ref }) });
    return table(
      failed,
      reconcile({ key: "b", from: at(5), start: at(5), to: at(50), writes: [{ ...again, to: at(madeAt) }] }),
      reconcile({ key: "c", from: at(60), start: at(60), to: at(61), causes: [own] }),
    ).overtaken(failed, refused)?.reconcile.key;
  };
  assert.deepEqual([overtaken(40, true), overtaken(40, false)], [undefined, undefined]);
  assert.deepEqual([overtaken(15, true), overtaken(15, false)], ["b", "c"]);
});

test("a back-off names the reconcile that failed", () => {
  const failed = reconcile({
    key: "a",
    from: at(0),
    start: at(0),
    to: at(5),
    result: "error",
    next: { why: "backoff" },
  });
  const calm = reconcile({ key: "b", from: at(6), start: at(6), to: at(7) });
  const timer = cause({ what: "backoff", by: "self", at: at(20) });
  const again = reconcile({ key: "c", from: at(20), start: at(20), to: at(21), causes: [timer] });
  const [link] = table(failed, calm, again).why(again);
  assert.deepEqual([link?.reconcile?.key, link?.nth], ["a", 1]);
});
