import assert from "node:assert/strict";
import { test } from "node:test";
import { at, hold } from "../../test/rows.ts";
import type { Control } from "../base/rows.gen.ts";
import { Table } from "../model/table.ts";
import { chipsOf, warningOf } from "./chips.ts";

const pause: Control = {
  row: "control",
  key: "c1",
  controller: "podset",
  item: "lesson-4/web",
  command: "pause",
  phase: "apply",
  text: "presenter paused podset with lesson-4/web before apply",
  by: "presenter",
  from: at(0),
  to: 0,
  until: at(600_000),
};
const held = hold({ item: "lesson-4/web", phase: "apply", until: at(600_000) });

type Chipped = Parameters<typeof chipsOf>;

test("a pause and the worker that it holds are one chip", () => {
  const texts = (...args: [Chipped[0], Chipped[1]]): string[] => chipsOf(...args, new Table()).map(({ text }) => text);
  assert.deepEqual(texts([held], [pause]), ["web is held before apply"]);
  assert.equal(chipsOf([held], [pause], new Table())[0]?.lift, pause);
  assert.deepEqual(texts([], [pause]), [pause.text]);
  assert.deepEqual(texts([{ ...held, item: "default/api" }], [pause]), ["api is held before apply", pause.text]);
  const all = { ...pause, item: "", phase: "" };
  const others = ["default/a", "default/b"].map((item) => ({ ...held, key: item, item }));
  assert.deepEqual(texts([held, ...others], [all]), ["web, a, b are held before apply"]);
});

test("what has stood for long says in its last minute when it ends; what is short never does", () => {
  const long = { text: "web is held before apply", from: at(0), until: at(600_000) };
  assert.equal(warningOf(long, at(539_000)), "");
  const said = warningOf(long, at(560_000));
  assert.equal(said, "Ends by itself in 40 s: web is held before apply. Give the command again to go on.");
  assert.equal(warningOf(long, at(600_001)), "");
  for (const seconds of [5, 30, 60]) {
    const short = { ...long, until: at(seconds * 1000) };
    for (let t = 0; t <= seconds; t++) assert.equal(warningOf(short, at(t * 1000)), "", `${String(seconds)} s`);
  }
  assert.equal(warningOf({ ...long, until: 0 }, at(1)), "");
});
