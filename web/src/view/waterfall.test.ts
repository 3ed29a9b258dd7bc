import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reconcile } from "../base/rows.gen.ts";
import { differences, shortPath } from "./diff.ts";
import { bars, scaleOf } from "./waterfall.ts";

const run: Reconcile = {
  row: "reconcile",
  key: "k",
  controller: "podset",
  source: "s",
  item: "default/web",
  object: {
    kind: "PodSet",
    name: "web",
    fields: [
      { path: "spec.replicas", value: "5" },
      { path: "status.readyReplicas", value: "3" },
      { path: "status.replicas", value: "3" },
    ],
  },
  worker: 1,
  from: 0,
  start: 900_000,
  to: 909_000,
  result: "error",
  error: "Conflict",
  queue: { depth: 1, requeues: 0 },
  causes: [],
  causeCounts: {},
  phases: [
    { name: "dequeue", from: 0, to: 900_000 },
    { name: "apply", from: 900_000, to: 0 },
  ],
  reads: [{ span: "r", from: 900_000, to: 900_008, source: "cache", kind: "Pod", count: 3, stale: "yes", staleBy: 2 }],
  plan: [],
  writes: [
    {
      span: "a",
      from: 901_000,
      to: 902_000,
      method: "POST",
      resource: "pods",
      name: "web-x",
      status: 201,
      fields: [{ path: "status.replicas", value: "9" }],
    },
    {
      span: "b",
      from: 902_000,
      to: 903_000,
      method: "PUT",
      resource: "podsets",
      subresource: "status",
      name: "web",
      status: 200,
      fields: [
        { path: "status.replicas", value: "5" },
        { path: "status.readyReplicas", value: "3" },
      ],
    },
    {
      span: "c",
      from: 903_000,
      to: 904_000,
      method: "PUT",
      resource: "podsets",
      subresource: "status",
      name: "web",
      status: 409,
      error: "Conflict",
      fields: [{ path: "status.replicas", value: "7" }],
    },
  ],
  writeCount: 3,
  failedWrites: 1,
  readCount: 1,
  next: { why: "" },
};

test("a failed write's bar is not green, and says its status", () => {
  const writes = bars(run).filter((bar) => bar.value.match(/^\d{3}$/));
  assert.deepEqual(
    writes.map((bar) => [bar.value, bar.tone]),
    [
      ["201", "ok"],
      ["200", "ok"],
      ["409", "error"],
    ],
  );
});

test("a stale read and an open phase are marked", () => {
  assert.deepEqual(
    bars(run)
      .filter((bar) => bar.tone === "warn")
      .map((bar) => bar.value),
    ["stale −2"],
  );
  assert.equal(bars(run)[1]?.value, "…");
});

test("a long wait in the queue leaves the work two thirds of the width", () => {
  const scale = scaleOf(run, 0);
  assert.equal(scale.cut, true);
  assert.equal((scale.to - run.start) / (scale.to - scale.from), 2 / 3);
  assert.equal(scaleOf({ ...run, from: 899_000 }, 0).cut, false);
});

test("only what was written to the object itself, and arrived, is a difference", () => {
  assert.deepEqual(differences(run), [
    { path: "spec.replicas", seen: "5", written: "" },
    { path: "status.replicas", seen: "3", written: "5" },
    { path: "status.readyReplicas", seen: "3", written: "" },
  ]);
  assert.equal(shortPath("status.conditions.Ready.reason"), "Ready.reason");
});
