import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { at, hold, pass, write as written } from "../../test/rows.ts";
import type { Cause, Reconcile, Write } from "../base/rows.gen.ts";
import { Table } from "../model/table.ts";
import {
  causeSaid,
  causesShort,
  errorSaid,
  failed,
  failureSaid,
  hasRefused,
  heldWhere,
  heldSaid,
  lookOf,
  nextSaid,
  ordinal,
  overtakenLink,
  outcome,
  span,
  spanOrNone,
  writeName,
} from "./words.ts";

const cause = (more: Partial<Cause>): Cause => ({ at: 1, what: "update", by: "other", ...more });
const write = (more: Partial<Write>): Write => ({
  span: "s",
  from: 1,
  to: 2,
  method: "PUT",
  resource: "podsets",
  status: 200,
  ...more,
});

function reconcile(more: Partial<Reconcile>): Reconcile {
  return {
    row: "reconcile",
    key: "k",
    controller: "podset",
    source: "s",
    item: "default/web",
    object: { kind: "PodSet", namespace: "default", name: "web" },
    worker: 1,
    from: 0,
    start: 1_000,
    to: 11_000,
    result: "success",
    queue: { depth: 1, requeues: 0 },
    causes: [],
    causeCounts: {},
    phases: [],
    reads: [],
    plan: [],
    writes: [],
    writeCount: 0,
    failedWrites: 0,
    readCount: 0,
    next: { why: "done" },
    ...more,
  };
}

test("a cause says what changed and who did it", () => {
  const own = { kind: "PodSet", name: "web" };
  const spec = causeSaid(cause({ kind: "PodSet", name: "web", changed: ["spec"], manager: "kubectl" }), own);
  assert.deepEqual(spec, { chip: "update", tone: "accent", text: "spec changed by", who: "kubectl" });
  const pod = causeSaid(cause({ by: "self", kind: "Pod", name: "web-x", changed: ["status"] }), own);
  assert.deepEqual(pod, { chip: "own write", tone: "own", text: "Pod web-x: status changed", who: "" });
  assert.equal(causeSaid(cause({ what: "backoff" })).tone, "warn");
  assert.equal(causeSaid(cause({ what: "delete", kind: "Pod", name: "p" })).text, "Pod p deleted");
});

test("causes in one line count what is not listed", () => {
  const one = reconcile({ causes: [cause({ manager: "kubectl" })], causeCounts: { update: 1 } });
  assert.equal(causesShort(one), "update by kubectl");
  const five = reconcile({ causes: [cause({})], causeCounts: { update: 5 } });
  assert.equal(causesShort(five), "update ×5");
  const mixed = reconcile({ causes: [cause({}), cause({ what: "resync" })], causeCounts: { update: 1, resync: 1 } });
  assert.equal(causesShort(mixed), "2 causes: update, resync");
  assert.equal(causesShort(reconcile({})), "");
});

test("causes in one line are as on the page without script", () => {
  const file = new URL("../../../server/testdata/causes.json", import.meta.url);
  const cases = JSON.parse(readFileSync(file, "utf8")) as (Partial<Reconcile> & { readonly says: string })[];
  assert.ok(cases.length > 0);
  for (const { says, ...row } of cases) assert.equal(causesShort(reconcile(row)), says);
});

test("what comes next is told as of now", () => {
  const again = reconcile({ result: "error", error: "Conflict", next: { why: "backoff", at: 51_000, requeues: 4 } });
  assert.deepEqual(nextSaid(again, 11_000), { text: "Tries again in 40 ms", more: "(4th time)", tone: "warn" });
  assert.equal(nextSaid(again, 60_000).text, "Back-off of 40 ms", "nobody has seen yet that it was tried again");
  const timer = reconcile({ from: 52_000, causes: [cause({ what: "update" }), cause({ what: "backoff" })] });
  assert.deepEqual(nextSaid(again, 60_000, { after: timer, retry: timer, nth: 2 }), {
    text: "Tried again after 41 ms, together with an update",
    more: "(4th time)",
    tone: "warn",
  });
  const update = reconcile({ from: 13_400, causes: [cause({ what: "update" })] });
  assert.deepEqual(nextSaid(again, 60_000, { after: update, retry: undefined, nth: 0 }), {
    text: "Back-off of 40 ms set",
    more: "(4th time); an update came first, after 2.4 ms",
    tone: "warn",
  });
  assert.equal(nextSaid(reconcile({}), 0).text, "Done until something changes");
  assert.equal(nextSaid(reconcile({ to: 0, result: "" }), 0).text, "Still running");
  assert.equal(nextSaid(reconcile({ result: "terminal_error" }), 0).tone, "error");
});

test("results have one tone and one word", () => {
  assert.equal(lookOf(reconcile({})).tone, "ok");
  assert.equal(lookOf(reconcile({ to: 0, result: "" })).tone, "accent");
  assert.equal(lookOf(reconcile({ result: "requeue_after" })).tone, "warn");
  assert.equal(lookOf(reconcile({ result: "panic" })).tone, "error");
  assert.equal(outcome(reconcile({ result: "error", error: "Conflict" })), "Conflict");
  assert.equal(outcome(reconcile({ result: "requeue_after" })), "requeue after");
});

test("a reconcile that is done though a write was refused has one verdict", () => {
  const put = write({ status: 403, error: "Forbidden" });
  const refused = reconcile({ writes: [put], writeCount: 1, failedWrites: 1 });
  assert.deepEqual(lookOf(refused), { shape: "tick", tone: "warn" });
  assert.deepEqual([failed(refused), hasRefused(refused)], [false, true]);
  assert.equal(outcome(refused), "done, 1 write refused");
  assert.deepEqual(nextSaid(refused, 20_000), {
    text: "Done until something changes",
    more: "(1 write refused)",
    tone: "warn",
  });
  assert.equal(failureSaid(put).chip, "refused");
  assert.equal(outcome({ ...refused, failedWrites: 2 }), "done, 2 writes refused");
  assert.equal(outcome({ ...refused, writes: [write({ status: 500 })] }), "done, 1 write failed");
});

test("a refused write changes no result", () => {
  const again = reconcile({ failedWrites: 1, result: "requeue_after", next: { why: "requeue_after", at: 51_000 } });
  assert.deepEqual(lookOf(again), { shape: "ring", tone: "warn" });
  assert.equal(outcome(again), "requeue after, 1 write refused");
  assert.equal(nextSaid(again, 11_000).more, "as it asked for (1 write refused)");
  const bad = reconcile({ failedWrites: 1, result: "error", error: "Conflict" });
  assert.deepEqual([lookOf(bad).shape, hasRefused(bad), outcome(bad)], ["triangle", false, "Conflict"]);
  const open = reconcile({ failedWrites: 1, result: "", to: 0 });
  assert.deepEqual([lookOf(open).tone, hasRefused(open), outcome(open)], ["accent", false, "running"]);
});

test("a failed write says what it was, never that it was written, on which version and what the answer was", () => {
  const put = write({ subresource: "status", name: "web", before: "10427", status: 409, error: "Conflict" });
  assert.deepEqual(failureSaid(put), {
    chip: "conflict",
    tone: "error",
    text: "PUT status of web refused: 409 Conflict, sent on rv 10427",
    who: "",
  });
  const event = cause({ at: put.from - 4_000, manager: "tracer-page", resourceVersion: "10429", changed: ["spec"] });
  assert.equal(
    failureSaid(put, { cause: event }).text,
    "PUT status of web refused: 409 Conflict, sent on rv 10427, but tracer-page had made rv 10429 (spec) 4 ms before",
  );
  const unknown = cause({ at: event.at, resourceVersion: "10429" });
  assert.match(failureSaid(put, { cause: unknown }).text, /but somebody whom the event does not name had made/);
  assert.match(failureSaid(put, { cause: { ...unknown, by: "self" } }).text, /but an own write had made/);
  assert.match(
    failureSaid(put, { cause: { ...event, at: put.from + 300 } }).text,
    /tracer-page had made rv .* \(spec; seen 0\.3 ms after\)/,
  );
  assert.deepEqual(failureSaid({ ...put, fault: "409" }), {
    chip: "fault",
    tone: "error",
    text: "PUT status of web refused: 409 Conflict, sent on rv 10427, injected by a fault, on purpose",
    who: "",
  });
  const remove = write({ method: "DELETE", resource: "pods", name: "web-9p7f6", status: 500, error: "InternalError" });
  assert.deepEqual(
    [failureSaid(remove).chip, failureSaid(remove).text],
    ["failed", "DELETE pod web-9p7f6 failed: 500 InternalError"],
  );
  const [chip, text] = [failureSaid(write({ status: 0 })).chip, failureSaid(write({ status: 0 })).text];
  assert.deepEqual([chip, text], ["no answer", "PUT podset: no answer"]);
  assert.equal(writeName(write({ method: "POST", resource: "pods" })), "POST pod");
  assert.equal(writeName(put), "PUT status");
});

test("a reconcile that saw a version only after the moment shown saw it later", () => {
  const seen = reconcile({ start: 500 });
  const said = [400, 500].map((now) => overtakenLink({ made: false, reconcile: seen }, now));
  assert.deepEqual(said, ["seen later by", "seen by"]);
  assert.equal(overtakenLink({ made: true, reconcile: seen }, 400), "made by");
});

test("no word of an error is said twice", () => {
  const said = (result: string, error: string): string => {
    const { chip, text } = errorSaid(reconcile({ result, error }));
    return `${chip} ${text}`.trim();
  };
  assert.equal(said("error", "error"), "error of no known kind");
  assert.equal(said("error", "Conflict"), "error Conflict");
  assert.equal(said("timeout", "timeout"), "timeout");
  assert.equal(said("panic", "error"), "panic");
  assert.equal(said("terminal_error", "error"), "terminal error");
  assert.match(failureSaid(write({ status: 0, error: "error" })).text, /: no answer$/);
});

test("who is slowed down is not said to be held", () => {
  const model = new Table();
  const slow = hold({ item: "default/db", phase: "requeue", why: "slow ×100" });
  assert.equal(heldWhere([slow], model), "db is slowed before requeue");
  assert.equal(heldWhere([slow, hold({})], model), "web is held before apply, db is slowed before requeue");
  const at = { lane: "podset", node: "requeue", item: "default/db", label: "db", reconcile: "r", worker: 0 } as const;
  const said = ["slow ×100", "pause"].map((why) => heldSaid({ ...at, why, lasting: 3_500_000, until: 0 }));
  assert.deepEqual(said, ["db is slowed at requeue · 3.5 s", "db is held at requeue · 3.5 s"]);
});

test("a worker that is held in a phase is not said to be held before it, and the namespace is told where it is needed", () => {
  const model = new Table();
  const put = written({ span: "w", method: "PUT", resource: "podsets", subresource: "status", from: at(8), to: at(9) });
  const refused = { ...put, status: 409, error: "Conflict" };
  const run = pass(0, [1, 1, 1, 10], {
    key: "r",
    to: 0,
    result: "",
    writes: [written({ from: at(4), to: at(5) }), refused],
  });
  const rows = [run, pass(0, [1, 1], { key: "other", item: "shop/web" })];
  model.apply({ type: "rows", offset: 1, now: at(20), rows, gone: [] });
  const said = (from: number): string => heldWhere([hold({ reconcile: "r", from: at(from) })], model);
  assert.equal(said(9.01), "default/web is held in apply after PUT: 409");
  assert.equal(said(6), "default/web is held in apply after POST: 201");
  assert.equal(said(2.9), "default/web is held before apply");
});

test("numbers", () => {
  assert.deepEqual(
    [1, 2, 3, 4, 11, 12, 13, 21, 22, 111].map(ordinal).join(" "),
    "1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 111th",
  );
  assert.deepEqual([0, 4].map(spanOrNone), ["–", "4 µs"]);
  assert.equal(span(4), "4 µs");
  assert.equal(span(3_100), "3.1 ms");
});

test("who changed an object is said also where it is not known what changed", () => {
  const cause = { at: 0, what: "update", by: "other", manager: "kubectl-patch", kind: "PodSet", name: "web" };
  const said = causeSaid(cause, { kind: "PodSet", name: "web" });
  assert.deepEqual([said.text, said.who], ["changed by", "kubectl-patch"]);
  assert.equal(causeSaid(cause).text, "PodSet web changed by");
  assert.equal(causeSaid({ ...cause, manager: "" }).text, "PodSet web");
});
