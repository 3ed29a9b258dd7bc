import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Row } from "../base/rows.gen.ts";
import { at, cause, pass, wait, write } from "../../test/rows.ts";
import { chance, last, simulate } from "../../test/simulate.ts";
import type { World } from "../../test/simulate.ts";
import { Layout, layout } from "./layout.ts";
import { HURRIED, LAG, STAY } from "./timing.ts";
import type { Journey } from "./types.ts";

const worlds = fc.record<World>({
  seed: fc.nat(100_000),
  items: fc.integer({ min: 1, max: 8 }),
  lasting: fc.constant(6000),
  perSecond: fc.integer({ min: 1, max: 60 }),
  errors: fc.constantFrom(0, 0.1, 0.5),
});

function journeysOf(made: Layout): Journey[] {
  const all = new Set<Journey>();
  for (const lane of made.lanes())
    for (let t = made.nextStart(lane, -Infinity); t < Infinity; t = made.nextStart(lane, t))
      made.at(lane, t, (journey) => all.add(journey));
  return [...all].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function journey(rows: readonly Row[], id: string): Journey {
  const found = journeysOf(layout(rows)).find((j) => j.id === id);
  assert.ok(found, `no journey ${id}`);
  return found;
}

/** The places of a journey in their order. */
function places(j: Journey): string {
  return j.steps
    .map((step) => (step.kind === "stay" ? step.node : `${step.back ? "back " : ""}${step.edge}`))
    .join(" ");
}

const plain = pass(0, [3.1, 0.02, 0.3, 6.4, 0.01], { key: "r", causes: [cause({ at: at(0) })] });

test("a pass goes along the whole line and ends at done", () => {
  const j = journey([plain], "r");
  assert.equal(
    places(j),
    "queue queue-dequeue dequeue dequeue-fetch fetch fetch-compute compute compute-apply apply apply-requeue requeue requeue-done",
  );
  assert.deepEqual([j.steps.at(-1)?.shape, j.steps.at(-1)?.tone, j.sub, j.label], ["tick", "ok", "update", "web"]);
});

test("causes come from where they arise", () => {
  const expected: Record<string, string> = {
    update: "outside-api api api-cache cache cache-queue",
    add: "outside-api api api-cache cache cache-queue",
    delete: "outside-api api api-cache cache cache-queue",
    initial_list: "cache-queue",
    resync: "cache-queue",
    relist: "cache-queue",
  };
  for (const [what, way] of Object.entries(expected)) {
    const rows = [{ ...plain, causes: [cause({ at: at(0), what })] }];
    assert.equal(places(journey(rows, "r/cause/0")), way, what);
  }
  for (const what of ["backoff", "requeue_after"]) {
    const all = journeysOf(layout([{ ...plain, causes: [cause({ at: at(0), what, by: "self" })] }]));
    assert.deepEqual(
      all.map((j) => j.kind),
      ["pass"],
      `${what} comes from the waiting room`,
    );
  }
});

test("an own write goes down, along the watch and into the queue, own all the way", () => {
  const w = write({ span: "w", from: at(4), to: at(9), seenAt: at(12) });
  const j = journey([{ ...plain, writes: [w], writeCount: 1 }], "r/write/w");
  assert.equal(places(j), "apply-api api api-cache cache cache-queue");
  assert.ok(j.own && j.steps.every((step) => step.tone === "own" && step.shape === "halo"));
});

test("a write that causes nothing ends at the API server", () => {
  const w = write({ span: "w", from: at(4), to: at(9) });
  assert.equal(places(journey([{ ...plain, writes: [w], writeCount: 1 }], "r/write/w")), "apply-api api");
});

test("a refused write turns round as a triangle, and its pass fails and parks", () => {
  const w = write({ span: "w", from: at(4), to: at(9), status: 409, error: "Conflict" });
  const failed = { ...plain, writes: [w], writeCount: 1, failedWrites: 1, result: "error", error: "Conflict" };
  const rows = [
    { ...failed, next: { why: "backoff", at: at(50) } },
    wait({ from: at(10), until: at(50), why: "backoff" }),
  ];
  const down = journey(rows, "r/write/w");
  assert.equal(places(down), "apply-api api back apply-api");
  assert.deepEqual([down.steps.at(-1)?.shape, down.single], ["triangle", true]);
  const j = journey(rows, "r");
  assert.deepEqual([j.steps.at(-1)?.kind === "move" && j.steps.at(-1)?.shape, j.single], ["triangle", true]);
  assert.match(places(j), /requeue requeue-waiting$/);
  const parked = journeysOf(layout(rows)).find((k) => k.kind === "wait");
  assert.ok(parked);
  assert.deepEqual([places(parked), parked.from, parked.to], ["waiting", j.to, Infinity]);
});

test("a timer that is over brings its item back to the queue before the next pass leaves it", () => {
  const first = pass(0, [1, 1, 1, 0, 1], { key: "a", next: { why: "requeue_after" } });
  const timer = wait({ from: at(4), to: at(5004), until: at(5004), why: "requeue_after" });
  const second = pass(5004, [1, 1, 1, 0, 1], {
    key: "b",
    causes: [cause({ what: "requeue_after", by: "self", at: at(5004) })],
  });
  const rows = [first, timer, second];
  const parked = journey(rows, timer.key);
  assert.equal(places(parked), "waiting waiting-queue");
  assert.ok(parked.to <= (journey(rows, "b").steps.find((s) => s.kind === "move")?.from ?? 0));
});

test("an open pass stays at its phase, and goes on from there when that is over", () => {
  const open = { ...plain, to: 0, result: "", phases: plain.phases.slice(0, 3), next: { why: "" } };
  const made = new Layout();
  made.apply({ reset: false, upserted: [open], removed: [] });
  const [, waiting] = journeysOf(made).map((j) => j);
  assert.ok(waiting === undefined || waiting.kind !== "write");
  const before = made.journeyOf("r");
  assert.deepEqual([before?.to, before?.steps.at(-1)], [Infinity, before?.steps.at(-1)]);
  const stay = before?.steps.at(-1);
  assert.ok(stay?.kind === "stay" && stay.node === "compute");
  made.apply({ reset: false, upserted: [plain], removed: [] });
  assert.deepEqual(
    made
      .journeyOf("r")
      ?.steps.slice(0, before?.steps.length ?? 0)
      .slice(0, -1),
    before?.steps.slice(0, -1),
  );
});

test("a phase that comes round again goes back along the line", () => {
  const [dequeue, fetch, compute, apply, requeue] = plain.phases;
  assert.ok(dequeue && fetch && compute && apply && requeue);
  const again = {
    ...plain,
    phases: [dequeue, fetch, compute, apply, { ...fetch, from: apply.to, to: apply.to + 5 }, requeue],
  };
  assert.match(
    places(journey([again], "r")),
    /apply back compute-apply back fetch-compute fetch fetch-compute compute-apply apply-requeue requeue/,
  );
});

test("a pass whose end was lost ends where it was last seen, not at done", () => {
  const lost = { ...plain, result: "lost", phases: plain.phases.slice(0, 3) };
  assert.match(places(journey([lost], "r")), /fetch-compute compute$/);
});

test("a stale read shows as a diamond at fetch, and only there", () => {
  const read = {
    span: "x",
    from: at(3.1),
    to: at(3.12),
    source: "cache",
    kind: "Pod",
    count: 3,
    stale: "yes",
    staleBy: 1,
  };
  const j = journey([{ ...plain, reads: [read], readCount: 1 }], "r");
  const diamonds = j.steps.filter((step) => step.shape === "diamond");
  assert.deepEqual(
    diamonds.map((step) => (step.kind === "stay" ? step.node : step.edge)),
    ["dequeue-fetch", "fetch"],
  );
});

test("many causes and many writes of a kind become ×n, exactly", () => {
  const causes = Array.from({ length: 64 }, (_, i) => cause({ at: at(i), what: i % 4 === 0 ? "resync" : "update" }));
  const writes = Array.from({ length: 40 }, (_, i) => write({ span: `w${String(i)}`, from: at(70), to: at(72) }));
  const row = pass(0, [65, 1, 1, 9, 1], {
    key: "r",
    causes,
    causeCounts: { update: 148, resync: 16 },
    writes,
    writeCount: 500,
  });
  const all = journeysOf(layout([row]));
  const total = (kind: string): number => all.filter((j) => j.kind === kind).reduce((sum, j) => sum + j.count, 0);
  assert.deepEqual([total("event"), total("write")], [164, 500]);
  assert.ok(all.length < 12);
});

test("passes that would lag more than 2 s become one, errors stay errors", () => {
  const many = Array.from({ length: 30 }, (_, i) => pass(i * 20, [1, 1, 1, 1, 1], { key: `p${String(i)}` }));
  const tokens = journeysOf(layout(many)).filter((j) => j.kind === "pass");
  assert.equal(
    tokens.reduce((sum, j) => sum + j.count, 0),
    30,
  );
  assert.ok(tokens.length < 5);
  const mixed = many.map((p, i) => (i % 2 === 0 ? p : { ...p, result: "error" }));
  const shown = journeysOf(layout(mixed)).filter((j) => j.kind === "pass");
  assert.equal(
    shown.reduce((sum, j) => sum + j.count, 0),
    30,
  );
  assert.ok(shown.some((j) => j.single));
});

test("property: steps follow each other without a hole, and never go back in time", () => {
  fc.assert(
    fc.property(worlds, (world) => {
      for (const j of journeysOf(layout(last(simulate(world))))) {
        assert.ok(j.steps.length > 0, `${j.id} has no steps`);
        assert.deepEqual([j.from, j.to], [j.steps[0]?.from, j.steps.at(-1)?.to], j.id);
        for (const [i, step] of j.steps.entries()) {
          assert.ok(step.to > step.from, `${j.id} step ${String(i)} lasts ${String(step.to - step.from)}`);
          if (i > 0) assert.equal(step.from, j.steps[i - 1]?.to, `${j.id} step ${String(i)}`);
        }
      }
    }),
    { numRuns: 20 },
  );
});

test("property: the display never runs ahead of the truth, keeps its order and lags its start by at most 2 s", () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const rows = last(simulate({ ...world, errors: 0 }));
      const made = layout(rows);
      const shown = journeysOf(made).filter((j) => j.kind === "pass");
      assert.equal(
        shown.reduce((sum, j) => sum + j.count, 0),
        rows.filter((r) => r.row === "reconcile").length,
      );
      for (const row of rows) {
        if (row.row !== "reconcile") continue;
        const j = made.journeyOf(row.key);
        const newest = rows.find((r) => r.row === "reconcile" && r.key === j?.reconcile);
        assert.ok(newest?.row === "reconcile");
        const leave = j?.steps.find((step) => step.kind === "move")?.from ?? NaN;
        assert.ok(leave >= row.start, `${row.key} leaves ${String(row.start - leave)} µs early`);
        assert.ok(
          leave <= Math.max(newest.start, row.start + LAG + STAY + HURRIED) + 1,
          `${row.key} lags ${String(leave - row.start)} µs`,
        );
      }
      for (const a of shown) {
        for (const b of shown) if (a.item === b.item && a.lane === b.lane && a.from < b.from) assert.ok(a.to <= b.to);
      }
    }),
    { numRuns: 20 },
  );
});

/** The first time at which a journey comes to a node, NaN when it never does. */
function comesTo(j: Journey | undefined, node: string): number {
  return j?.steps.find((step) => step.kind === "stay" && step.node === node)?.from ?? NaN;
}

test("property: causes are drawn before their effects", () => {
  let checked = 0;
  fc.assert(
    fc.property(worlds, (world) => {
      const rows = last(simulate(world));
      const made = layout(rows);
      const all = journeysOf(made);
      const passes = rows.filter((row) => row.row === "reconcile");
      for (const pass of passes) {
        const token = made.journeyOf(pass.key);
        const merged = (token?.count ?? 1) > 1;
        const leave = token?.steps.find((step) => step.kind === "move")?.from ?? NaN;
        for (const own of all.filter((j) => j.kind === "event" && j.reconcile === pass.key)) {
          if (!merged) assert.ok(own.to <= leave, `${own.id} comes after its pass has left the queue`);
        }
        for (const w of pass.writes) {
          const down = all.find((j) => j.write === w.span);
          if (down === undefined) continue;
          const arrived = comesTo(down, "api");
          assert.ok(leave <= down.from, `${w.span} is written before its pass leaves the queue`);
          const created = (j: Journey): boolean => w.status === 201 && j.kind === "event" && j.label === w.name;
          for (const event of all.filter(created)) {
            checked++;
            assert.ok(event.from >= arrived, `${event.id} of ${event.label} sets out before ${w.span} has made it`);
          }
          for (const effect of passes) {
            if (!effect.causes.some((cause) => cause.write?.span === w.span)) continue;
            const caused = made.journeyOf(effect.key);
            if ((caused?.count ?? 1) > 1) continue;
            checked++;
            const sets = caused?.steps.find((step) => step.kind === "move")?.from ?? NaN;
            assert.ok(down.to <= sets, `${effect.key} leaves before ${w.span}, its cause, is in the queue`);
          }
        }
      }
    }),
    { numRuns: 60 },
  );
  assert.ok(checked > 40, `only ${String(checked)} pairs were there to be checked`);
});

test("an error is no part of a calm ×n, and goes to the waiting room", () => {
  const many = Array.from({ length: 24 }, (_, i) => {
    const failed = i % 3 === 1;
    const outcome = failed ? { result: "error", error: "Conflict", next: { why: "backoff", at: at(i * 20 + 30) } } : {};
    return pass(i * 20, [1, 1, 1, 1, 1], { key: `p${String(i)}`, ...outcome });
  });
  const tokens = journeysOf(layout(many)).filter((j) => j.kind === "pass");
  for (const token of tokens) {
    const end = token.steps.at(-1);
    const bad = token.steps.some((step) => step.shape === "triangle");
    assert.equal(end?.kind === "move" && end.edge, bad ? "requeue-waiting" : "requeue-done", token.id);
    const drawn = many.find((row) => row.key === token.reconcile);
    assert.equal(bad, drawn?.result === "error", `${token.id} shows its newest reconcile's result`);
  }
  assert.ok(tokens.some((token) => token.single && token.count === 1 && token.steps.at(-1)?.shape === "triangle"));
});

test("property: rows in any portions and with any repetition lay out like all at once", () => {
  fc.assert(
    fc.property(worlds, fc.nat(1000), (world, seed) => {
      const random = chance(seed);
      const told = simulate(world);
      const made = new Layout();
      for (let i = 0; i < told.length;) {
        const n = 1 + Math.floor(random() * 20);
        const upserted = told.slice(Math.max(0, i - 2), i + n).map(({ row }) => row);
        made.apply({ reset: false, upserted, removed: [] });
        i += n;
      }
      assert.deepEqual(journeysOf(made), journeysOf(layout(last(told))));
    }),
    { numRuns: 20 },
  );
});

test("property: what is laid out bit by bit is in the end laid out like all at once", () => {
  fc.assert(
    fc.property(worlds, fc.nat(1000), (world, seed) => {
      const random = chance(seed);
      const told = simulate(world);
      const made = new Layout();
      for (let i = 0; i < told.length; i += 10) {
        const upserted = told.slice(i, i + 10).map(({ row }) => row);
        made.take([{ reset: false, upserted, removed: [] }]);
        made.settle(() => random() < 0.5);
      }
      made.settle(() => false);
      assert.deepEqual(journeysOf(made), journeysOf(layout(last(told))));
    }),
    { numRuns: 20 },
  );
});

test("what has waited longest is laid out first, and what is left is said", () => {
  const made = new Layout();
  const items = ["a", "b", "c"].map((item, i) => pass(i, [1, 1, 1, 1, 1], { key: item, item }));
  made.take([{ reset: false, upserted: items, removed: [] }]);
  const laid = (): string[] => items.filter(({ key }) => made.journeyOf(key)).map(({ key }) => key);
  assert.deepEqual([made.settle(() => true), laid()], [true, ["a"]]);
  made.take([{ reset: false, upserted: items.slice(0, 1), removed: [] }]);
  assert.deepEqual([made.settle(() => true), laid()], [true, ["a", "b"]]);
  assert.deepEqual([made.settle(() => false), laid()], [false, ["a", "b", "c"]]);
});

test("property: rows that are gone leave nothing behind", () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const rows = last(simulate(world));
      const made = layout(rows);
      for (const row of rows) made.apply({ reset: false, upserted: [], removed: [{ row: row.row, key: row.key }] });
      assert.deepEqual(journeysOf(made), []);
    }),
    { numRuns: 20 },
  );
});

test("events of dependents that come at once are one small token; the item's own are told apart", () => {
  const pods = ["a", "b", "c"].map((name, i) => cause({ at: at(i * 20), kind: "Pod", name, by: "other" }));
  const own = [0, 1].map((i) => cause({ at: at(i * 20), kind: "PodSet" }));
  const late = cause({ at: at(400), kind: "Pod", name: "d", by: "other" });
  const run = pass(500, [1, 1, 1, 1, 1], { key: "r", causes: [...pods, ...own, late] });
  const events = journeysOf(layout([run])).filter(({ kind }) => kind === "event");
  const drawn = events.map(({ label, count, minor }) => `${label} ×${String(count)}${minor === true ? " small" : ""}`);
  assert.deepEqual(drawn.sort(), ["Pod ×3 small", "d ×1 small", "web ×1", "web ×1"]);
});
