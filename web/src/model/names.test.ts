import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pass } from "../../test/rows.ts";
import { Names, nameOf } from "./names.ts";
import { Table } from "./table.ts";

test("an item is called by its name, and by its namespace too once another has that name", () => {
  const made = new Table();
  const put = (key: string, item: string, controller = "podset"): void => {
    made.apply({ type: "rows", now: 0, offset: 0, rows: [pass(0, [1], { key, item, controller })], gone: [] });
  };
  put("a", "default/web");
  put("b", "default/web");
  put("c", "default/web", "other");
  assert.equal(made.called("default/web"), "web");
  put("d", "lesson-1/web");
  assert.deepEqual(
    ["default/web", "lesson-1/web"].map((item) => made.called(item)),
    ["default/web", "lesson-1/web"],
  );
  assert.equal(made.called("default/db"), "db");
  made.apply({ type: "rows", now: 0, offset: 0, rows: [], gone: [{ row: "reconcile", key: "d" }] });
  assert.equal(made.called("default/web"), "web");
});

test("property: who is called with a namespace depends on who is there, not on who was", () => {
  const item = fc.tuple(fc.nat(3), fc.nat(3)).map(([ns, name]) => `${String(ns)}/${String(name)}`);
  fc.assert(
    fc.property(fc.array(item), fc.array(item), (stay, go) => {
      const [names, once] = [new Names(), new Names()];
      for (const one of go) names.count(one, 1);
      for (const one of stay) names.count(one, 1);
      for (const one of go) names.count(one, -1);
      for (const one of stay) once.count(one, 1);
      for (const one of [...stay, ...go]) assert.equal(names.called(one), once.called(one));
      assert.equal(names.shared, once.shared);
      assert.equal(
        names.shared > 0,
        [...stay].some((one) => names.called(one) !== nameOf(one)),
      );
    }),
  );
});
