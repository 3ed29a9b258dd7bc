import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hashOf, momentOf, searchOf } from "./link.ts";

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
