import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hold } from "../base/rows.gen.ts";
import { stationOf } from "../layout/spotlight.ts";
import { at, cause, hold, pass, write } from "../../test/rows.ts";
import { stepSaid } from "./voice.ts";

const run = pass(0, [3, 2, 1, 6, 1], {
  causes: [cause({ manager: "kubectl" })],
  plan: [{ verb: "create", kind: "Pod", summary: "create 2 Pods" }],
  reads: [{ span: "s", from: at(3), to: at(4), kind: "Pod", source: "cache", count: 3, stale: "yes", staleBy: 1 }],
  writes: [
    write({ from: at(7), to: at(8) }),
    write({
      method: "PUT",
      resource: "podsets",
      subresource: "status",
      name: "web",
      before: "7",
      status: 409,
      error: "Conflict",
    }),
  ],
  result: "error",
  error: "Conflict",
});

const model = { nth: () => ({ n: 3, of: 3 }), holds: () => [], called: () => "web" };

test("a step tells the phase, how long it took and what was done in it", () => {
  assert.equal(stepSaid(run, "dequeue", model), "web, reconcile 3, dequeue, 3 ms: update by kubectl.");
  assert.equal(stepSaid(run, "fetch", model), "web, reconcile 3, fetch, 2 ms: 3 Pod from the cache, stale.");
  assert.equal(stepSaid(run, "compute", model), "web, reconcile 3, compute, 1 ms: create 2 Pods.");
  assert.equal(
    stepSaid(run, "apply", model),
    "web, reconcile 3, apply, 6 ms: POST pod, PUT status of web refused: 409 Conflict, sent on rv 7.",
  );
  assert.match(
    stepSaid(run, "requeue", model),
    /^web, reconcile 3, requeue, 1 ms: Conflict, Given up until something changes/,
  );
});

test("of a reconcile that is done the refused write is told once, with what comes next", () => {
  const refused = pass(0, [3, 2, 1, 6, 1], { writes: [write({ status: 403, error: "Forbidden" })] });
  assert.equal(
    stepSaid(refused, "requeue", model),
    "web, reconcile 3, requeue, 1 ms: Done until something changes (1 write refused).",
  );
});

test("the phase at a moment is the one that has begun last, and none after the end", () => {
  assert.equal(stationOf(run, at(-1), [])?.node, undefined);
  assert.equal(stationOf(run, at(3.5), [])?.node, "fetch");
  assert.equal(stationOf(run, at(12), [])?.node, "requeue");
  assert.equal(stationOf(run, at(20), [])?.node, undefined);
});

test("how long a phase took leaves out its worker's hold", () => {
  const holds = (): Hold[] => [hold({ reconcile: run.key, phase: "apply", from: at(5.5), to: at(6) })];
  assert.match(stepSaid(run, "compute", { ...model, holds }), /compute, 0.5 ms/);
});
