import assert from "node:assert/strict";
import { test } from "node:test";
import type { Socket, Timer } from "./types.ts";
import { HubClock } from "./clock.ts";
import { WatchClient } from "./watch.ts";

const [CONNECTING, OPEN] = [0, 1];

/** A clock that moves only when told, and the sockets that were asked for. */
class World {
  ms = 1_000;
  readonly urls: string[] = [];
  readonly problems: string[] = [];
  readonly closed: string[] = [];
  readonly sent: string[] = [];
  /** What a socket is from its beginning. */
  readyState: number = OPEN;
  private readonly due: { at: number; run: () => void }[] = [];
  private sockets: Socket[] = [];
  readonly timer: Timer = {
    now: () => this.ms,
    wall: () => this.ms,
    after: (ms, run) => {
      const job = { at: this.ms + ms, run };
      this.due.push(job);
      return () => {
        const i = this.due.indexOf(job);
        if (i >= 0) this.due.splice(i, 1);
      };
    },
    random: () => 0,
  };
  readonly client = new WatchClient({
    url: "ws://hub/api/v1/watch",
    open: (url) => this.open(url),
    timer: this.timer,
    onDirty: () => undefined,
    onMalformed: (problem) => this.problems.push(problem),
    maxPending: 5,
  });

  private open(url: string): Socket {
    const socket: Socket = {
      onmessage: null,
      onclose: null,
      readyState: this.readyState,
      send: (data) => this.sent.push(data),
      close: (_, reason) => this.closed.push(reason ?? ""),
    };
    this.urls.push(url);
    this.sockets.push(socket);
    return socket;
  }

  wait(ms: number): void {
    this.ms += ms;
    for (const job of this.due.filter((j) => j.at <= this.ms)) {
      this.due.splice(this.due.indexOf(job), 1);
      job.run();
    }
  }

  say(frame: object, socket = this.sockets.at(-1)): void {
    socket?.onmessage?.(new MessageEvent("message", { data: JSON.stringify(frame) }));
  }

  drop(socket = this.sockets.at(-1)): void {
    socket?.onclose?.({ code: 1006, reason: "" } as CloseEvent);
  }

  old(): Socket | undefined {
    return this.sockets.at(-2);
  }
}

const snapshot = (epoch: string, offset: number, reason = "start"): object => ({
  type: "snapshot",
  epoch,
  offset,
  now: 5_000_000,
  reason,
  rows: [],
});
const sample = (key: string): object => ({
  row: "sample",
  key,
  controller: "a",
  from: 0,
  to: 1,
  reconciles: 1,
  byResult: {},
  byCause: {},
  writes: 0,
  failedWrites: 0,
  depth: 0,
});

function live(): World {
  const world = new World();
  world.client.start();
  world.say(snapshot("e1", 10));
  return world;
}

test("it connects, is live with the first frame, and drain gives what came once", () => {
  const world = new World();
  world.client.start();
  assert.deepEqual(world.client.connection(), { state: "connecting", attempt: 1 });
  world.say(snapshot("e1", 10));
  assert.deepEqual(world.client.connection(), { state: "live", since: 1_000 });
  assert.deepEqual(
    [world.client.drain().length, world.client.drain().length, world.urls],
    [1, 0, ["ws://hub/api/v1/watch"]],
  );
});

test("lost: it counts down, backs off twice as long each time, and resumes from where it was", () => {
  const world = live();
  world.say({ type: "rows", offset: 12, now: 5_000_000, rows: [] });
  world.drop();
  const lost = world.client.connection();
  assert.ok(lost.state === "lost");
  assert.deepEqual([lost.asOf, lost.retryAt, world.client.secondsToRetry()], [5_000_000, 1_500, 1]);
  for (const [i, ms] of [500, 1000, 2000, 4000, 8000, 15_000, 15_000].entries()) {
    world.wait(ms - 1);
    assert.equal(world.urls.length, 1 + i, `try ${String(i)} came early`);
    world.wait(1);
    assert.equal(world.urls.at(-1), "ws://hub/api/v1/watch?from=e1%3A12");
    world.drop();
    const still = world.client.connection();
    assert.ok(still.state === "lost" && still.since === 1_000);
  }
  assert.equal(world.client.secondsToRetry(), 15);
});

test("deepen asks once for all that the hub keeps, and goes on from there", () => {
  const world = live();
  assert.deepEqual([world.client.whole(), world.client.deepen(), world.client.deepen()], [false, true, false]);
  assert.equal(world.urls.at(-1), "ws://hub/api/v1/watch?limit=50000");
  assert.equal(world.client.connection().state, "connecting");
  world.say(snapshot("e1", 20));
  assert.deepEqual([world.client.connection().state, world.client.drain().at(-1)?.type], ["live", "snapshot"]);
  world.drop();
  assert.equal(world.client.deepen(), false);
  world.client.tryNow();
  assert.equal(world.urls.at(-1), "ws://hub/api/v1/watch?limit=50000&from=e1%3A20");
});

test("tryNow skips the countdown, once", () => {
  const world = live();
  world.drop();
  world.client.tryNow();
  world.client.tryNow();
  assert.equal(world.urls.length, 2);
  world.wait(60_000);
  assert.equal(world.urls.length, 2);
});

test("restored: caught up with what was missed, without counting what is new, then live", () => {
  const world = live();
  world.drop();
  world.client.tryNow();
  world.say({ type: "bookmark", offset: 10, now: 9_000_000 });
  world.say({ type: "rows", offset: 11, now: 8_000_000, rows: [sample("a"), sample("b")] });
  world.say({ type: "rows", offset: 12, now: 9_500_000, rows: [sample("c")] });
  const back = world.client.connection();
  assert.ok(back.state === "restored");
  assert.deepEqual(back.how, { kind: "caught_up", rows: 2 });
  world.wait(5_000);
  assert.equal(world.client.connection().state, "live");
});

test("restored: a snapshot of the same epoch is a gap, of another one new data", () => {
  for (const [epoch, want] of [
    ["e1", { kind: "gap", from: 5_000_000, to: 5_000_000, reconciles: 0 }],
    ["e2", { kind: "new_epoch" }],
  ] as const) {
    const world = live();
    world.drop();
    world.client.tryNow();
    world.say(snapshot(epoch, 90, "lagged"));
    const back = world.client.connection();
    assert.ok(back.state === "restored");
    assert.deepEqual(back.how, want);
  }
});

test("who is far behind asks for the newest in the place of all that waits, and only then", () => {
  const world = live();
  const behind = (n: number): void => {
    world.say({
      type: "rows",
      offset: n,
      now: 9_000_000,
      rows: Array.from({ length: n }, (_, i) => sample(String(i))),
    });
  };
  behind(10_000);
  world.client.hurry();
  assert.equal(world.urls.length, 1);
  assert.equal(world.client.drain().at(-1)?.type, "rows");
  assert.ok(world.client.deepen());
  world.say(snapshot("e1", 20_000));
  behind(6_000);
  behind(6_000);
  world.client.hurry();
  assert.deepEqual([world.urls.length, world.client.drain(), world.client.whole()], [3, [], false]);
  assert.equal(world.urls.at(-1), world.urls[0]);
});

test("a socket that was replaced is not heard any more, nor is anything after stop", () => {
  const world = live();
  world.drop();
  world.client.tryNow();
  world.say(snapshot("old", 1), world.old());
  world.drop(world.old());
  assert.equal(world.client.connection().state, "connecting");
  world.client.stop();
  world.drop();
  world.wait(60_000);
  assert.equal(world.urls.length, 2);
});

test("malformed frames and rows are counted, told and skipped", () => {
  const world = live();
  world.client.drain();
  world.say({ type: "nonsense" });
  world.say({ type: "rows", offset: 11, now: 1, rows: [{ row: "sample" }, sample("a")] });
  const [frame] = world.client.drain();
  assert.ok(frame?.type === "rows");
  assert.deepEqual([frame.rows.length, world.client.malformed(), world.problems.length], [1, 2, 2]);
});

test("what is never drained does not grow: it asks for a snapshot instead", () => {
  const world = live();
  for (let i = 0; i < 5; i++) world.say({ type: "bookmark", offset: 11 + i, now: 1 });
  assert.deepEqual([world.client.drain().length, world.urls], [0, ["ws://hub/api/v1/watch", "ws://hub/api/v1/watch"]]);
});

test("an error frame is a loss with its words and its code, a dropped connection has none", () => {
  const world = live();
  world.say({ type: "error", code: "unauthorized", message: "log in again", now: 1 });
  const lost = world.client.connection();
  assert.deepEqual(lost.state === "lost" && [lost.reason, lost.code], ["log in again", "unauthorized"]);
  const dropped = live();
  dropped.drop();
  const gone = dropped.client.connection();
  assert.equal(gone.state === "lost" && gone.code, "");
});

test("the hub's clock is told by the stamp that travelled fastest, and follows when it is set", () => {
  const clock = new HubClock();
  assert.equal(clock.now(1_000), 1_000_000);
  clock.heard(5_000_000, 1_000);
  clock.heard(5_080_000, 1_100);
  assert.equal(clock.now(1_100), 5_100_000);
  clock.heard(2_000_000, 70_000);
  assert.equal(clock.now(70_000), 2_000_000);
});

test("a recording's time is its end and does not pass", () => {
  const timer: Timer = { now: () => 1, wall: () => 9_000, after: () => () => undefined, random: () => 0 };
  const socket: Socket = {
    onmessage: null,
    onclose: null,
    readyState: 1,
    send: () => undefined,
    close: () => undefined,
  };
  const client = new WatchClient({
    url: "ws://hub/",
    open: () => socket,
    timer,
    onDirty: () => undefined,
    recorded: true,
  });
  client.start();
  socket.onmessage?.(new MessageEvent("message", { data: JSON.stringify(snapshot("r1", 10)) }));
  assert.equal(client.hubNow(), 5_000_000);
  const told = { type: "room", now: 9_000_000, room: {} };
  socket.onmessage?.(new MessageEvent("message", { data: JSON.stringify(told) }));
  assert.deepEqual([client.hubNow(), client.roomNow()], [5_000_000, 9_000_000], "the room is told at the hub's time");
});

test("a hub that says nothing is noticed after 5 s, and forgotten with its next word; a recording may be silent", () => {
  const world = new World();
  world.client.start();
  const word = { type: "snapshot", epoch: "e", offset: 1, now: 1, rows: [] };
  assert.equal(world.client.silentFor(), 0);
  world.wait(9_000);
  assert.equal(world.client.silentFor(), 0, "it is still connecting");
  world.say(word);
  world.wait(4_999);
  assert.equal(world.client.silentFor(), 0);
  world.wait(3_001);
  assert.equal(world.client.silentFor(), 8);
  assert.equal(world.client.heardUntil(), 1, "nothing is known of what came after its last word");
  world.say({ type: "bookmark", epoch: "e", offset: 1, now: 2 });
  assert.equal(world.client.silentFor(), 0);
  assert.equal(world.client.heardUntil(), Infinity);
  world.wait(6_000);
  world.drop();
  assert.equal(world.client.heardUntil(), 2);
  assert.equal(world.client.silentFor(), 0, "what is lost is said otherwise");
});

test("a connection that is cut off without a word is given up after 15 s, and resumed where it was", () => {
  const world = new World();
  world.client.start();
  world.say(snapshot("e", 7));
  world.wait(14_000);
  world.say({ type: "rows", offset: 9, now: 5_100_000, rows: [sample("x")] });
  world.wait(14_000);
  assert.equal(world.client.connection().state, "live");
  assert.equal(world.urls.length, 1);
  world.wait(1_000);
  const lost = world.client.connection();
  assert.equal(lost.state, "lost");
  assert.ok(lost.state === "lost" && lost.reason === "no word from the hub");
  assert.equal(world.closed.length, 1, "nothing more is heard of the old one");
  world.client.tryNow();
  assert.match(world.urls.at(-1) ?? "", /from=e%3A9$/);
});

test("what does not connect within 15 s is tried again; a socket that is open may take longer for its snapshot", () => {
  const world = new World();
  world.client.start();
  world.wait(60_000);
  assert.equal(world.client.connection().state, "connecting");
  world.say(snapshot("e", 1));
  assert.equal(world.client.connection().state, "live");

  world.drop();
  world.readyState = CONNECTING;
  world.client.tryNow();
  world.wait(15_000);
  assert.equal(world.client.connection().state, "lost");
  world.client.stop();
  world.wait(60_000);
  assert.equal(world.urls.length, 2, "who has stopped does not try");
});

test("what is pinned is said once, as soon as the hub speaks, and again to the next", () => {
  const world = new World();
  const pin = (controller: string, item: string): string => JSON.stringify({ type: "pin", controller, item });
  world.client.start();
  world.client.pin("podset", "shop/web");
  assert.deepEqual(world.sent, [], "a socket that is not open takes nothing");
  world.say(snapshot("e", 1));
  assert.deepEqual(world.sent, [pin("podset", "shop/web")]);
  world.client.pin("podset", "shop/web");
  world.say({ type: "bookmark", offset: 2, now: 2 });
  assert.equal(world.sent.length, 1);
  world.client.pin("podset", "shop/api");
  world.client.pin("", "");
  assert.deepEqual(world.sent.slice(1), [pin("podset", "shop/api"), pin("", "")]);

  world.client.pin("podset", "shop/web");
  world.drop();
  world.client.tryNow();
  assert.equal(world.sent.length, 4);
  world.say({ type: "bookmark", offset: 2, now: 3 });
  assert.deepEqual(world.sent.slice(4), [pin("podset", "shop/web")]);
  world.client.pin("", "");
  world.drop();
  world.client.tryNow();
  world.say({ type: "bookmark", offset: 2, now: 4 });
  assert.equal(world.sent.length, 6, "nobody need be told of nothing");
});

test("a pin that is refused loses no connection", () => {
  const world = new World();
  world.client.start();
  world.say(snapshot("e", 1));
  world.say({ type: "error", code: "pin", message: "64 different items are pinned", now: 2 });
  assert.equal(world.client.connection().state, "live");
});
