import assert from "node:assert/strict";
import { test } from "node:test";
import { patient } from "./ask.ts";

test("an answer that does not come in 5 s is missed in words, and heard when it comes", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const said: string[] = [];
  const say = (text: string): void => {
    said.push(text);
  };
  let answer: (value: string) => void = () => undefined;
  const slow = patient(new Promise<string>((done) => (answer = done)), say);
  t.mock.timers.tick(4_999);
  assert.deepEqual(said, []);
  t.mock.timers.tick(1);
  assert.match(said[0] ?? "", /has not answered for 5 s/);
  answer("done");
  assert.equal(await slow, "done");

  assert.equal(await patient(Promise.resolve("at once"), say), "at once");
  t.mock.timers.tick(60_000);
  assert.equal(said.length, 1, "what has been answered is not missed");
});
