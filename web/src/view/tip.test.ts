import assert from "node:assert/strict";
import { test } from "node:test";
import { at, hold, pass } from "../../test/rows.ts";
import type { Token } from "../scene/types.ts";
import { tipOf } from "./tip.ts";

const run = pass(0, [3.1, 0.02, 0.3, 6.4, 0.01], { key: "r" });
const model = {
  reconcile: (id: string) => (id === "r" ? run : undefined),
  nth: () => ({ n: 3, of: 9 }),
  holds: () => [],
};
const plain: Token = {
  id: "t",
  kind: "pass",
  lane: "podset",
  x: 0,
  y: 0,
  shape: "circle",
  tone: "accent",
  halo: false,
  label: "web",
  sub: "own write",
  item: "default/web",
  reconcile: "r",
  write: "",
  count: 1,
  minor: false,
  node: "apply",
};

test("a pass's tip says which it is, why it runs and how long its phase really took", () => {
  assert.deepEqual(tipOf(plain, model), ["default/web", "own write", "reconcile 3 of 9", "apply took 6.4 ms"]);
});

test("how long a phase took leaves out its worker's hold", () => {
  const held = hold({ reconcile: "r", phase: "requeue", from: at(4.42), to: at(9.8) });
  assert.equal(tipOf(plain, { ...model, holds: () => [held] }).at(-1), "apply took 1 ms");
});

test("a write's tip names the object and the reconcile that wrote it", () => {
  const token: Token = { ...plain, kind: "write", label: "web-x7k2p", sub: "POST pods 201", node: "api" };
  assert.deepEqual(tipOf(token, model), ["web-x7k2p", "write: POST pods 201", "of reconcile 3 of 9"]);
});

test("an event's tip says for which item it is, and how many there are", () => {
  const token: Token = { ...plain, kind: "event", label: "Pod", sub: "update", count: 4 };
  assert.deepEqual(tipOf(token, model), ["Pod ×4", "event for default/web: update"]);
});

test("a token of many has no reconcile of its own", () => {
  assert.deepEqual(tipOf({ ...plain, label: "×12", item: "", reconcile: "", sub: "", count: 12 }, model), ["×12"]);
});
