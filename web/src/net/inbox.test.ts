import assert from "node:assert/strict";
import { test } from "node:test";
import { Inbox } from "./inbox.ts";
import type { Socket } from "./types.ts";

/** A socket that is heard through an inbox, and what is heard. */
class Wire {
  ms = 1_000;
  dirty = 0;
  closed = "";
  readonly heard: string[] = [];
  readonly inbox = new Inbox(
    () => this.ms,
    () => this.dirty++,
  );
  private readonly socket: Socket = {
    onmessage: null,
    onclose: null,
    readyState: 1,
    send: () => undefined,
    close: (code, reason) => (this.closed = `${String(code)} ${String(reason)}`),
  };
  readonly ear = this.inbox.through(this.socket);

  constructor() {
    this.ear.onmessage = ({ data }) => this.heard.push(data as string);
    this.ear.onclose = ({ reason }) => this.heard.push(`closed: ${reason}`);
  }

  say(...words: string[]): void {
    for (const data of words) this.socket.onmessage?.(new MessageEvent("message", { data }));
  }

  drop(): void {
    this.socket.onclose?.({ code: 1006, reason: "cut off" } as CloseEvent);
  }
}

test("messages wait until they are read, and are read one by one in their order", () => {
  const wire = new Wire();
  wire.say("a", "b");
  assert.deepEqual(wire.heard, []);
  assert.equal(wire.dirty, 2);
  assert.equal(wire.inbox.read(), true);
  assert.deepEqual(wire.heard, ["a"]);
  assert.equal(wire.inbox.read(), true);
  assert.equal(wire.inbox.read(), false);
  assert.deepEqual(wire.heard, ["a", "b"]);
});

test("it tells for how long the oldest has waited", () => {
  const wire = new Wire();
  assert.equal(wire.inbox.waited(), 0);
  wire.say("a");
  wire.ms += 30;
  wire.say("b");
  wire.ms += 10;
  assert.equal(wire.inbox.waited(), 40);
  wire.inbox.read();
  assert.equal(wire.inbox.waited(), 10);
});

test("what nobody has read for half a second is read when more comes, as in a tab out of sight", () => {
  const wire = new Wire();
  wire.say("a");
  wire.ms += 400;
  wire.say("b");
  assert.deepEqual(wire.heard, []);
  wire.ms += 101;
  wire.say("c");
  assert.deepEqual(wire.heard, ["a"]);
  wire.ms += 800;
  wire.say("d");
  assert.deepEqual(wire.heard, ["a", "b", "c"]);
});

test("the end of a connection is told at once, behind all that came before it", () => {
  const wire = new Wire();
  wire.say("a", "b");
  wire.drop();
  assert.deepEqual(wire.heard, ["a", "b", "closed: cut off"]);
});

test("a message that is read may close the connection", () => {
  const wire = new Wire();
  wire.ear.onmessage = ({ data }) => {
    wire.heard.push(data as string);
    wire.ear.close(1000, "enough");
  };
  wire.say("a", "b");
  wire.drop();
  assert.equal(wire.closed, "1000 enough");
  assert.deepEqual(wire.heard, ["a", "b", "closed: cut off"]);
});
