import assert from "node:assert/strict";
import { test } from "node:test";
import { at, controller, hold, pass, write } from "../../test/rows.ts";
import type { Reconcile } from "../base/rows.gen.ts";
import { Filter } from "../model/filter.ts";
import { asOf, settled } from "../model/known.ts";
import { Table } from "../model/table.ts";
import type { App } from "./app.ts";
import { arose, momentOf, stepper } from "./steps.ts";
import { took, writeFailed } from "./words.ts";

test("an error is looked at when it had arisen: its write had failed, else the last phase before it was given back was over", () => {
  const whole = [1, 10, 10, 10, 1];
  const early = write({ span: "w1", from: at(112), to: at(113), status: 404 });
  const late = write({ span: "w2", from: at(125), to: at(128), status: 409 });
  const cases: readonly (readonly [Reconcile, number])[] = [
    [pass(100, whole, { key: "apply", result: "error", writes: [write({ from: at(121), to: at(122) }), late] }), 131],
    // A write that fails outside of apply, before others do.
    [pass(100, whole, { key: "compute", result: "error", writes: [early, late] }), 121],
    [pass(100, [1, 10, 0, 0, 1], { key: "fetch", result: "error" }), 111],
    [pass(100, [1, 10, 10, 0, 0], { key: "panic", result: "panic" }), 121],
    // All was written, and it gave an error back all the same.
    [pass(100, whole, { key: "after", result: "error", writes: [write({ from: at(121), to: at(122) })] }), 131],
    [pass(100, [], { key: "none", result: "error" }), 100],
  ];
  const model = new Table();
  model.apply({ type: "rows", offset: 1, now: at(5000), rows: [controller(), ...cases.map(([run]) => run)], gone: [] });
  for (const [run, ms] of cases) {
    const t = arose({ model }, run, run.writes.find(writeFailed));
    assert.ok(t === at(ms) || t === at(ms) - 1, run.key);
  }
});

const refused = write({ span: "w", from: at(13_105), to: at(13_110), status: 409, error: "Conflict" });
const before = pass(100, [1, 1, 13_000, 10, 1], { key: "before", result: "error", writes: [refused] });
const early = { ...refused, from: at(105), to: at(110) };
const after = pass(100, [1, 1, 1, 27_000, 1], { key: "after", result: "error", writes: [early] });
const heldBefore = hold({ key: "1", reconcile: "before", from: at(103), to: at(13_101.9) });
const heldAfter = hold({ key: "2", reconcile: "after", from: at(120), to: at(27_102.9) });

test("an error of a reconcile that was held is looked at after the hold before its write, and before the hold after it", () => {
  const model = new Table();
  const rows = [controller(), before, after, heldBefore, heldAfter];
  model.apply({ type: "rows", offset: 1, now: at(60_000), rows, gone: [] });
  for (const [run, ms] of [
    [before, 13_112],
    [after, 120],
  ] as const) {
    const t = arose({ model }, run, run.writes[0]);
    assert.equal(t, at(ms) - 1, run.key);
    const known = asOf(run, settled(run, t, model.holds()), model.holds());
    assert.equal(known.writes[0]?.status, 409, "the panel says so then");
    assert.ok(took(known, settled(run, t, model.holds())) < 14_000_000);
  }
});

test("at each step the panel speaks of the moment of the clock, whatever was held, and steps lead back as they came", () => {
  const model = new Table();
  const rows = [controller(), before, heldBefore];
  model.apply({ type: "rows", offset: 1, now: at(60_000), rows, gone: [] });
  const selection = { get: () => ({ controller: "podset", item: before.item, reconcile: before.key }) };
  let t = before.start;
  const playhead = { now: () => t, seek: (to: number) => (t = to) };
  const step = stepper({ model, selection, playhead, filter: { get: () => new Filter("", []) } } as unknown as App);
  t = momentOf({ model }, before, "dequeue");
  const seen = [t];
  for (let i = 0; i < 4; i++) {
    step.phase(1);
    seen.push(t);
    assert.ok(settled(before, t, model.holds()) - t <= 1, String(i));
  }
  assert.deepEqual(seen, [at(101) - 1, at(102) - 1, at(103) - 1, at(13_112) - 1, before.to]);
  for (const was of seen.slice(0, -1).reverse()) {
    step.phase(-1);
    assert.equal(t, was);
  }
});
