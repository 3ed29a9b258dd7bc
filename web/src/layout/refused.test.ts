import assert from "node:assert/strict";
import { test } from "node:test";
import { at, cause, pass, write } from "../../test/rows.ts";
import { layout } from "./layout.ts";
import type { Journey } from "./types.ts";

const w = write({ span: "w", from: at(4), to: at(9), status: 403, error: "Forbidden" });
const refused = pass(0, [3, 0.1, 0.3, 6, 0.1], { key: "r", causes: [cause({ at: at(0) })], writes: [w] });

function journeys(): ReadonlyMap<string, Journey> {
  const made = layout([refused]);
  const all = new Map<string, Journey>();
  for (let t = made.nextStart("podset", -Infinity); t < Infinity; t = made.nextStart("podset", t))
    made.at("podset", t, (journey) => all.set(journey.id, journey));
  return all;
}

test("a refused write is an error, and its pass that went well goes to done as a hollow tick", () => {
  const all = journeys();
  assert.deepEqual(
    [all.get("r/write/w")?.steps.at(-1)?.tone, all.get("r/write/w")?.outcome],
    ["error", "POST pods 403 Forbidden"],
  );
  const token = all.get("r");
  const last = token?.steps.at(-1);
  assert.deepEqual(last?.kind === "move" && [last.edge, last.shape, last.tone], ["requeue-done", "tick", "warn"]);
  assert.deepEqual([...new Set(token?.steps.map(({ tone }) => tone))], ["accent", "warn"]);
  assert.deepEqual([token?.single, token?.outcome], [true, "done, 1 write refused"]);
  const told = token?.steps[token.told];
  assert.equal(told?.kind === "move" && told.edge, "apply-requeue");
});
