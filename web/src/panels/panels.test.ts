import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Finding, Reconcile, Row } from "../base/rows.gen.ts";
import { Table } from "../model/table.ts";
import { at, cause, controller, hold, pass, reconcile, wait, write } from "../../test/rows.ts";
import { findingsAt } from "../view/findings.ts";
import { standsStill } from "../view/standstill.ts";
import { ended } from "./chainview.ts";
import { findingText } from "./findingsview.ts";
import { generationsOf, journeyOf, leadsTo, markRoom, markSaid, markText } from "./journey.ts";
import { queueNow } from "./queueview.ts";
import { dropSaid, gapSaid, startSteps, verdict } from "./startup.ts";

function table(...rows: readonly Row[]): Table {
  const made = new Table();
  made.apply({ type: "rows", offset: 1, now: at(0), rows, gone: [] });
  return made;
}

test("that nothing was set off is told as of the moment shown", () => {
  const chain = (n: number): Parameters<typeof ended>[0] => {
    const line = { reconcile: reconcile(), depth: 0, writes: 0, since: 0, loop: false };
    return { lines: Array.from({ length: n }, () => line), here: 0 };
  };
  assert.equal(ended(chain(1), true), "This reconcile has set off nothing that is known.");
  assert.equal(ended(chain(1), false), "By the moment shown this reconcile had set off nothing that is known.");
  assert.equal(ended(chain(2), false), "");
});

test("a mark is as bad as the worst in it: a refused write stands above what waits and what is done", () => {
  const fine = pass(0, [1], { key: "a", causes: [cause()] });
  const again = pass(2, [1], { key: "b", causes: [cause()], result: "requeue_after" });
  const refused = pass(4, [1], { key: "c", causes: [cause()], failedWrites: 1 });
  const [mark] = journeyOf([fine, again, refused], at(9999), 30).marks;
  assert.deepEqual([mark?.look, mark?.runs.length], [{ shape: "tick", tone: "warn" }, 3]);
  assert.equal(mark && leadsTo(mark, undefined)?.key, "c");
});

test("a mark of many says how many of them are as bad as it is drawn", () => {
  const said = (...results: readonly string[]): readonly string[] => {
    const runs = results.map((result, i) => pass(i, [0.1], { key: String(i), causes: [cause()], result }));
    const marks = journeyOf(runs, at(9999), 30).marks;
    return marks.flatMap((mark) => [markText(mark), markSaid(mark)]);
  };
  assert.deepEqual(said("error", "success", "error", "success"), ["2 of 4", "4 reconciles, 2 failed"]);
  assert.deepEqual(said("error", "error"), ["×2", "2 reconciles, all failed"]);
  assert.deepEqual(said("success", "success"), ["×2", "2 reconciles"]);
  assert.deepEqual(said("requeue_after", "success", "success"), ["1 of 3", "3 reconciles, 1 to come back"]);
  assert.equal(said(...Array.from({ length: 300 }, (_, i) => (i < 120 ? "error" : "success")))[0], "99+ of 99+");
});

test("marks stand as far apart as the widest of the words below them", () => {
  const bad = (i: number): string => (i % 3 === 0 ? "error" : "success");
  const runs = Array.from({ length: 60 }, (_, i) =>
    pass(i * 20, [0.1], { key: String(i), causes: [cause()], result: bad(i) }),
  );
  const { marks } = journeyOf(runs, at(9999), 300, 6);
  const wide = 6 * Math.max(...marks.map((mark) => markText(mark).length));
  assert.ok(marks.length > 2 && wide > markRoom);
  for (const [i, { x }] of marks.entries()) assert.ok(i === 0 || x - (marks[i - 1]?.x ?? 0) >= wide);
});

test("a journey has a row for each cause, and marks by result", () => {
  const runs = [
    pass(0, [1, 5], { key: "a", causes: [cause()] }),
    pass(500, [1, 5], { key: "b", causes: [cause({ by: "self" })], result: "error" }),
    pass(1000, [1, 5], { key: "c", causes: [cause({ what: "backoff" })], result: "requeue_after" }),
  ];
  const { rows, marks, from, to } = journeyOf(runs, at(9999), 300);
  assert.deepEqual(rows, ["update", "own write", "back-off"]);
  assert.deepEqual(
    marks.map(({ row, look, runs: own }) => [row, look.tone, own.length, own[0]?.key]),
    [
      ["update", "ok", 1, "a"],
      ["own write", "error", 1, "b"],
      ["back-off", "warn", 1, "c"],
    ],
  );
  assert.deepEqual([from, to], [at(1), at(1006)]);
});

test("property: however many reconciles, every one is in a mark, errors are never hidden, marks stay apart", () => {
  const steps = fc.array(fc.tuple(fc.nat(5000), fc.boolean()), { minLength: 1, maxLength: 400 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 100, max: 500 }), (list, width) => {
      let t = 0;
      const runs = list.map(([gap, bad], i): Reconcile => {
        t += gap + 1;
        return pass(t, [0, 1], { key: String(i), causes: [cause()], result: bad ? "error" : "success" });
      });
      const { marks } = journeyOf(runs, at(t + 1), width);
      assert.equal(
        marks.reduce((sum, mark) => sum + mark.runs.length, 0),
        runs.length,
      );
      assert.equal(
        marks.some((mark) => mark.look.tone === "error"),
        list.some(([, bad]) => bad),
      );
      assert.ok(marks.length <= Math.ceil(width / markRoom));
      assert.ok(marks.every((mark) => mark.x >= 0 && mark.x <= width));
      for (const [i, { x }] of marks.entries()) assert.ok(i === 0 || x - (marks[i - 1]?.x ?? 0) >= markRoom);
    }),
  );
});

test("a mark of many leads to its worst, and from there on through all of them", () => {
  const runs = [3, 4, 5, 6].map((ms) =>
    pass(ms, [0, 1], { key: String(ms), causes: [cause()], result: ms === 4 ? "error" : "success" }),
  );
  const mark = journeyOf([...runs, pass(9000, [0, 1], { key: "far", causes: [cause()] })], at(9999), 300).marks[0];
  assert.ok(mark !== undefined);
  const way = [leadsTo(mark, "elsewhere")?.key];
  for (let i = 0; i < 4; i++) way.push(leadsTo(mark, way.at(-1))?.key);
  assert.deepEqual(way, ["4", "5", "6", "3", "4"]);
});

test("five thousand reconciles of one item become a few marks, at once", () => {
  const runs = Array.from({ length: 5000 }, (_, i) => pass(i * 7, [0, 1], { key: String(i), causes: [cause()] }));
  const begun = performance.now();
  assert.ok(journeyOf(runs, at(99_999), 340).marks.length <= 15);
  assert.ok(performance.now() - begun < 1000);
});

test("generations go up in steps, a stale read takes nothing back, and an object made anew begins anew", () => {
  const seen = (ms: number, generation: number, observedGeneration: number, uid = "u"): Reconcile =>
    reconcile({ start: at(ms), object: { kind: "PodSet", name: "web", uid, generation, observedGeneration } });
  const fields = [{ path: "status.observedGeneration", value: "2" }];
  const runs = [
    {
      ...seen(0, 2, 1),
      writes: [
        write({ to: at(3), status: 200, fields }),
        write({ to: at(4), status: 409, fields: [{ path: "status.observedGeneration", value: "9" }] }),
      ],
    },
    seen(10, 2, 1),
    seen(20, 3, 2),
    seen(30, 1, 0, "anew"),
  ];
  const { wanted, observed } = generationsOf(runs, at(99));
  assert.deepEqual(wanted, [
    { at: at(0), v: 2 },
    { at: at(20), v: 3 },
    { at: at(30), v: 1 },
  ]);
  assert.deepEqual(observed, [
    { at: at(0), v: 1 },
    { at: at(3), v: 2 },
    { at: at(30), v: 0 },
  ]);
});

test("the queue of a moment: who is under way, ready and waiting then, and since when the oldest", () => {
  const made = table(
    pass(0, [5, 20], { key: "a", item: "default/a", queue: { depth: 1, requeues: 0, modelled: true } }),
    pass(40, [5, 20], { key: "b", item: "default/b" }),
    wait({ item: "default/b", state: "ready", from: at(2), to: at(45), order: 1 }),
    wait({ item: "default/c", state: "ready", from: at(9), to: at(90), order: 2, priority: 7 }),
    wait({ item: "default/d", from: at(1), to: at(95), until: at(95), why: "backoff" }),
  );
  const now = queueNow(made, "podset", at(10));
  assert.deepEqual(
    [now.active.map((run) => run.key), now.ready.map((w) => w.item), now.delayed.map((w) => w.item)],
    [["a"], ["default/c", "default/b"], ["default/d"]],
  );
  assert.deepEqual([now.oldest, now.modelled], [at(2), true]);
  const later = queueNow(made, "podset", at(99));
  assert.deepEqual([later.active, later.ready, later.delayed, later.oldest], [[], [], [], 0]);
});

test("who is held before its dequeue is under way, and no longer in the queue", () => {
  const made = table(
    hold({ item: "default/a", phase: "dequeue", from: at(5) }),
    wait({ item: "default/a", state: "ready", from: at(2), to: at(50) }),
    wait({ item: "default/b", state: "ready", from: at(6) }),
  );
  const { active, held, ready } = queueNow(made, "podset", at(10));
  assert.deepEqual(
    [active, held.map(({ item }) => item), ready.map(({ item }) => item)],
    [[], ["default/a"], ["default/b"]],
  );
  const known = pass(2, [60, 20], { key: "r", item: "default/a" });
  made.apply({ type: "rows", offset: 2, now: at(70), rows: [{ ...known, start: at(5) }], gone: [] });
  const later = queueNow(made, "podset", at(10));
  assert.deepEqual([later.active.map(({ key }) => key), later.held], [["r"], []]);
});

test("the steps before the loop say what stands in the way, with the API server's word for it", () => {
  const ready = controller({ synced: ["Pod"], lease: "leading", workers: 2 });
  assert.deepEqual(
    startSteps(ready, 0).map((step) => [step.name, step.ok]),
    [
      ["Connected", true],
      ["Lease", true],
      ["Cache Pod", true],
      ["Workers", true],
      ["Running", true],
    ],
  );
  const blind = {
    ...ready,
    unsynced: ["Pod", "PodSet"],
    synced: [],
    watchError: "Pod: Forbidden",
    lease: "waiting",
    workers: 0,
    stopping: true,
  };
  const said = startSteps(blind, 0).map((step) => `${step.name}: ${step.ok ? "ok" : step.text}`);
  assert.match(said.join("\n"), /Lease: waiting: another process holds it/);
  assert.match(
    said.join("\n"),
    /Cache Pod: the watch fails: the API server answers Forbidden: RBAC does not let it list and watch Pod\. Ask: kubectl auth can-i watch Pod/,
  );
  assert.match(said.join("\n"), /Cache PodSet: not synced/);
  assert.match(said.join("\n"), /Workers: none yet[\s\S]*Running: it is stopping/);
  assert.match(
    startSteps({ ...ready, watchError: "Pod: Expired" }, 0)[2]?.text ?? "",
    /the watch fails: the API server answers Expired$/,
  );
  const around = { last: 0, zone: 0, controls: [], holds: [], model: new Table() };
  assert.equal(verdict(blind, around), "podset does nothing because of: Lease.");
  assert.match(verdict({ ...ready, dropped: 12 }, around), /is ready.*yet\. 12 were dropped before it\./);
});

test("a controller that is paused or held does nothing for that reason, and of a lost hub nothing is known", () => {
  const c = controller({ synced: ["Pod"] });
  const around = { last: at(0), zone: 0, controls: [], holds: [], model: new Table() };
  const pause = {
    row: "control",
    key: "c1",
    controller: "podset",
    command: "pause",
    text: "pause",
    by: "presenter",
    from: at(2000),
    to: 0,
  } as const;
  assert.equal(
    verdict(c, { ...around, controls: [pause], holds: [hold()] }),
    "podset is paused by the presenter since 10:41:02: web is held before apply.",
  );
  assert.match(verdict(c, { ...around, controls: [pause] }), /paused .*: no worker has come to a phase since\.$/);
  assert.equal(verdict(c, { ...around, holds: [hold({ why: "break" })] }), "podset stands: web is held before apply.");
  const slow = hold({ why: "slow ×100" });
  assert.equal(verdict(c, { ...around, holds: [slow] }), "podset goes on slowly: web is slowed before apply.");
  assert.match(
    verdict({ ...c, stopping: true }, { ...around, lostAt: at(5000) }),
    /^The hub is not connected since 10:41:05/,
  );
});

test("a red step counts after the time that a start takes, and only while connected", () => {
  const c = controller({ unsynced: ["Pod"], since: at(0) });
  assert.equal(standsStill(c, at(2000)), false);
  assert.equal(standsStill(c, at(4000)), true);
  assert.equal(standsStill({ ...c, connected: false }, at(4000)), false);
  assert.equal(standsStill({ ...c, unsynced: [] }, at(4000)), false);
});

test("a controller stands still when one of the steps before its loop is red, and only then", () => {
  const ways = [
    {},
    { lease: "waiting" },
    { unsynced: ["Pod"] },
    { watchError: "Pod: Forbidden" },
    { workers: 0 },
    { stopping: true },
  ];
  for (const way of ways) {
    const c = controller(way);
    assert.equal(
      standsStill(c, at(4000)),
      startSteps(c, 0).some((step) => !step.ok),
      JSON.stringify(way),
    );
  }
});

test("dropped events and gaps are told with their reason", () => {
  const drop = { predicate: "p", kind: "Pod", count: 3, what: "update", item: "default/web-x", at: at(0) };
  assert.equal(dropSaid(drop, 0), "newest: update of default/web-x at 10:41:00");
  const gap = {
    row: "gap",
    key: "g",
    source: "s",
    epoch: "e",
    first: 1,
    last: 1,
    count: 1,
    from: at(0),
    to: at(2000),
  } as const;
  assert.equal(gapSaid({ ...gap, reason: "rejected" }, 0), "1 span, 10:41:00 to 10:41:02: rejected");
  assert.match(gapSaid({ ...gap, reason: "x", closed: true }, 0), /came late/);
});

test("a finding as text names its rule, its time and the reconciles that show it", () => {
  const finding: Finding = {
    ...{
      row: "finding",
      key: "f",
      rule: "hot-loop",
      controller: "podset",
      item: "default/web",
      from: at(5),
      to: at(900),
    },
    ...{ summary: "9 reconciles in 1 s changed nothing", evidence: ["a", "gone"] },
  };
  const text = findingText(finding, table(pass(0, [1], { key: "a", causes: [cause({ by: "self" })] })));
  assert.match(
    text,
    /^### default\/web: hot loop\n\n9 reconciles in 1 s changed nothing\n\nController podset, rule hot-loop, 2026-03-02T10:41:00\.005Z to /,
  );
  assert.match(text, /- reconcile 1, 2026-03-02T10:41:00\.001Z: own write[^\n]*; success; trace a\n- trace gone\n$/);
  assert.deepEqual(findingsAt([finding], at(4)), []);
});
