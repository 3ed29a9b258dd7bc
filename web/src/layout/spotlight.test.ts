import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Reconcile } from "../base/rows.gen.ts";
import { geometry } from "../base/geometry.gen.ts";
import { scene } from "../scene/scene.ts";
import { spotlit } from "../scene/spotlight.ts";
import { at, cause, pass, write } from "../../test/rows.ts";
import { last, simulate } from "../../test/simulate.ts";
import { layout } from "./layout.ts";
import { spotlight, stationOf } from "./spotlight.ts";

const plain = pass(0, [3.1, 0.02, 0.3, 6.4, 0.01], { key: "r", causes: [cause({ at: at(0) })] });

test("a reconcile's stations are its phases at their true times", () => {
  const { stations } = spotlight(plain, []);
  assert.deepEqual(
    stations.map((station) => [station.node, station.at]),
    plain.phases.map((phase) => [phase.name, phase.from]),
  );
});

test("phases that began in the same moment are a microsecond apart, so that each can be stepped to", () => {
  const [dequeue, fetch, compute, apply] = plain.phases;
  assert.ok(dequeue && fetch && compute && apply);
  const empty = { ...compute, to: compute.from };
  const { stations } = spotlight({ ...plain, phases: [dequeue, fetch, empty, { ...apply, from: compute.from }] }, []);
  assert.deepEqual(
    stations.map((station) => station.at - at(0)),
    [0, 3100, 3120, 3121],
  );
});

test("who stops at apply sees every write that was sent, or their number", () => {
  const many = (n: number): Reconcile => {
    const sent = Array.from({ length: n }, (_, i) => write({ span: `w${String(i)}`, from: at(4), to: at(5 + i) }));
    return { ...plain, writes: sent.slice(0, 40), writeCount: n };
  };
  for (const n of [1, 2, 3, 6, 7, 500]) {
    const run = many(n);
    const apply = spotlight(run, []).stations.find(({ node }) => node === "apply");
    const { tokens } = spotlit(layout([run]), run, apply?.at ?? NaN, { geometry });
    const drawn = tokens.filter(({ kind }) => kind === "write");
    assert.equal(
      drawn.reduce((sum, { count }) => sum + count, 0),
      n,
    );
  }
});

test("who stops at apply sees what was refused as an error, at the write and at the API server, wherever it came among others", () => {
  const sent = (refused: readonly number[], n: number): Reconcile => {
    const writes = Array.from({ length: n }, (_, i) => {
      const answer = refused.includes(i) ? { status: 409, error: "Conflict" } : { seenAt: at(5.5) };
      return write({ span: `w${String(i)}`, from: at(4 + i / 10), to: at(5 + i / 10), ...answer });
    });
    return { ...plain, key: `${refused.join()} of ${String(n)}`, writes, writeCount: n, failedWrites: refused.length };
  };
  for (const run of [sent([0], 1), sent([0], 2), sent([1], 2), sent([0], 6), sent([5], 6), sent([0, 2, 5], 9)]) {
    const apply = spotlight(run, []).stations.find(({ node }) => node === "apply");
    const { tokens, nodes } = spotlit(layout([run]), run, apply?.at ?? NaN, { geometry });
    const looks = tokens.filter(
      ({ write: span, kind }) => kind === "write" && run.writes.some((w) => w.span === span && w.status === 409),
    );
    assert.deepEqual(
      looks.map(({ shape, tone, node, sub }) => [shape, tone, node, sub]),
      Array.from({ length: run.failedWrites }, () => ["triangle", "error", "api", "POST pods 409 Conflict"]),
      run.key,
    );
    assert.equal(nodes.find(({ node }) => node === "api")?.tone, "error", run.key);
    const drawn = tokens.filter(({ kind }) => kind === "write").reduce((sum, { count }) => sum + count, 0);
    assert.equal(drawn, run.writeCount, run.key);
  }
});

test("who stops at a stale fetch is told how far the cache is behind, as while it follows", () => {
  const read = {
    span: "s",
    from: at(3.1),
    to: at(3.11),
    source: "cache",
    kind: "Pod",
    count: 1,
    stale: "yes",
    staleBy: 2,
  };
  const run = { ...plain, key: "stale", reads: [{ ...read, stale: "no", staleBy: 0 }, read] };
  const made = layout([run]);
  const fetch = spotlight(run, []).stations.find(({ node }) => node === "fetch");
  const behind = { item: "default/web", label: "web", writes: 2 };
  assert.deepEqual(spotlit(made, run, fetch?.at ?? NaN, { geometry }).lanes[0]?.behind, behind);
  const stay = made.journeyOf("stale")?.steps.find((step) => step.kind === "stay" && step.node === "fetch");
  assert.deepEqual(scene(made, stay?.from ?? NaN, { geometry }).lanes[0]?.behind, behind);
  assert.equal(spotlit(made, run, run.start - 1000, { geometry }).lanes[0]?.behind, undefined);
});

test("a time outside the reconcile is not in its spotlight", () => {
  assert.equal(stationOf(plain, plain.from - 1, []), undefined);
  assert.equal(stationOf(plain, plain.to + 1, []), undefined);
  assert.notEqual(stationOf(plain, plain.to, []), undefined);
});

test("property: each reconcile of a burst is seen alone in each of its phases, in the order of time", () => {
  fc.assert(
    fc.property(fc.nat(1000), (seed) => {
      const rows = last(simulate({ seed, items: 2, lasting: 3000, perSecond: 30, errors: 0.3 }));
      const made = layout(rows);
      const before = new Map<string, number>();
      const passes = rows.filter((row) => row.row === "reconcile").sort((a, b) => a.from - b.from);
      for (const run of passes) {
        for (const station of spotlight(run, []).stations) {
          assert.ok(station.at > (before.get(run.item) ?? 0), `${run.key} goes back at ${station.node}`);
          before.set(run.item, station.at);
          const { tokens } = spotlit(made, run, station.at, { geometry, pinned: run.item });
          const own = tokens.filter((token) => token.kind === "pass" && token.lane === run.controller);
          assert.deepEqual(
            own.map((token) => [token.reconcile, token.node, token.count]),
            [[run.key, station.node, 1]],
          );
        }
      }
    }),
    { numRuns: 10 },
  );
});
