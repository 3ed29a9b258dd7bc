import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { at, item, pass } from "../../test/rows.ts";
import { Table } from "../model/table.ts";
import { hashOf, meant, momentOf, searchOf } from "./link.ts";

test("a link names the time, the item and which of its reconciles", () => {
  assert.equal(
    hashOf({ at: 1_700_000_000_000_000.2, item: "shop/web", n: 17, controller: "", q: "" }),
    "#at=1700000000000000&sel=shop/web@17",
  );
  assert.equal(hashOf({ at: 5, item: "a", n: 1, controller: "podset", q: "" }), "#at=5&sel=a@1&in=podset");
  assert.equal(hashOf({ at: 5, item: "", n: 0, controller: "", q: "" }), "#at=5");
  const q = 'item:shop/* dur:>1s "a+b & c#d"';
  const hash = hashOf({ at: 5, item: "", n: 0, controller: "", q });
  assert.equal(hash, "#at=5&q=item%3Ashop%2F*%20dur%3A%3E1s%20%22a%2Bb%20%26%20c%23d%22");
  assert.deepEqual([momentOf(hash)?.q, searchOf("#q=web"), searchOf("#map")], [q, "web", ""]);
});

test("a search is not longer than what the hub takes from a presenter", () => {
  for (const letter of ["a", "é", "漢", "🔁"]) {
    const q = searchOf(`#q=${encodeURIComponent(letter.repeat(100_000))}`);
    assert.ok(q.length === 680 && new TextEncoder().encode(q).length <= 2048, letter);
  }
});

test("what is no moment is none", () => {
  for (const hash of ["", "#", "#map", "#at=", "#at=soon", "#at=-5", "#sel=default/web"]) {
    assert.equal(momentOf(hash), undefined, hash);
  }
});

test("property: what is written is read again", () => {
  const name = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,20}[a-z0-9])?$/);
  const item = fc.oneof(
    name,
    fc.tuple(name, name).map(([a, b]) => `${a}/${b}`),
  );
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2 ** 52 }),
      item,
      fc.nat(9999),
      fc.string(),
      name,
      (at, key, n, q, controller) => {
        const moment = { at, item: key, n, controller, q };
        assert.deepEqual(momentOf(hashOf(moment)), moment);
      },
    ),
  );
});

test("a link finds the reconcile that the hub has counted, also where others are left out", () => {
  const model = new Table();
  const runs = [3, 8, 12].map((nth) => pass(nth * 1000, [1, 1], { key: `r${String(nth)}`, nth }));
  model.apply({ type: "rows", offset: 1, now: at(20_000), rows: [item({ reconciles: 14 }), ...runs], gone: [] });
  const link = (n: number): [string | undefined, string] => {
    const { run, wrong } = meant(model, { at: at(3000), item: "default/web", n, controller: "", q: "" });
    return [run?.key, wrong];
  };
  assert.deepEqual([link(3), link(8), link(12)].flat(), ["r3", "", "r8", "", "r12", ""]);
  const left = "Reconcile 7 of default/web, in this link, is not known here. The nearest is 8.";
  assert.deepEqual(link(7), ["r8", left]);
  assert.match(link(1)[1], /no longer kept/);
});

test("a link to a reconcile that is not there says so and names the nearest", () => {
  const model = new Table();
  const runs = [3, 4, 5].map((n) => pass(n * 1000, [1, 1], { key: `r${String(n)}` }));
  model.apply({ type: "rows", offset: 1, now: at(9000), rows: [item({ reconciles: 5 }), ...runs], gone: [] });
  const link = (name: string, n: number): [string | undefined, string] => {
    const { run, wrong } = meant(model, { at: at(3000), item: name, n, controller: "", q: "" });
    return [run?.key, wrong];
  };
  assert.deepEqual(link("default/web", 4), ["r4", ""]);
  assert.deepEqual(link("default/web", 0), [undefined, ""]);
  assert.deepEqual(link("", 0), [undefined, ""]);
  const lost = "Reconcile 1 of default/web, in this link, is no longer kept. The nearest is 3.";
  assert.deepEqual(link("default/web", 1), ["r3", lost]);
  const never = "Reconcile 99 of default/web, in this link, is not known here. The nearest is 5.";
  assert.deepEqual(link("default/web", 99), ["r5", never]);
  assert.deepEqual(link("default/nope", 1), [undefined, "The item of this link, default/nope, is not known here."]);
});
