import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Reconcile } from "../base/rows.gen.ts";
import { at, cause, reconcile, write } from "../../test/rows.ts";
import { complete } from "./complete.ts";
import { fields } from "./fields.ts";
import { Filter, filterOf } from "./filter.ts";
import { having, isError, matches, parse, quoted } from "./query.ts";
import { Table } from "./table.ts";

const rows: Readonly<Record<string, Reconcile>> = {
  fine: reconcile({
    key: "a1",
    item: "shop/cart",
    to: at(120),
    writeCount: 2,
    plan: [{ verb: "create", kind: "Pod", summary: "create 2 Pods" }],
  }),
  conflict: reconcile({
    key: "b2",
    item: "shop/web",
    result: "error",
    error: "Conflict",
    to: at(300),
    causes: [cause({ by: "self" }), cause({ by: "other", manager: "kubectl-edit" })],
    writes: [write({ method: "PUT", resource: "podsets", subresource: "status", status: 409, error: "Conflict" })],
  }),
  panic: reconcile({
    key: "c3",
    item: "default/web",
    controller: "other",
    result: "panic",
    to: at(1500),
    causes: [cause({ what: "backoff" })],
    queue: { depth: 0, requeues: 4 },
  }),
  running: reconcile({
    key: "d4",
    item: "db",
    result: "",
    start: at(40),
    to: 0,
    reads: [{ span: "s", from: at(0), to: at(1), source: "cache", kind: "Pod", count: 1, stale: "yes" }],
  }),
};

test("stale:no is what read nothing old, and of which that is known of all", () => {
  const read = { span: "s", from: at(0), to: at(1), source: "cache", kind: "Pod", count: 1 };
  const of = (...words: string[]): readonly string[] =>
    ["yes", "no", "unknown"].filter((word) => {
      const query = parse(`stale:${word}`);
      return !isError(query) && matches(query, reconcile({ reads: words.map((stale) => ({ ...read, stale })) }));
    });
  assert.deepEqual(of("no", "yes", "unknown"), ["yes"]);
  assert.deepEqual(of("no", "unknown"), ["unknown"]);
  assert.deepEqual(of("no", "no", ""), ["no"]);
  assert.deepEqual(of(""), []);
});

/** The names of the rows that a text matches. */
function found(text: string): string {
  const query = parse(text);
  assert.ok(!isError(query), `${text}: ${JSON.stringify(query)}`);
  return Object.keys(rows)
    .filter((name) => matches(query, rows[name] ?? assert.fail()))
    .join(" ");
}

const all = Object.keys(rows).join(" ");

for (const [text, want] of [
  ["", all],
  ["   ", all],
  ["controller:podset", "fine conflict running"],
  ["controller:OTHER", "panic"],
  ["item:shop/*", "fine conflict"],
  ["item:web", "conflict panic"],
  ["item:shop/web", "conflict"],
  ["item:sh*rt", "fine"],
  ["result:success", "fine"],
  ["result:error", "conflict panic"],
  ["result:panic", "panic"],
  ["result:running", "running"],
  ["-result:success", "conflict panic running"],
  ["result:success,panic", "fine panic"],
  ["-result:success,panic", "conflict running"],
  ["error:conflict", "conflict"],
  ["cause:own_write", "conflict"],
  ["cause:update", "conflict"],
  ["cause:backoff,own_write", "conflict panic"],
  ["by:kubectl*", "conflict"],
  ["by:self", "conflict"],
  ["write:409", "conflict"],
  ["write:put write:status", "conflict"],
  ["write:refused", "conflict"],
  ["-write:refused result:success", "fine"],
  ["stale:yes", "running"],
  ["dur:>200ms", "conflict panic"],
  ["dur:>=300ms", "conflict panic"],
  ["dur:<0.2s", "fine"],
  ["dur:100ms..1s", "fine conflict"],
  ["wait:>=40ms", "running"],
  ["writes:2", "fine"],
  ["writes:>0", "fine conflict"],
  ["writes:1..2", "fine conflict"],
  ["requeues:>3", "panic"],
  ["conflict", "conflict"],
  ['"create 2"', "fine"],
  ["cre*pods", "fine"],
  ["-web", "fine running"],
  ["a1", "fine"],
  ["own write", "conflict"],
  ['item:"shop/web"', "conflict"],
  ['"item:shop"', ""],
  ["item:shop/* result:error dur:>200ms kubectl", "conflict"],
] as const) {
  test(`query ${text}`, () => {
    assert.equal(found(text), want);
  });
}

for (const [text, error, place] of [
  ["contrller:podset", "unknown field contrller at 1 – did you mean controller?", [1, 9]],
  ["web  -itm:a", "unknown field itm at 7 – did you mean item?", [7, 3]],
  ["result:eror", "unknown result eror at 8 – did you mean error?", [8, 4]],
  ["result:success,pnic", "unknown result pnic at 16 – did you mean panic?", [16, 4]],
  ["stale:perhaps", "unknown stale perhaps at 7; there are yes, no, unknown", [7, 7]],
  ["item:a result:", "result needs a value at 15, as in result:success", [8, 7]],
  ["dur:", "dur needs a value at 5, as in dur:>10ms", [1, 4]],
  ["dur:>200", "dur cannot be >200 at 5; write dur:>200ms, dur:<1s or dur:50ms..1s", [5, 4]],
  ["dur:200ms", "dur cannot be 200ms at 5; write dur:>200ms, dur:<1s or dur:50ms..1s", [5, 5]],
  ["dur:>2parsec", "dur cannot be >2parsec at 5; write dur:>200ms, dur:<1s or dur:50ms..1s", [5, 8]],
  ["writes:>many", "writes cannot be >many at 8; write writes:>2, writes:0 or writes:1..5", [8, 5]],
  ["writes:2s", "writes cannot be 2s at 8; write writes:>2, writes:0 or writes:1..5", [8, 2]],
  ['a "b c', "the quotation mark at 3 is not closed", [3, 1]],
  ["constructor:x", undefined, [1, 11]],
] as const) {
  test(`query ${text} says what is wrong and where`, () => {
    const parsed = parse(text);
    assert.ok(isError(parsed), "no error");
    if (error !== undefined) assert.equal(parsed.error, error);
    assert.deepEqual([parsed.at, parsed.length], place);
  });
}

const row = fc.constantFrom(...Object.values(rows));
const word = fc.oneof(
  fc.constantFrom(
    "item:shop/*",
    "result:error,panic",
    "-cause:backoff",
    "dur:>100ms",
    "dur:>",
    "contrller:x",
    '"a b"',
    '"',
    "*",
    "-",
    ":",
    "web",
  ),
  fc.string({ maxLength: 12 }),
);
const text = fc.array(word, { maxLength: 5 }).map((words) => words.join(" "));

test("property: no text makes parse throw, and an error lies inside the text or just behind it", () => {
  fc.assert(
    fc.property(text, (given) => {
      const parsed = parse(given);
      if (!isError(parsed)) return;
      assert.ok(parsed.at >= 1 && parsed.length >= 1 && parsed.at - 1 + parsed.length <= given.length + 1, given);
      assert.ok(parsed.error.includes(String(parsed.at)) || parsed.error.includes("needs a value"), parsed.error);
    }),
  );
});

test("property: terms written one behind the other are the same query, and less of them matches no less", () => {
  fc.assert(
    fc.property(text, row, (given, one) => {
      const parsed = parse(given);
      fc.pre(!isError(parsed));
      const again = parse(parsed.map((term) => term.text).join("  "));
      assert.ok(!isError(again));
      assert.deepEqual(
        again.map((term) => term.text),
        parsed.map((term) => term.text),
      );
      assert.equal(matches(again, one), matches(parsed, one));
      if (matches(parsed, one)) assert.ok(matches(parsed.slice(1), one));
    }),
  );
});

test("property: with a minus before it a term matches what it did not, and nothing else", () => {
  fc.assert(
    fc.property(word, row, (given, one) => {
      fc.pre(!/^-|\s|^$/.test(given));
      const [plain, not] = [parse(given), parse(`-${given}`)];
      assert.equal(isError(plain), isError(not));
      if (!isError(plain) && !isError(not) && plain.length === 1)
        assert.notEqual(matches(plain, one), matches(not, one));
    }),
  );
});

test("property: any value that is there is found by itself, quoted where it must be", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }).filter((name) => !/["*]/.test(name)),
      (item) => {
        const query = parse(`item:${quoted(item)}`);
        assert.ok(!isError(query) && matches(query, reconcile({ item })), item);
      },
    ),
  );
});

const table = (): Table => {
  const made = new Table();
  made.apply({ type: "rows", offset: 1, now: at(0), rows: Object.values(rows), gone: [] });
  return made;
};

test("a filter lists what matches, newest first, and follows what comes", () => {
  const made = table();
  const filter = filterOf("item:shop/*");
  assert.ok(filter instanceof Filter);
  const keys = (limit: number): string =>
    filter
      .recent(made, limit)
      .map((one) => one.key)
      .join();
  assert.deepEqual([keys(9), keys(1)], ["b2,a1", "b2"]);
  const next = reconcile({ key: "e5", item: "shop/new", from: at(900), to: at(901) });
  filter.take(
    made.apply({ type: "rows", offset: 2, now: at(901), rows: [next], gone: [{ row: "reconcile", key: "a1" }] }),
  );
  assert.deepEqual([keys(9), filter.count(made)], ["e5,b2", 2]);
  const left = { ...next, item: "default/new" };
  filter.take(made.apply({ type: "rows", offset: 3, now: at(902), rows: [left], gone: [] }));
  assert.equal(keys(9), "b2");
  filter.take(made.apply({ type: "snapshot", epoch: "e", offset: 4, now: at(903), reason: "start", rows: [next] }));
  assert.equal(keys(9), "e5");
});

test("property: a filter that takes in changes one by one lists what one made afterwards does", () => {
  const change = fc.record({
    key: fc.nat(6),
    from: fc.nat(50),
    good: fc.boolean(),
    gone: fc.option(fc.nat(6), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const made = new Table({ reconcile: 4 });
      const filter = filterOf("result:success");
      assert.ok(filter instanceof Filter);
      filter.recent(made, 1);
      for (const { key, from, good, gone } of changes) {
        const row = reconcile({ key: String(key), from: at(from), result: good ? "success" : "error" });
        const left = gone === undefined ? [] : [{ row: "reconcile" as const, key: String(gone) }];
        filter.take(made.apply({ type: "rows", offset: 1, now: at(0), rows: [row], gone: left }));
      }
      const fresh = filterOf("result:success");
      assert.ok(fresh instanceof Filter);
      const keys = (one: Filter): string[] =>
        one
          .recent(made, 99)
          .map((row) => `${String(row.from)} ${row.key}`)
          .sort();
      assert.deepEqual(keys(filter), keys(fresh));
    }),
  );
});

test("an item that no worker has taken yet is asked by what is known of it", () => {
  const made = table();
  const shows = (given: string, key: string): boolean => {
    const filter = filterOf(given);
    assert.ok(filter instanceof Filter);
    return filter.shows(made, "podset", "shop/web", key);
  };
  assert.deepEqual(
    ["item:shop/*", "item:a/*", "result:error", "-result:success"].map((given) => [
      shows(given, ""),
      shows(given, "b2"),
    ]),
    [
      [true, true],
      [false, false],
      [false, true],
      [true, true],
    ],
  );
});

test("a text with an error makes no filter, and an empty one leaves nothing out", () => {
  assert.ok(!(filterOf("dur:x") instanceof Filter));
  const none = filterOf("  ");
  assert.ok(none instanceof Filter && !none.on);
  assert.equal(none.recent(table(), 9).length, 4);
});

const language = { fields, having, quoted };

const offered = (given: string, caret = given.length): string[] =>
  complete(given, caret, Object.values(rows), language).options.map(({ label, count }) =>
    count < 0 ? label : `${label} ${String(count)}`,
  );

test("completion offers the fields, then their values with how many reconciles have them", () => {
  assert.deepEqual(
    offered(""),
    Object.keys(fields).map((name) => `${name}:`),
  );
  assert.deepEqual(offered("web re"), ["result:", "requeues:"]);
  assert.deepEqual(offered("result:"), ["error 1", "panic 1", "running 1", "success 1"]);
  assert.deepEqual(offered("item:sh"), ["shop/cart 1", "shop/web 1"]);
  assert.deepEqual(offered("cause:"), ["backoff 1", "own_write 1", "update 1"]);
  assert.deepEqual(offered("dur:"), [">10ms 3", ">100ms 3", ">1s 1"]);
  assert.deepEqual(offered("nothing:"), []);
});

test("a word without a field is offered as a value of those that have it", () => {
  assert.deepEqual(offered("-kube"), ["by:kubectl-edit 1"]);
  assert.deepEqual(offered("PANIC"), ["result:panic 1"]);
  assert.deepEqual(offered("k"), []);
  const { options } = complete("-kube", 5, Object.values(rows), language);
  assert.deepEqual([options[0]?.text, options[0]?.loose], ["-by:kubectl-edit ", true]);
});

test("an option takes the place of the word at the caret, and of a list's last value", () => {
  const chosen = (given: string, caret: number, n = 0): string => {
    const { from, to, options } = complete(given, caret, Object.values(rows), language);
    return given.slice(0, from) + (options[n]?.text ?? "none") + given.slice(to);
  };
  assert.equal(chosen("-re web", 3), "-result: web");
  assert.equal(chosen("result:success,er", 17), "result:success,error ");
  assert.equal(chosen('by:"kube', 8), "by:kubectl-edit ");
});

test("property: what completion offers for a field with a value can be parsed", () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(fields)), fc.string({ maxLength: 3 }), (name, item) => {
      const given = [...Object.values(rows), reconcile({ item, error: item })];
      const { options } = complete(`${name}:`, name.length + 1, given, language);
      for (const option of options) assert.ok(!isError(parse(option.text)), option.text);
    }),
  );
});
