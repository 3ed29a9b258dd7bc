import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cause, Reconcile } from "../base/rows.gen.ts";
import { at, cause, pass } from "../../test/rows.ts";
import { waited } from "./itemview.ts";
import { nextSaid } from "../view/words.ts";
import { chainOf } from "../model/chain.ts";
import { Table } from "../model/table.ts";

/** A reconcile of 10 ms, the last of them its requeue phase. due: when its back-off is over, told from its end on. */
function run(n: number, ms: number, causes: readonly Cause[], due?: number): Reconcile {
  const next = due === undefined ? { why: "done" } : { why: "backoff", at: at(due), requeues: n };
  return pass(ms, [0, 0, 1, 8, 1], { key: String(n), causes, result: due === undefined ? "success" : "error", next });
}

const backoff = (ms: number): Cause => cause({ what: "backoff", by: "self", at: at(ms) });
const update = (ms: number): Cause => cause({ at: at(ms) });

function table(...rows: readonly Reconcile[]): Table {
  const made = new Table();
  made.apply({ type: "rows", offset: 1, now: at(0), rows, gone: [] });
  return made;
}

/** 1's back-off is over while 2 runs, so 3 comes at once; 2's own leads to 5. */
const runs = [
  run(1, 0, [update(0)], 35),
  run(2, 30, [update(30)], 120),
  run(3, 40, [backoff(35)]),
  run(4, 60, [update(60)]),
  run(5, 119.5, [backoff(119.5)]),
];
const made = table(...runs);
const said = (model: Table, of: Reconcile, ms: number): string => {
  const { text, more } = nextSaid(of, at(ms), model.followed(of, at(ms)));
  return `${text} ${more}`;
};

test("each back-off leads to the reconcile that it brought, whatever came before", () => {
  const retries = runs.map((one) => made.followed(one, at(999)).retry?.key);
  assert.deepEqual(retries, ["3", "5", undefined, undefined, undefined]);
  const causes = runs.map((one) => made.why(one)[0]?.reconcile?.key);
  assert.deepEqual(causes, [undefined, undefined, "1", undefined, "2"]);
});

test("what came before a back-off was over is told apart from its end", () => {
  const [, second] = runs as [Reconcile, Reconcile];
  assert.equal(
    said(made, second, 999),
    "Tried again after 80 ms, in reconcile 5 (2nd time); an earlier back-off came first, after 0 ms",
  );
  assert.match(said(made, second, 70), /^Back-off of 80 ms set \(2nd time\); an earlier back-off came first/);
  assert.match(said(made, second, 40), /^Back-off of 80 ms set/);
  assert.match(said(made, second, 39.9), /^Tries again in/);
});

test("a delay that a newer failure only joined ends for both in one reconcile", () => {
  const both = [run(1, 0, [update(0)], 80), run(2, 20, [update(20)], 80.5), run(3, 80, [backoff(80)])];
  const model = table(...both);
  assert.deepEqual(
    both.map((one) => model.followed(one, at(999)).retry?.key),
    ["3", "3", undefined],
  );
});

test("a delay that an earlier one took the place of leads nowhere", () => {
  const list = [run(1, 0, [update(0)], 500), run(2, 20, [update(20)], 40), run(3, 40, [backoff(40)], 900)];
  const model = table(...list, run(4, 900, [backoff(900)]));
  assert.deepEqual(
    list.map((one) => model.followed(one, at(9999)).retry?.key),
    [undefined, "3", "4"],
  );
});

test("the chain and the item's list name a back-off only where it led there", () => {
  const [, second, third, fourth] = runs as [Reconcile, Reconcile, Reconcile, Reconcile];
  const { lines, here } = chainOf(made, second, at(999));
  assert.deepEqual(
    lines.slice(here).map(({ reconcile }) => reconcile.key),
    ["2", "5"],
  );
  assert.equal(waited(second, third, made.why(third)), "0 µs later (back-off of reconcile 1)");
  assert.equal(waited(third, fourth, made.why(fourth)), "10 ms later");
  const first = run(1, 0, [update(0)], 35);
  assert.equal(waited(first, second, made.why(second)), "20 ms later");
});
