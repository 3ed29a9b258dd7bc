import assert from "node:assert/strict";
import { test } from "node:test";
import { at, cause, pass, write } from "../../test/rows.ts";
import { issueText } from "./issue.ts";

test("a reconcile as text says everything that the panel says", () => {
  const run = pass(0, [3.1, 0.02, 0.3, 6.4, 0.01], {
    key: "4bf92f35",
    causes: [cause({ manager: "kubectl", changed: ["spec"], resourceVersion: "10427" })],
    plan: [{ verb: "create", kind: "Pod", summary: "create 2 Pods" }],
    reads: [
      {
        span: "s",
        from: at(3),
        to: at(3.1),
        kind: "Pod",
        source: "cache",
        count: 3,
        stale: "yes",
        staleBy: 1,
        staleSince: at(-3),
      },
    ],
    writes: [
      write({ after: "10428" }),
      write({
        method: "PUT",
        resource: "podsets",
        subresource: "status",
        name: "web",
        before: "10425",
        status: 409,
        error: "Conflict",
      }),
    ],
    failedWrites: 1,
    result: "error",
    error: "Conflict",
    next: { why: "backoff", at: at(50), requeues: 4 },
  });
  const overtaken = {
    cause: cause({ at: at(-4), manager: "helm", resourceVersion: "10426", changed: ["metadata"] }),
    reconcile: pass(20, [1], { key: "5c0a" }),
    nth: 18,
    made: false,
  };
  const model = {
    nth: () => ({ n: 17, of: 17 }),
    followed: () => ({ after: undefined, retry: undefined, nth: 0 }),
    overtaken: () => overtaken,
    until: () => [missed],
  };
  const posted = write({ span: "p", from: at(-9), to: at(-2.9), after: "10420" });
  const missed = pass(-20, [1], { key: "6e1b", writes: [posted] });
  const text = issueText(run, model, at(1000));
  assert.equal(
    text,
    `### default/web: Conflict after 6.7 ms

Controller podset, reconcile 17 of 17, worker 0, 2026-03-02T10:41:00.003Z, trace 4bf92f35

**What failed**

- PUT status of web refused: 409 Conflict, sent on rv 10425, but helm had made rv 10426 (metadata) 4 ms before; seen by reconcile 18, trace 5c0a

**Why it ran**

- update: PodSet web: spec changed by kubectl (resourceVersion 10427)

**How it went**

- dequeue: 3.1 ms
- fetch: 0.02 ms
- compute: 0.3 ms
- apply: 6.4 ms
- requeue: 0.01 ms

**Plan**

- create 2 Pods

**Reads**

- 3 Pod from the cache, stale: the cache was 1 own write behind: POST pod had made rv 10420, 5.9 ms before; made by reconcile 17, trace 6e1b

**Writes**

- POST pod web-x7k2p: 201, resourceVersion 10428
- PUT status web: 409 Conflict, resourceVersion 10425

**Next**: Back-off of 40 ms (4th time)
`,
  );
});
