import assert from "node:assert/strict";
import { test } from "node:test";
import type { Point } from "../model/series.ts";
import { axisSaid, bands } from "./charts.ts";

const quiet = { from: 0, to: 2_000_000, rate: 0, reconciles: 0, errors: 0, p50: 0, p99: 0, rough: false, depth: 0 };

function point(given: Partial<Point>): Point {
  return { ...quiet, drops: 0, ...given };
}

test("each axis says how far it goes, in its unit; one on which there is nothing says nothing", () => {
  const said = (points: readonly Point[]): string[] => bands.map((band) => axisSaid(band, points));
  const busy = [point({ rate: 2.5, p50: 900, p99: 41_000, depth: 3 }), point({ rate: 12, errors: 8, p99: 1200 })];
  assert.deepEqual(said(busy), ["0–12.0", "0–8", "log, to 41 ms", "0–3"]);
  assert.deepEqual(said([point({})]), ["", "", "", ""]);
});

test("the errors of a chart say in how long they were counted", () => {
  assert.ok(bands.some(({ name }) => name === "Errors in 2 s"));
});
