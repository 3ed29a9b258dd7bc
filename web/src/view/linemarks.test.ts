import assert from "node:assert/strict";
import { test } from "node:test";

import { at, pass } from "../../test/rows.ts";
import { markAt, markSaid } from "./linemarks.ts";
import type { LineMark } from "./linemarks.ts";

const bar = { from: at(0), to: at(1000), count: 6, errors: 3, refused: 0, shown: 6, shownErrors: 3, shownRefused: 0 };

function mark(x: number, of: LineMark["of"] = bar): LineMark {
  return { x, y: 60, error: true, of };
}

test("a mark is hit in 24 pixels around its centre, and of two the nearer one", () => {
  const marks = [mark(100), mark(110), mark(200)];
  const hit = (x: number, y = 60): number | undefined => markAt(marks, x, y)?.x;
  assert.deepEqual([hit(88), hit(104), hit(106), hit(122), hit(123)], [100, 100, 110, 110, undefined]);
  assert.deepEqual([hit(200, 48), hit(200, 72), hit(200, 47), hit(200, 73)], [200, 200, undefined, undefined]);
});

test("a mark says how many failed, or how the one did", () => {
  const said = (of: LineMark["of"]): readonly string[] => markSaid(mark(0, of), 0, (item) => item.slice(8));
  assert.match(said(bar).join(" "), /^3 of 6 failed in 1 s from \d\d:\d\d:\d\d$/);
  assert.equal(said({ ...bar, errors: 6 })[0], "all 6 failed");
  assert.equal(said({ ...bar, count: 1, errors: 1 })[0], "1 failed");
  assert.equal(said({ ...bar, errors: 0, refused: 1 })[0], "6 reconciles, some writes refused");
  const failed = pass(7, [1], { key: "a", item: "default/web", result: "error", error: "Conflict" });
  assert.match(said(failed).join(" "), /^web: Conflict \d\d:\d\d:\d\d\.\d\d\d$/);
});
