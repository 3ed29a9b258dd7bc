import assert from "node:assert/strict";
import { test } from "node:test";
import { cause, pass } from "../../test/rows.ts";
import { causesWord } from "./words.ts";

test("what stands beside a token says that its pass is a retry, also when an event came with it", () => {
  const causes = [cause(), cause({ what: "backoff", by: "self" }), cause({ what: "resync" })];
  const said = (n: number): string => {
    const some = causes.slice(0, n);
    const causeCounts = Object.fromEntries(some.map(({ what }) => [what, 1]));
    return causesWord(pass(0, [1, 1], { key: "r", causes: some, causeCounts }));
  };
  assert.deepEqual([1, 2, 3].map(said), ["update", "back-off + update", "back-off + 2 more"]);
});
