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

/** Tokens of passes and events by what they are and where. */
function drawn(made: Layout, ms: number): Map<string, string> {
  const where = (token: Token): string => `${String(Math.round(token.x))},${String(Math.round(token.y))}`;
  return new Map(scene(made, at(ms), { geometry }).tokens.map((token) => [token.id, where(token)]));
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
        for (const [id, where] of drawn(live, now - BEHIND)) {
          if (then.has(id)) assert.equal(where, then.get(id), `${id} at ${String(now - BEHIND)} ms`);
        }
      }
    }),
    { numRuns: 15 },
  );
});
