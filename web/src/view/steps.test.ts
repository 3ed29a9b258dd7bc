import assert from "node:assert/strict";
import { test } from "node:test";
import { at, controller, pass, write } from "../../test/rows.ts";
import type { Reconcile } from "../base/rows.gen.ts";
import { Table } from "../model/table.ts";
import { arose } from "./steps.ts";
import { writeFailed } from "./words.ts";

test("an error is looked at where it arose: where its write failed, else in the last phase before it was given back", () => {
  const whole = [1, 10, 10, 10, 1];
  const early = write({ span: "w1", from: at(112), to: at(113), status: 404 });
  const late = write({ span: "w2", from: at(125), to: at(128), status: 409 });
  const cases: readonly (readonly [Reconcile, number])[] = [
    [pass(100, whole, { key: "apply", result: "error", writes: [write({ from: at(121), to: at(122) }), late] }), 121],
    // A write that fails outside of apply, before others do.
    [pass(100, whole, { key: "compute", result: "error", writes: [early, late] }), 111],
    [pass(100, [1, 10, 0, 0, 1], { key: "fetch", result: "error" }), 101],
    [pass(100, [1, 10, 10, 0, 0], { key: "panic", result: "panic" }), 111],
    // All was written, and it gave an error back all the same.
    [pass(100, whole, { key: "after", result: "error", writes: [write({ from: at(121), to: at(122) })] }), 121],
    [pass(100, [], { key: "none", result: "error" }), 100],
  ];
  const model = new Table();
  model.apply({ type: "rows", offset: 1, now: at(5000), rows: [controller(), ...cases.map(([run]) => run)], gone: [] });
  for (const [run, ms] of cases) assert.equal(arose({ model }, run, run.writes.find(writeFailed)), at(ms), run.key);
});
