import assert from "node:assert/strict";
import { test } from "node:test";
import { at, controller, pass } from "../../test/rows.ts";
import { signal } from "../base/signal.ts";
import { Filter, filterOf } from "../model/filter.ts";
import { Table } from "../model/table.ts";
import type { App, Selection } from "./app.ts";
import { stepper } from "./steps.ts";

test("where there is nothing to step to it is said, of matches while one searches, and no longer once one has stepped", () => {
  const model = new Table();
  const runs = [pass(100, [1, 1], { key: "a" }), pass(200, [1, 1], { key: "b" })];
  model.apply({ type: "rows", offset: 1, now: at(5000), rows: [controller(), ...runs], gone: [] });
  const selection = signal<Selection | undefined>({ controller: "podset", item: "default/web", reconcile: "b" });
  const filter = signal(new Filter("", []));
  let [t, said] = [at(200), ""];
  const playhead = { now: () => t, seek: (to: number) => (t = to) };
  const line = {
    tell: (text: string): void => void (said = text),
    hush: (): void => void (said = ""),
  };
  const step = stepper({ model, selection, filter, playhead } as unknown as App, undefined, line);
  step.reconcile(1);
  assert.equal(said, "No later reconcile");
  step.reconcile(-1);
  assert.deepEqual([said, selection.get()?.reconcile, t], ["", "a", at(101) - 1]);
  step.phase(-1);
  assert.equal(said, "No earlier reconcile");
  step.phase(1);
  assert.equal(said, "", "a step that leads somewhere takes the word back");
  step.phase(-1);
  const web = filterOf("web");
  assert.ok(web instanceof Filter);
  filter.set(web);
  step.reconcile(1);
  for (let i = 0; i < 3; i++) step.phase(1);
  assert.equal(said, "No later match");
});

test("while the picture follows, the next error is the newest, and otherwise what comes after the moment shown", () => {
  const model = new Table();
  const errors = [100, 300].map((ms) =>
    pass(ms, [1, 1], { key: `e${String(ms)}`, result: "error", error: "Conflict" }),
  );
  model.apply({ type: "rows", offset: 1, now: at(5000), rows: [controller(), ...errors], gone: [] });
  const selection = signal<Selection | undefined>(undefined);
  const filter = signal(new Filter("", []));
  const gone: string[] = [];
  const playhead = { following: true, at: at(5000), now: () => playhead.at, seek: (to: number) => (playhead.at = to) };
  const step = stepper({ model, selection, filter, playhead } as unknown as App, (run) => gone.push(run));
  assert.ok(step.error(1));
  playhead.following = false;
  playhead.at = at(200);
  assert.ok(step.error(-1));
  playhead.at = at(200);
  assert.ok(step.error(1));
  playhead.at = at(4000);
  assert.ok(!step.error(1));
  assert.deepEqual(gone, ["e300", "e100", "e300"]);
});
