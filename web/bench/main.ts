/**
 * Measures the page in Chromium against a real hub under a real load: make bench-web. BENCH_ONLY names what to measure
 * (frames, spans, latency, many, hidden, heap; all by default), BENCH_SPANS at which of 1000, 10000 and 100000 spans a
 * second (all), BENCH_MINUTES how long the heap is watched (1) and BENCH_HIDDEN how many minutes the tab is hidden (1).
 */
import type { Browser } from "@playwright/test";

import { bySpans, fullFrame } from "./frames.ts";
import { hidden } from "./hidden.ts";
import { latency } from "./latency.ts";
import { flat, many } from "./memory.ts";
import { type Line, table } from "./stats.ts";
import { launch } from "./tab.ts";

const minutes = (name: string): number => Number(process.env[name] ?? 1);

const measures: Readonly<Record<string, (browser: Browser) => Promise<Line[]>>> = {
  latency,
  frames: fullFrame,
  spans: bySpans,
  many,
  hidden: (browser) => hidden(browser, minutes("BENCH_HIDDEN")),
  heap: (browser) => flat(browser, minutes("BENCH_MINUTES")),
};

const only = process.env["BENCH_ONLY"]?.split(",");
const lines: Line[] = [];
for (const [name, measure] of Object.entries(measures)) {
  if (only !== undefined && !only.includes(name)) continue;
  process.stderr.write(`measuring ${name} …\n`);
  const browser = await launch();
  try {
    lines.push(...(await measure(browser)));
  } finally {
    await browser.close();
  }
}
process.stdout.write(`${table(lines)}\n`);
