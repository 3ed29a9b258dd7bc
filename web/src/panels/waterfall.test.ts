import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reconcile, ServerSpan, Write } from "../base/rows.gen.ts";
import { asOf } from "../model/known.ts";
import { hold } from "../../test/rows.ts";
import { commitOf } from "./servers.ts";
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

test("a write that changed nothing says so where it is read", () => {
  const bar = bars(withServers({ noop: true, status: 200 })).find((one) => one.value.includes("200"));
  assert.deepEqual([bar?.value, bar?.tone], ["200 no-op", "warn"]);
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

function by(service: string, name: string, span: string, parent: string, from: number, to: number): ServerSpan {
  return { service, name, span, parent, from, to };
}

/** As Kubernetes sends them, without some of the filters. */
const served: ServerSpan[] = [
  by("apiserver", "POST /api/v1/namespaces/{:namespace}/pods", "s1", "a", 901_100, 901_900),
  by("apiserver", "audit", "s2", "s1", 901_110, 901_890),
  by("apiserver", "Create etcd3", "s3", "s2", 901_200, 901_800),
  by("apiserver", "etcdserverpb.KV/Txn", "s4", "s3", 901_300, 901_700),
  by("etcd", "etcdserverpb.KV/Txn", "e1", "s4", 901_350, 901_650),
  by("etcd", "txn", "e2", "e1", 901_400, 901_600),
];

function withServers(change: Partial<Write>): Reconcile {
  const [first, ...rest] = run.writes;
  assert.ok(first);
  return { ...run, writes: [{ ...first, server: served, ...change }, ...rest] };
}

test("under a write stands who served it, and that etcd has committed it", () => {
  const below = bars(withServers({})).filter((bar) => bar.level > 1);
  assert.deepEqual(
    below.map((bar) => [bar.name, bar.level, bar.tone, bar.value]),
    [
      ["API server", 2, "quiet", "0.8 ms"],
      ["etcd commit", 3, "ok", "✓ 0.2 ms"],
    ],
  );
  const names = bars(withServers({})).map((bar) => bar.name);
  assert.equal(names.indexOf("API server"), names.indexOf("POST pod") + 1);
});

test("all spans are shown when asked for, each within what it is part of", () => {
  const below = bars(withServers({}), true).filter((bar) => bar.level > 1);
  assert.deepEqual(
    below.map((bar) => bar.level),
    [2, 3, 4, 5, 6, 7],
  );
  assert.deepEqual(
    below.map((bar) => bar.name),
    ["POST", "audit", "Create etcd3", "KV/Txn", "KV/Txn", "etcd commit"],
  );
});

test("a write that failed, or changed nothing, was not committed", () => {
  const commit = (change: Partial<Write>): boolean => {
    const write = withServers(change).writes[0];
    assert.ok(write);
    return commitOf(write) !== undefined;
  };
  assert.equal(commit({}), true);
  assert.equal(commit({ status: 409 }), false);
  assert.equal(commit({ noop: true }), false);
  assert.equal(commit({ server: served.map((one) => ({ ...one, failed: true })) }), false);
  assert.equal(commit({ server: [] }), false);
  const refused = bars(withServers({ status: 409, error: "Conflict" })).filter((bar) => bar.level > 1);
  assert.deepEqual(
    refused.map((bar) => [bar.name, bar.tone]),
    [
      ["API server", "quiet"],
      ["etcd txn", "quiet"],
    ],
  );
});

test("spans in a circle are drawn, not followed for ever", () => {
  const circle = [by("x", "a", "s1", "s2", 901_100, 901_200), by("x", "b", "s2", "s1", 901_100, 901_200)];
  assert.equal(bars(withServers({ server: circle }), true).filter((bar) => bar.level > 1).length, 2);
});

test("a hold's bar is marked at the phase before which the worker was held", () => {
  const held = hold({ reconcile: "k", phase: "apply", from: 900_100, to: 900_800 });
  const apply = { name: "apply", from: 900_800, to: 909_000 };
  const [dequeue, compute] = [run.phases[0], { name: "compute", from: 900_000, to: 900_800 }];
  assert.ok(dequeue);
  const known = asOf({ ...run, phases: [dequeue, compute, apply] }, 910_000, [held]);
  assert.deepEqual(
    bars(known)
      .filter(({ level }) => level === 0)
      .map(({ name, step }) => [name, step]),
    [
      ["dequeue", "dequeue"],
      ["compute", "compute"],
      ["held", "apply"],
      ["apply", "apply"],
    ],
  );
});

test("a phase in which nothing was to be done is a dash, as on the map", () => {
  const phases = [{ name: "apply", from: 900_000, to: 900_000 }];
  assert.equal(bars({ ...run, phases })[0]?.value, "–");
});
