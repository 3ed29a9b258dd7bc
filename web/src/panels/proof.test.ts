import assert from "node:assert/strict";
import { test } from "node:test";
import { at, cause, pass, write } from "../../test/rows.ts";
import type { Read } from "../base/rows.gen.ts";
import { Table } from "../model/table.ts";
import { firstSaid } from "./details.ts";
import { missedBy, staleSaid } from "./proof.ts";

const status = { method: "PUT", resource: "podsets", subresource: "status", name: "web", uid: "u1" };
const object = { kind: "PodSet", namespace: "default", name: "web", uid: "u1", resourceVersion: "276" };
const made = write({ ...status, span: "put", from: at(6), to: at(10.05), before: "276", after: "280" });
const pod = write({ span: "pod", from: at(3), to: at(5), after: "277" });
const first = pass(0, [1, 1, 1, 8, 1], { key: "first", writes: [pod, made] });
const stale: Read = { span: "s", from: at(14), to: at(14.1), source: "cache", kind: "PodSet", count: 1, stale: "yes" };
const read = { ...stale, staleBy: 1, staleSince: at(10) };
const second = pass(13, [1, 1, 1], { key: "second", object, reads: [read] });

test("a stale read is told with the version that it gave, and the own write that had made a newer one", () => {
  const model = new Table();
  const stranger = pass(1, [1, 1, 1, 9], { key: "stranger", source: "another", writes: [{ ...made, span: "x" }] });
  model.apply({ type: "rows", offset: 1, now: at(50), rows: [first, second, stranger], gone: [] });
  const missed = missedBy(read, second, model);
  assert.deepEqual([missed?.reconcile.key, missed?.write.span, missed?.nth], ["first", "put", 1]);
  const behind = "the cache was 1 own write behind";
  assert.equal(staleSaid(read, second, missed), `${behind}: read rv 276, but PUT status had made rv 280, 4 ms before`);
  const pods = { ...read, kind: "Pod", count: 3, staleBy: 2, staleSince: at(5) };
  const lost = missedBy(pods, second, model);
  assert.equal(
    staleSaid(pods, second, lost),
    "the cache was 2 own writes behind: POST pod, the oldest, had made rv 277, 9 ms before",
  );
  assert.equal(missedBy({ ...read, staleSince: at(-100) }, second, model), undefined, "it is not kept any more");
  assert.equal(staleSaid(read, second, undefined), behind);
});

test("of several causes it is said what the first did: it put the item into the queue, or marked it under a worker", () => {
  const causes = [cause({ at: at(0) }), cause({ at: at(4), what: "resync" })];
  assert.match(firstSaid(pass(0, [5, 1], { causes })), /put the item into the queue/);
  assert.match(firstSaid(pass(9, [5, 1], { causes })), /marked the item while a worker had it/);
});
