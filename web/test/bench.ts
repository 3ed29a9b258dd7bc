/** Measures what the page's script costs: npm run bench. The budget is 4 ms a frame at 600 tokens and 1,000 rows/s. */
import { performance } from "node:perf_hooks";
import { geometry } from "../src/base/geometry.gen.ts";
import { Layout } from "../src/layout/layout.ts";
import { Table } from "../src/model/table.ts";
import { scene } from "../src/scene/scene.ts";
import type { Scene } from "../src/scene/types.ts";
import { at } from "./rows.ts";
import { simulate } from "./simulate.ts";

const FRAME = 1000 / 60;

function measure(items: number, perSecond: number): string {
  const told = simulate({ seed: 1, items, lasting: 10_000, perSecond, errors: 0.02 });
  const table = new Table();
  const layout = new Layout();
  let before: Scene | undefined;
  const spent: number[] = [];
  let most = 0;
  let i = 0;
  for (let now = 0; now < 10_000; now += FRAME) {
    const from = i;
    while (i < told.length && (told[i]?.at ?? Infinity) <= now) i++;
    const rows = told.slice(from, i).map(({ row }) => row);
    const began = performance.now();
    layout.apply(table.apply({ type: "rows", offset: i, now: at(now), rows, gone: [] }));
    const drawn = scene(layout, at(now - 250), { geometry, ...(before && { before }) });
    before = drawn;
    spent.push(performance.now() - began);
    most = Math.max(most, drawn.tokens.length);
  }
  spent.sort((a, b) => a - b);
  const share = (q: number): string => (spent[Math.floor(q * (spent.length - 1))] ?? 0).toFixed(2);
  const rate = Math.round(told.length / 10);
  return `${String(items)} items, ${String(rate)} rows/s: p50 ${share(0.5)} ms, p99 ${share(0.99)} ms a frame, at most ${String(most)} tokens`;
}

for (const [items, perSecond] of [
  [20, 15],
  [300, 150],
  [1000, 900],
  [3, 400],
] as const) {
  process.stdout.write(`${measure(items, perSecond)}\n`);
}
