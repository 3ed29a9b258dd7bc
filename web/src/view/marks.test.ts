import assert from "node:assert/strict";
import { test } from "node:test";

import type { Item } from "../base/rows.gen.ts";
import type { Held } from "../scene/types.ts";
import { marksOf } from "./marks.ts";

test("who came again while a worker is held with it is marked, and not in the queue", () => {
  const held = { lane: "podset", node: "compute", item: "default/web", label: "default/web", reconcile: "a" } as Held;
  const marks = (row: Partial<Item>): readonly string[] =>
    marksOf({ item: (controller, item) => ({ controller, item, ...row }) as Item }, [held]).map(
      ({ label, sub }) => `${label} ${sub}`,
    );
  assert.deepEqual(marks({ active: true, dirty: true }), ["web marked"]);
  assert.deepEqual(marks({ active: true, dirty: false }), []);
  assert.deepEqual(marks({ active: false, dirty: true }), [], "nobody has it");
  assert.deepEqual(marksOf({ item: () => undefined }, [held]), []);
});
