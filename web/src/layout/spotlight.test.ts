import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Reconcile } from "../base/rows.gen.ts";
import { geometry } from "../base/geometry.gen.ts";
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
