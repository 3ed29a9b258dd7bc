import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Groups } from "./groups.ts";

type Key = "a" | "b" | "c" | "none";

interface Row {
  readonly id: number;
  readonly keys: readonly Key[];
}

test("property: a group holds the rows that a search through all would find, in their order", () => {
  const key = fc.constantFrom<Key[]>("a", "b", "c");
  const rows = fc.array(fc.record({ id: fc.nat(5), keys: fc.uniqueArray(key, { maxLength: 3 }) }));
  fc.assert(
    fc.property(rows, fc.array(fc.nat(30)), (list, gone) => {
      const groups = new Groups<Row>((row) => row.keys);
      for (const row of list) groups.add(row);
      const left = new Set(list);
      for (const i of gone) {
        const row = list[i];
        if (row === undefined) continue;
        groups.remove(row);
        left.delete(row);
      }
      for (const wanted of ["a", "b", "c", "none"] as const)
        assert.deepEqual(
          groups.get(wanted),
          [...left].filter((row) => row.keys.includes(wanted)),
        );
    }),
  );
});
