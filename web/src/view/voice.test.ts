import assert from "node:assert/strict";
import { test } from "node:test";
import { at, cause, pass, write } from "../../test/rows.ts";
import { stationAt } from "./steps.ts";
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

test("a step tells the phase, how long it took and what was done in it", () => {
  assert.equal(stepSaid(run, "dequeue", 3), "web, reconcile 3, dequeue, 3 ms: update by kubectl.");
  assert.equal(stepSaid(run, "fetch", 3), "web, reconcile 3, fetch, 2 ms: 3 Pod from the cache, stale.");
  assert.equal(stepSaid(run, "compute", 3), "web, reconcile 3, compute, 1 ms: create 2 Pods.");
  assert.equal(
    stepSaid(run, "apply", 3),
    "web, reconcile 3, apply, 6 ms: POST pod, web status written on rv 7: 409 Conflict.",
  );
  assert.match(
    stepSaid(run, "requeue", 3),
    /^web, reconcile 3, requeue, 1 ms: Conflict, Given up until something changes/,
  );
});

test("the phase at a moment is the one that has begun last, and none after the end", () => {
  assert.equal(stationAt(run, at(-1)), undefined);
  assert.equal(stationAt(run, at(3.5)), "fetch");
  assert.equal(stationAt(run, at(12)), "requeue");
  assert.equal(stationAt(run, at(20)), undefined);
});
