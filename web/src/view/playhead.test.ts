import assert from "node:assert/strict";
import { test } from "node:test";
import { Playhead, lag, speedSaid, speeds } from "./playhead.ts";

const second = 1_000_000;

/** A playhead and the clock that it reads; heard is Infinity while the hub is connected. */
function made(): { clock: { now: number; heard: number }; head: Playhead } {
  const clock = { now: 100 * second, heard: Infinity };
  return { clock, head: new Playhead({ now: () => clock.now, heard: () => clock.heard }, () => undefined) };
}

test("following is the hub's clock, a little behind", () => {
  const { clock, head } = made();
  assert.equal(head.now(), 100 * second - lag);
  clock.now += second;
  assert.equal(head.now(), 101 * second - lag);
  assert.deepEqual([head.kind, head.behind()], ["following", 0]);
});

test("while the hub is lost the clock stands where the last frame came", () => {
  const { clock, head } = made();
  clock.heard = clock.now;
  clock.now += 9 * second;
  assert.equal(head.now(), 100 * second);
  clock.heard = Infinity;
  assert.equal(head.now(), 109 * second - lag);
});

test("slower plays from where one is, at a fraction of the speed", () => {
  const { clock, head } = made();
  for (let i = 0; i < 3; i++) head.change(-1);
  assert.deepEqual([head.kind, head.speed], ["playing", 1 / 10]);
  clock.now += 10 * second;
  assert.equal(head.now(), 101 * second - lag);
  head.change(1);
  assert.equal(head.speed, 1 / 4);
  assert.equal(head.now(), 101 * second - lag, "a change of speed does not jump");
});

test("paused, it goes on at the speed that was chosen, and with what is live when none was", () => {
  const { clock, head } = made();
  head.change(-1);
  head.toggle();
  const stood = head.now();
  clock.now += 5 * second;
  assert.equal(head.now(), stood);
  head.toggle();
  assert.equal(head.kind, "playing");
  head.follow();
  head.toggle();
  head.toggle();
  assert.equal(head.kind, "following");
});

test("from a moment that was gone to it plays on at its own speed, and does not run away to what is live", () => {
  const { clock, head } = made();
  head.toggle();
  assert.equal(head.follows, true);
  head.seek(90 * second);
  assert.equal(head.follows, false);
  head.toggle();
  clock.now += 2 * second;
  assert.deepEqual([head.kind, head.speed, head.now()], ["playing", 1, 92 * second]);
  head.toggle();
  head.toggle();
  clock.now += second;
  assert.deepEqual([head.kind, head.now()], ["playing", 93 * second]);
  head.follow();
  assert.equal(head.kind, "following");
});

test("what is played again up to a moment is followed by what is live", () => {
  const { clock, head } = made();
  head.playFrom(60 * second, 64 * second);
  clock.now += 3 * second;
  assert.deepEqual([head.now(), head.kind], [63 * second, "playing"]);
  clock.now += 2 * second;
  assert.deepEqual([head.now(), head.kind], [105 * second - lag, "following"]);
});

test("what has been overtaken by playing fast is followed", () => {
  const { clock, head } = made();
  head.seek(clock.now - 4 * second);
  head.change(1);
  assert.deepEqual([head.kind, head.speed], ["playing", 2]);
  clock.now += second;
  assert.equal(head.kind, "playing");
  clock.now += 10 * second;
  assert.equal(head.now(), clock.now - lag);
  assert.deepEqual([head.kind, head.speed], ["following", 1]);
});

test("slow motion is not left because the hub's clock is set back or stops", () => {
  const { clock, head } = made();
  head.change(-1);
  clock.now -= 1_000;
  assert.deepEqual([head.now(), head.kind], [clock.now - lag, "playing"]);
  clock.heard = clock.now;
  clock.now += 60 * second;
  assert.deepEqual([head.now(), head.kind], [clock.heard, "playing"]);
  clock.heard = Infinity;
  assert.equal(head.kind, "playing");
});

test("what is live cannot be outrun, and the speeds have ends", () => {
  const { head } = made();
  head.change(1);
  assert.equal(head.kind, "following");
  for (let i = 0; i < 30; i++) head.change(-1);
  assert.equal(head.speed, speeds[0]);
});

test("speeds in words", () => {
  assert.deepEqual([1 / 1000, 1 / 4, 1, 4].map(speedSaid), ["1/1000 speed", "1/4 speed", "1× speed", "4× speed"]);
});

/** A recording that ends at 100, a clock that is told the time. */
function recorded(): { head: Playhead; tick: (us: number) => void } {
  let now = 5_000;
  const end = (): number => 100;
  const head = new Playhead({ now: () => now, heard: end, end }, () => undefined);
  return {
    head,
    tick: (us) => {
      now += us;
    },
  };
}

test("a recording is played from where it is told to its end, and stands still there", () => {
  const { head, tick } = recorded();
  head.playFrom(10);
  tick(20);
  assert.deepEqual([head.now(), head.kind, head.ended, head.behind()], [30, "playing", false, 70]);
  tick(500);
  assert.deepEqual([head.now(), head.kind, head.ended, head.behind()], [100, "paused", true, 0]);
});

test("a recording is paused and played on; its end is no live time to follow", () => {
  const { head, tick } = recorded();
  head.playFrom(10);
  tick(20);
  head.toggle();
  tick(50);
  assert.deepEqual([head.now(), head.kind], [30, "paused"]);
  head.toggle();
  tick(10);
  assert.deepEqual([head.now(), head.kind], [40, "playing"]);
  head.follow();
  assert.deepEqual([head.now(), head.kind, head.ended], [100, "paused", true]);
  head.seek(1_000);
  assert.equal(head.now(), 100);
  head.seek(99);
  assert.equal(head.ended, false);
});

test("nothing moves in a recording that has not come, and it begins all the same", () => {
  let end = 0;
  const head = new Playhead({ now: () => 5, heard: () => end, end: () => end }, () => undefined);
  for (const press of ["follow", "toggle", "pause"] as const) head[press]();
  head.seek(40);
  head.change(-1);
  assert.deepEqual([head.kind, head.moves], ["following", 0]);
  end = 100;
  head.begin(10);
  assert.deepEqual([head.kind, head.now()], ["playing", 10]);
});

test("a recording that plays as it was opened was moved by nobody", () => {
  const { head, tick } = recorded();
  head.begin(10);
  tick(20);
  assert.deepEqual([head.now(), head.kind, head.moves], [30, "playing", 0]);
  head.pause();
  assert.equal(head.moves, 1);
});

test("pages whose own clocks differ play a recording at the same moment, by the clock that they share", () => {
  let passed = 0;
  const page = (now: number): Playhead =>
    new Playhead(
      { now: () => now + passed, heard: () => 9_000, end: () => 9_000, shared: () => 1_000_000 + passed },
      () => undefined,
    );
  const [presenter, viewer] = [page(0), page(70_000)];
  presenter.playFrom(100);
  presenter.change(-1);
  passed = 200;
  const told = presenter.meaning();
  assert.deepEqual([told.t, told.since, told.speed], [200, 1_000_200, 1 / 2]);
  passed = 600;
  viewer.show(told);
  assert.deepEqual([viewer.now(), presenter.now()], [400, 400]);
});
