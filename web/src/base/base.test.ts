import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { at, reconcile, sample } from "../../test/rows.ts";
import { parseFrame, parseRow } from "./guards.ts";
import { Intervals } from "./intervals.ts";
import { signal } from "./signal.ts";
import { removeAllSorted } from "./sorted.ts";
import { clock, count, countdown, dated, dueIn, duration, rate } from "./time.ts";

test("durations are said as people do", () => {
  const words: Record<string, number> = {
    "0 ms": 0,
    "0.02 ms": 20,
    "0.3 ms": 300,
    "3.1 ms": 3_100,
    "6.4 ms": 6_400,
    "42 ms": 42_000,
    "264 ms": 264_300,
    "1 s": 999_000,
    "1.3 s": 1_300_000,
    "42 s": 42_000_000,
    "4 min 24 s": 264_000_000,
    "5 min": 300_000_000,
    "1 h": 3_599_900_000,
    "2 h 5 min": 7_500_000_000,
    "–": -1,
  };
  for (const [word, us] of Object.entries(words)) assert.equal(duration(us), word);
  assert.equal(duration(NaN), "–");
});

test("counts, rates, clocks and countdowns", () => {
  assert.deepEqual([count(0), count(1204), count(1_234_567)], ["0", "1,204", "1,234,567"]);
  assert.deepEqual([rate(0), rate(0.31), rate(12.4), rate(830.2), rate(1204)], ["0", "0.3", "12.4", "830", "1,204"]);
  assert.deepEqual([clock(at(7312), 0), clock(at(7312), 60)], ["10:41:07", "11:41:07"]);
  const late = (zone: number): string => dated(at(7312), zone, at(7312 + 13.5 * 3_600_000));
  assert.deepEqual([late(0), late(-60)], ["2026-03-02 10:41:07", "09:41:07"]);
  assert.deepEqual(
    [countdown(-5), countdown(40_000), countdown(1_300_000), countdown(264_000_000)],
    ["0 ms", "40 ms", "1.3 s", "4:24"],
  );
  assert.deepEqual([dueIn(40_000), dueIn(0), dueIn(-5)], ["40 ms", "due", "due"]);
});

test("a signal tells its watchers of changes only, until they end it", () => {
  const s = signal(1);
  const seen: number[] = [];
  const end = s.subscribe(() => seen.push(s.get()));
  s.set(1);
  s.set(2);
  end();
  s.set(3);
  assert.deepEqual(seen, [2]);
});

test("property: intervals answer like a search through all of them", () => {
  const span = fc.record({
    from: fc.integer({ min: 0, max: 100 }),
    length: fc.constantFrom(0, 1, 3, 10, 50, Infinity),
  });
  fc.assert(
    fc.property(fc.array(span), fc.integer({ min: -5, max: 160 }), fc.nat(), (spans, t, out) => {
      const all = spans.map(({ from, length }) => ({ from, to: from + length }));
      const index = new Intervals(10);
      for (const item of all) index.add(item);
      const [gone] = all.splice(all.length > 0 ? out % all.length : 0, 1);
      if (gone !== undefined) assert.ok(index.remove(gone));
      const found = new Set<unknown>();
      index.at(t, (item) => found.add(item));
      assert.deepEqual(found, new Set(all.filter((item) => item.from <= t && t < item.to)));
      assert.equal(index.nextStart(t), Math.min(Infinity, ...all.map((item) => item.from).filter((from) => from > t)));
    }),
  );
});

const row = reconcile();

test("a row that fits is taken, Go's nil lists and maps become empty", () => {
  assert.deepEqual(parseRow(row), { ok: true, value: row });
  const bare = parseRow({ ...row, causes: null, causeCounts: null, later: "unknown fields are no fault" });
  assert.ok(bare.ok && bare.value.row === "reconcile");
  assert.deepEqual([bare.value.causes, bare.value.causeCounts], [[], {}]);
});

test("a row that does not fit says where", () => {
  const bad: readonly (readonly [unknown, RegExp])[] = [
    [null, /not an object/],
    [{ row: "cat" }, /kind "cat"/],
    [{ row: "toString" }, /kind "toString"/],
    [{ ...row, from: "now" }, /reconcile r1\.from is not a number/],
    [{ ...row, item: undefined }, /r1\.item is not a string/],
    [{ ...row, causes: [{}] }, /r1\.causes\[0\]\.at is not a number/],
    [{ ...row, causeCounts: { update: "x" } }, /r1\.causeCounts\.update/],
    [{ ...row, phases: {} }, /r1\.phases is not a list/],
    [{ ...row, object: [] }, /r1\.object is not an object/],
  ];
  for (const [json, problem] of bad) {
    const result = parseRow(json);
    assert.ok(!result.ok);
    assert.match(result.problem, problem);
  }
});

test("a frame keeps its good rows, and tells of each bad one", () => {
  const told: string[] = [];
  const text = JSON.stringify({
    type: "rows",
    offset: 7,
    now: 5,
    rows: [{ row: "x" }, sample(0, 1), 3],
    gone: ["item/a/b/c", "?"],
  });
  const frame = parseFrame(text, (problem) => told.push(problem));
  assert.ok(frame.ok && frame.value.type === "rows");
  assert.deepEqual([frame.value.rows.length, frame.value.gone, told.length], [1, [{ row: "item", key: "a/b/c" }], 3]);
});

test("property: no text at all makes parseFrame throw", () => {
  const ignore = (): void => undefined;
  const json = fc.anything().map((value) => JSON.stringify(value));
  const frames = fc
    .record({
      type: fc.constantFrom("snapshot", "rows", "elided", "bookmark", "error"),
      rows: fc.anything(),
      gone: fc.anything(),
      by: fc.anything(),
      offset: fc.anything(),
      epoch: fc.anything(),
    })
    .map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(fc.oneof(fc.string(), json, frames), (text) => typeof parseFrame(text, ignore).ok === "boolean"),
  );
  assert.equal(parseFrame(new ArrayBuffer(3), ignore).ok, false);
});

test("property: taking many out of a sorted list takes out these very ones, and leaves the others in order", () => {
  const itself = ({ at }: { at: number }): number => at;
  fc.assert(
    fc.property(fc.array(fc.record({ at: fc.nat(20), goes: fc.boolean() })), (all) => {
      const list = [...all].sort((a, b) => a.at - b.at);
      const left = list.filter(({ goes }) => !goes);
      const gone = list.filter(({ goes }) => goes).reverse();
      removeAllSorted(list, [...gone, { at: 3, goes: true }], itself);
      assert.deepEqual(list, left);
    }),
  );
});

test("the oldest of a long list are taken out at once, not one by one", () => {
  const list = Array.from({ length: 1000 }, (_, at) => ({ at }));
  let splices = 0;
  list.splice = (start: number, count: number): { at: number }[] => {
    splices++;
    return Array.prototype.splice.call(list, start, count) as { at: number }[];
  };
  removeAllSorted(list, list.slice(0, 400), ({ at }) => at);
  assert.deepEqual([list.length, list[0]?.at, splices], [600, 400, 1]);
});

test("of what lies between the oldest and the newest that go nothing is looked at", () => {
  const list = Array.from({ length: 10_000 }, (_, at) => ({ at }));
  const gone = list.filter(({ at }) => (at < 40 || at >= 9960) && at % 3 > 0);
  let reads = 0;
  const read = (all: { at: number }[], key: string | symbol): unknown => {
    reads++;
    return Reflect.get(all, key);
  };
  const counted = new Proxy(list.slice(), { get: read });
  counted.splice = Array.prototype.splice.bind(list);
  counted.indexOf = Array.prototype.indexOf.bind(list);
  removeAllSorted(counted, gone, ({ at }) => at);
  assert.ok(reads < 2_000, `${String(reads)} reads`);
});
