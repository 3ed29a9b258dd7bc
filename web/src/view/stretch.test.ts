import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SECOND } from "../base/time.ts";
import { Stretch, bucketOf, roundUp, usual } from "./stretch.ts";

const now = 1_700_000_000 * SECOND + 123_456;

function live(): Stretch {
  const stretch = new Stretch();
  stretch.keep(now, true);
  return stretch;
}

test("it shows three minutes that end with what is live, and goes on by whole bars", () => {
  const stretch = live();
  assert.deepEqual([stretch.length, bucketOf(stretch), stretch.to % SECOND], [usual, SECOND, 0]);
  assert.ok(stretch.to > now && stretch.to <= now + 2 * SECOND);
  const { to } = stretch;
  stretch.keep(now + 3 * SECOND, true);
  assert.equal(stretch.to, to + 3 * SECOND);
});

test("while the picture stands still it stands, and comes along only when the moment leaves it", () => {
  const stretch = live();
  const { from, to } = stretch;
  stretch.keep(now - 60 * SECOND, false);
  assert.deepEqual([stretch.from, stretch.to], [from, to]);
  stretch.keep(from - 3600 * SECOND, false);
  assert.ok(stretch.from < from - 3600 * SECOND && stretch.to > from - 3600 * SECOND);
  assert.equal(stretch.length, usual);
  // Moved away from the moment, it stays there until the moment moves.
  stretch.pan(1000 * SECOND);
  const moved = stretch.from;
  stretch.keep(from - 3600 * SECOND, false);
  assert.equal(stretch.from, moved);
  stretch.keep(from - 3601 * SECOND, false);
  assert.notEqual(stretch.from, moved);
});

test("a moment that has left it just before now brings no time into sight that has not come", () => {
  const stretch = live();
  const end = now + 20 * SECOND;
  stretch.keep(now + 18 * SECOND, false, end);
  assert.ok(stretch.to > end && stretch.to <= end + 2 * SECOND, "as if it had gone with what is live");
  assert.equal(stretch.length, usual);
  stretch.keep(stretch.from - SECOND, false, end);
  assert.ok(stretch.from > now - 2 * usual && stretch.to < end, "what is long past stands at its left");
});

test("at the end of a recording the line ends there too, and a short one stands at the line's left", () => {
  const begin = now - 900 * SECOND;
  const stretch = new Stretch();
  stretch.keep(begin, false, now, begin);
  assert.ok(stretch.from < begin && stretch.from > begin - 12 * SECOND, "it begins at the recording's beginning");
  stretch.keep(now, false, now, begin);
  assert.ok(stretch.to >= now && stretch.to <= now + 2 * SECOND);
  const short = new Stretch();
  short.keep(now, false, now, now - 20 * SECOND);
  assert.ok(short.from > now - 32 * SECOND && short.from < now - 20 * SECOND);
});

test("closer and wider keep what stands at a time where it is; what goes with what is live stays there", () => {
  const stretch = live();
  const { to } = stretch;
  stretch.zoom(0.5, stretch.from);
  assert.deepEqual([stretch.to, stretch.length, stretch.free], [to, usual / 2, false]);
  stretch.keep(now, false);
  const at = stretch.from + stretch.length / 4;
  stretch.zoom(0.1, at);
  assert.ok(Math.abs(stretch.from + stretch.length / 4 - at) <= 1);
});

test("a frame leaves room on both sides, and one goes back to where one was", () => {
  const stretch = live();
  const { from, to } = stretch;
  stretch.frame({ from: now - 42_000, to: now });
  assert.ok(stretch.framed && stretch.free);
  assert.ok(stretch.from < now - 42_000 && stretch.to > now && stretch.length < 60_000);
  stretch.frame({ from: now - 5_000, to: now });
  stretch.keep(now + SECOND, true);
  assert.ok(stretch.length < 10_000, "it goes with nothing");
  assert.ok(stretch.unframe());
  assert.deepEqual([stretch.from, stretch.to, stretch.free, stretch.unframe()], [from, to, false, false]);
});

test("when the picture follows again, the line does", () => {
  const stretch = live();
  stretch.keep(now, false);
  stretch.pan(-500 * SECOND);
  stretch.keep(now, true);
  assert.ok(!stretch.free && stretch.to > now);
  stretch.frame({ from: now, to: now + 1 });
  stretch.live();
  stretch.keep(now, true);
  assert.deepEqual([stretch.length, stretch.framed], [usual, false]);
});

test("property: whatever one does, the line has a length between a millisecond and hours, and few bars", () => {
  const step = fc.oneof(
    fc.record({
      zoom: fc.double({ min: 0.001, max: 1000, noNaN: true }),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    fc.record({ pan: fc.integer({ min: -1e9, max: 1e9 }) }),
    fc.record({ frame: fc.nat(1e9) }),
    fc.record({ keep: fc.integer({ min: -1e9, max: 1e9 }), following: fc.boolean() }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const stretch = live();
      for (const one of steps) {
        if ("zoom" in one) stretch.zoom(one.zoom, stretch.from + one.at * stretch.length);
        else if ("pan" in one) stretch.pan(one.pan);
        else if ("frame" in one) stretch.frame({ from: now, to: now + one.frame });
        else stretch.keep(now + one.keep, one.following);
        const bar = bucketOf(stretch);
        assert.ok(stretch.length >= 999 && stretch.length <= 4 * 3600 * SECOND + 1, String(stretch.length));
        assert.ok(stretch.length / bar <= 200 && roundUp(bar) === bar);
      }
    }),
  );
});
