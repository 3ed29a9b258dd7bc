/** What is drawn live, 250 ms behind, is what is drawn of the same moment when everything is known. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { geometry } from "../src/base/geometry.gen.ts";
import { Layout, layout } from "../src/layout/layout.ts";
import { scene } from "../src/scene/scene.ts";
import type { Token } from "../src/scene/types.ts";
import { at } from "./rows.ts";
import { last, simulate } from "./simulate.ts";

const BEHIND = 250;

/** A step that is under way when its journey begins to hurry is timed anew as a whole: that moves it by less than this, in units. */
const SLIGHT = 4;

function drawn(made: Layout, ms: number): Map<string, Token> {
  return new Map(scene(made, at(ms), { geometry }).tokens.map((token) => [token.id, token]));
}

test("property: a token drawn live is where it is drawn afterwards", () => {
  fc.assert(
    fc.property(fc.nat(5000), (seed) => {
      const told = simulate({ seed, items: 3, lasting: 4000, perSecond: 3, errors: 0 });
      const end = layout(last(told));
      const live = new Layout();
      let i = 0;
      for (let now = 0; now < 7000; now += 40) {
        const from = i;
        while (i < told.length && (told[i]?.at ?? Infinity) <= now) i++;
        if (i > from) live.apply({ reset: false, upserted: told.slice(from, i).map(({ row }) => row), removed: [] });
        const then = drawn(end, now - BEHIND);
        for (const [id, token] of drawn(live, now - BEHIND)) {
          const known = then.get(id);
          if (known === undefined) continue;
          const off = Math.hypot(token.x - known.x, token.y - known.y);
          assert.ok(off < SLIGHT, `${id} at ${String(now - BEHIND)} ms is ${String(off)} units off`);
        }
      }
    }),
    { numRuns: 15 },
  );
});
