import assert from "node:assert/strict";
import { test } from "node:test";
import type { NodeId } from "../base/geometry.ts";
import { at, hold, pass, write } from "../../test/rows.ts";
import { asOf, settled, tookOf } from "./known.ts";

const run = pass(0, [1, 2, 1000, 10, 1], {
  result: "error",
  error: "Conflict",
  plan: [{ verb: "create", kind: "Pod", summary: "create 1 Pod" }],
  reads: [{ span: "r", from: at(1), to: at(2), kind: "Pod", source: "cache", count: 1 }],
  writes: [
    write({ span: "pod", from: at(1003), to: at(1006) }),
    write({ span: "status", from: at(1007), to: at(1010), status: 409, error: "Conflict", after: "12" }),
  ],
});
const held = hold({ reconcile: run.key, phase: "apply", from: at(10), to: at(1002.9) });

test("a reconcile that is under way is known as far as it has come", () => {
  const computing = asOf(run, at(5), []);
  assert.deepEqual([computing.to, computing.result, computing.error], [0, "", ""]);
  assert.deepEqual(
    computing.phases.map(({ name, to }) => [name, to]),
    [
      ["dequeue", at(1)],
      ["fetch", at(3)],
      ["compute", 0],
    ],
  );
  assert.deepEqual([computing.plan.length, computing.reads.length, computing.writes.length], [0, 1, 0]);

  const writing = asOf(run, at(1008), []);
  assert.deepEqual(
    writing.writes.map(({ span, status, to }) => [span, status, to]),
    [
      ["pod", 201, at(1006)],
      ["status", 0, 0],
    ],
    "an answer that has not come is not known",
  );
  assert.equal(writing.writes[1]?.after, "");
  assert.equal(writing.plan.length, 1);
});

test("one that has ended, or that is yet to begin, is whole", () => {
  assert.equal(asOf(run, at(2000), []), run);
  assert.equal(asOf(run, run.to, []), run);
  assert.equal(asOf(run, run.from - 1, []), run);
});

test("time in which its worker is held is not that of a phase, while it is held and after it", () => {
  const phases = (t: number): unknown[] =>
    asOf(run, at(t), [held]).phases.map(({ name, from, to }) => [name, to === 0 ? 0 : Math.round((to - from) / 1000)]);
  assert.deepEqual(phases(500).slice(2), [
    ["compute", 7],
    ["held", 0],
  ]);
  assert.deepEqual(phases(5000).slice(2, 5), [
    ["compute", 7],
    ["held", 993],
    ["apply", 10],
  ]);
  assert.equal(asOf(run, at(500), [held]).plan.length, 1, "it is held with its plan");
  const slow = { ...held, why: "slow ×100" };
  assert.deepEqual(
    asOf(run, at(5000), [slow]).phases.flatMap(({ name }) => (/held|slowed/.test(name) ? [name] : [])),
    ["slowed"],
  );
  assert.deepEqual(asOf(run, at(5000), [{ ...held, reconcile: "other" }]), run);
});

test("the same of one moment is the same object, so that nothing is drawn anew for it", () => {
  const first = asOf(run, at(500), [held]);
  assert.equal(asOf(run, at(501), [held]), first);
  assert.notEqual(asOf(run, at(2), []), first);
  assert.equal(asOf(run, at(502), [held]), first, "also after another moment was asked for");
});

test("who stops in a phase sees all that it has done, unless its worker is held there", () => {
  const computing = asOf(run, settled(run, at(5), []), []);
  assert.deepEqual([computing.to, computing.plan.length, computing.writes.map(({ status }) => status)], [0, 1, [0]]);
  const writing = asOf(run, settled(run, at(1004), []), []);
  assert.deepEqual(
    writing.writes.map(({ status }) => status),
    [201, 409],
  );
  assert.equal(settled(run, at(500), [held]), at(500));
  assert.equal(settled(run, at(5000), [held]), at(5000));
  assert.equal(settled(run, at(5), [held]), at(10), "nor does it do more by being held later in the phase");
});

test("how long a phase took has no hold in it, and of what comes later nothing is known", () => {
  const took = (node: NodeId, t: number): unknown => tookOf(run, node, at(t), [held]);
  assert.deepEqual(took("compute", 5), { lasting: 2000, over: false });
  assert.deepEqual(took("compute", 500), { lasting: 7000, over: true });
  assert.deepEqual(took("compute", 5000), { lasting: 7000, over: true });
  assert.equal(took("apply", 500), undefined);
});

test("before its dequeue a reconcile has no name: what it was held there is its own all the same", () => {
  const waited = pass(0, [3000, 1, 1, 1, 1]);
  const door = hold({ phase: "dequeue", from: at(0.02), to: at(3000) });
  const pieces = asOf(waited, at(9000), [door]).phases;
  assert.deepEqual(
    pieces.slice(0, 2).map(({ name, from, to }) => [name, from, to]),
    [
      ["dequeue", at(0), at(0.02)],
      ["held", at(0.02), at(3000)],
    ],
  );
  assert.deepEqual(tookOf(waited, "dequeue", Infinity, [door]), { lasting: 20, over: true });
  assert.deepEqual(asOf(waited, at(9000), [{ ...door, item: "default/db" }]), waited);
});
