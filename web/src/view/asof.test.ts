import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../base/rows.gen.ts";
import { at, cause, controller, pass, sample, write } from "../../test/rows.ts";
import type { Lane } from "../model/types.ts";
import { Table } from "../model/table.ts";
import { aboutSaid, countsAt, newestVersion, p50Said } from "./asof.ts";
import { byLane, totals } from "./split.ts";

function table(...rows: readonly Row[]): Table {
  const made = new Table();
  made.apply({ type: "rows", offset: 1, now: at(5000), rows, gone: [] });
  return made;
}

function laneOf(model: Table): Lane {
  const [lane] = model.lanes(at(5000));
  assert.ok(lane !== undefined);
  return lane;
}

test("the counts of an earlier moment are those of now less what was done since", () => {
  const model = table(
    controller({ reconciles: 12, errors: 3 }),
    pass(100, [0, 1], { key: "a" }),
    pass(700, [0, 1], { key: "b", result: "error" }),
    sample(0, 2, 1),
    sample(1, 5, 2),
  );
  const lane = laneOf(model);
  const said = (t: number): number[] => [countsAt(model, lane, t).reconciles, countsAt(model, lane, t).errors];
  assert.deepEqual([countsAt(model, lane).reconciles, countsAt(model, lane).errors], [12, 3]);
  assert.deepEqual(said(at(5000)), [12, 3]);
  assert.deepEqual(said(at(1000)), [7, 1]);
  assert.deepEqual(said(at(500)), [6, 0]);
  assert.deepEqual(said(at(50)), [5, 0]);
});

test("the median is exact while every reconcile is here, also of an earlier moment, else it is told as rough", () => {
  const latency = [...Array<number>(14).fill(0), 1, 1];
  const runs = [pass(100, [0, 18.2], { key: "a" }), pass(700, [0, 37], { key: "b" })];
  const lost = pass(800, [0, 900], { key: "lost", result: "lost" });
  const said = (model: Table, t?: number): string => {
    const lane = laneOf(model);
    return p50Said(model, lane.name, countsAt(model, lane, t), t);
  };
  const all = table(controller({ reconciles: 2, latency }), ...runs, lost, sample(0, 2));
  assert.deepEqual([said(all), said(all, at(500)), said(all, at(50))], ["28 ms", "18 ms", "–"]);
  assert.match(said(table(controller({ reconciles: 2, latency }), ...runs.slice(1))), /^~/);
});

test("the newest version is the one that was known then", () => {
  const late = write({ span: "w2", from: at(300), to: at(310), after: "269" });
  const early = write({ from: at(110), to: at(120), after: "250" });
  const model = table(
    controller(),
    pass(100, [0, 400], { writes: [early, late], causes: [cause({ resourceVersion: "240" })] }),
  );
  assert.deepEqual(
    [90, 100, 200, 400].map((ms) => newestVersion(model, "podset", at(ms))),
    [0, 240, 250, 269],
  );
});

test("a controller that is gone says since when", () => {
  const row = controller({ connected: false, heard: at(7000), workers: 2, kind: "PodSet" });
  assert.equal(aboutSaid(row, 0), "not connected since 10:41:07 · PodSet · 2 workers");
});

test("a watch that fails and events that were dropped are said", () => {
  const row = controller({ workers: 1, kind: "PodSet", watchError: "PodSet: NotFound", dropped: 14 });
  assert.equal(aboutSaid(row, 0), "PodSet · 1 worker · cannot watch PodSet: NotFound · 14 events dropped");
});

test("of a long queue the controller's own number is said, while it is live", () => {
  const lane = { lane: "podset", mode: "single", rate: 0, waiting: [], held: [], behind: undefined } as const;
  const slot = { lane: "podset", item: "default/web", label: "web", sub: "update", since: 0, reconcile: "" };
  const drawn = { ...lane, queue: [slot, slot] };
  const row = controller({ depth: 1000, delayed: 0 });
  assert.deepEqual(totals(drawn, row, true), { queue: 1000, waiting: 0 });
  assert.deepEqual(totals(drawn, row, false), { queue: 2, waiting: 0 });
  assert.equal(totals(drawn, controller({ depth: 1 }), true).queue, 2, "few are counted as they are drawn");
});

test("a scene is dealt out to its lanes", () => {
  const lanes = ["a", "b"].map(
    (lane) => ({ lane, mode: "single", rate: 0, queue: [], waiting: [], held: [], behind: undefined }) as const,
  );
  const edges = ["a", "b", "a"].map((lane) => {
    return { lane, edge: "queue-dequeue", tone: "ok", own: false, rate: 0, heat: 0, width: 1 } as const;
  });
  const split = byLane({ t: 0, tokens: [], nodes: [], edges, lanes, nextAt: Infinity });
  assert.deepEqual([split("a").edges.length, split("b").edges.length, split("c").lane], [2, 1, undefined]);
});
