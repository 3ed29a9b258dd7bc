import assert from "node:assert/strict";
import { test } from "node:test";
import { ask } from "./ask.ts";

test("an answer that does not come in 5 s is missed in words, and heard when it comes", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const said: string[] = [];
  const say = (text: string): void => {
    said.push(text);
  };
  let answer: (value: Response) => void = () => undefined;
  const fetched = t.mock.method(globalThis, "fetch", () => new Promise<Response>((done) => (answer = done)));
  const slow = ask("control", {}, say);
  t.mock.timers.tick(4_999);
  assert.deepEqual(said, []);
  t.mock.timers.tick(1);
  assert.match(said[0] ?? "", /has not answered for 5 s/);
  answer(Response.json({ text: "done" }));
  assert.deepEqual(await slow, { text: "done", refused: "" });

  fetched.mock.mockImplementation(() => Promise.resolve(Response.json({ error: "no" }, { status: 409 })));
  assert.equal((await ask("control", {}, say)).refused, "no");
  t.mock.timers.tick(60_000);
  assert.equal(said.length, 1, "what has been answered is not missed");
});
