import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Frames } from "./frames.ts";

/** The browser as far as Frames knows it: a clock, animation frames and a timer, moved by hand. */
const browser = { now: 0, asked: [] as ((now: number) => void)[], timer: Infinity };

beforeEach(() => {
  Object.assign(browser, { now: 1000, asked: [], timer: Infinity });
  mock.method(performance, "now", () => browser.now);
  Object.assign(globalThis, {
    window: { setTimeout: (_: unknown, ms: number) => (browser.timer = ms) },
    requestAnimationFrame: (run: (now: number) => void) => browser.asked.push(run),
  });
});

afterEach(() => {
  mock.restoreAll();
});

/** Runs the frame that was asked for. */
function frame(): void {
  const [run] = browser.asked.splice(0);
  assert.ok(run, "no frame was asked for");
  browser.now += 16;
  run(browser.now);
}

/** Frames whose picture and panels take so many ms each, and what was done. */
function frames(picture: number, panels: readonly number[]): { frames: Frames; done: string[] } {
  const done: string[] = [];
  const draw = (): number => {
    done.push("draw");
    browser.now += picture;
    return Infinity;
  };
  function* paint(): Iterator<void> {
    for (const [i, ms] of panels.entries()) {
      done.push(String(i));
      browser.now += ms;
      yield;
    }
  }
  return { frames: new Frames({ draw, panels: paint }), done };
}

test("panels that find room in the frame are painted in it", () => {
  const { frames: all, done } = frames(0.5, [0.5, 0.5, 0.5]);
  all.wake();
  frame();
  assert.deepEqual(done, ["draw", "0", "1", "2"]);
  assert.deepEqual([browser.asked.length, browser.timer], [0, 1000]);
});

test("panels that find no room are painted in the frames after, one in each at least", () => {
  const { frames: all, done } = frames(2, [2, 5, 1, 1]);
  all.wake();
  for (let i = 0; i < 4; i++) frame();
  assert.deepEqual(done.join(" "), "draw 0 draw 1 draw 2 draw 3");
  frame();
  assert.deepEqual([done.at(-1), browser.asked.length], ["draw", 0]);
});

test("however long the picture takes, the panels have half a millisecond of each frame", () => {
  const { frames: all, done } = frames(9, [0.4, 0.4, 0.4, 0.4]);
  all.wake();
  frame();
  assert.deepEqual(done.join(" "), "draw 0 1");
  frame();
  assert.deepEqual(done.join(" "), "draw 0 1 draw 2 3");
});

test("the panels are painted at most ten times a second, and the last news is not forgotten", () => {
  const { frames: all, done } = frames(0, [0]);
  all.wake();
  frame();
  all.wake();
  frame();
  assert.deepEqual(done, ["draw", "0", "draw"]);
  assert.equal(browser.timer, 100);
  browser.now += 100;
  all.wake();
  frame();
  assert.deepEqual(done.slice(3), ["draw", "0"]);
});
