import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Told } from "./told.ts";

test("boxes that many pass are told some times a second, and once more after the last frame", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const told = new Told();
  let woken = 0;
  const due = (mode: "single" | "merged" | "flow", now: number, following = true): boolean =>
    told.due(mode, following, now, () => woken++);
  assert.deepEqual([due("single", 0), due("single", 1)], [true, true]);
  assert.deepEqual(
    [due("merged", 2), due("merged", 10), due("merged", 51), due("merged", 52)],
    [true, false, false, true],
  );
  assert.deepEqual([due("flow", 53), due("flow", 152)], [true, false]);
  assert.ok(due("flow", 152, false), "what stands still is told at once");
  assert.equal(woken, 0);
  assert.ok(!due("flow", 200));
  mock.timers.tick(51);
  assert.equal(woken, 0);
  mock.timers.tick(1);
  assert.equal(woken, 1, "the frame after the last");
  assert.ok(due("flow", 252));
  mock.timers.tick(1000);
  assert.equal(woken, 1);
  mock.timers.reset();
});
