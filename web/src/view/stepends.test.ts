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
  assert.deepEqual([said, selection.get()?.reconcile, t], ["", "a", at(100)]);
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
