/** What a frame costs: with 600 tokens at 1,000 rows a second, and at 1,000 to 100,000 spans a second. */
import type { Browser } from "@playwright/test";

import { Hub, type LoadOptions, type Sent } from "./hub.ts";
import type { FrameTimes } from "./probe.ts";
import { type Line, ms, share, wait } from "./stats.ts";
import { Tab } from "./tab.ts";

const settle = 4_000;

interface Measured {
  readonly frames: readonly FrameTimes[];
  readonly sent: Sent | undefined;
  /** Seconds of script of all kinds, as Chromium counts it, and of the time measured. */
  readonly script: number;
  readonly seconds: number;
}

async function measure(browser: Browser, load: LoadOptions): Promise<Measured> {
  const hub = await Hub.start();
  const tab = await Tab.open(browser, hub.login);
  try {
    const sending = hub.load(load);
    await wait(settle);
    const before = await tab.metrics();
    const seconds = load.lasting - settle / 1000 - 1;
    const frames = await tab.frames(seconds * 1000);
    const after = await tab.metrics();
    const sent = await sending;
    return { frames, sent, script: after.ScriptDuration - before.ScriptDuration, seconds };
  } finally {
    await tab.close();
    await hub.stop();
  }
}

const scripts = ({ frames }: Measured): number[] => frames.map((frame) => frame.script);
const rowsPerSecond = ({ frames, seconds }: Measured): number => frames.reduce((n, f) => n + f.rows, 0) / seconds;

/** One lane in which all fails, so that no token is merged with another. */
export async function fullFrame(browser: Browser): Promise<Line[]> {
  const measured = await measure(browser, { items: 400, rate: 330, errors: 1, lasting: 16 });
  const full = measured.frames.filter((frame) => frame.tokens >= 550).map((frame) => frame.script);
  const most = Math.max(...measured.frames.map((frame) => frame.tokens));
  const rows = Math.round(rowsPerSecond(measured));
  const median = share(full, 0.5);
  return [
    {
      what: `script a frame, ${String(most)} tokens, ${String(rows)} rows/s, median`,
      figure: `${ms(median)} (${String(full.length)} frames)`,
      goal: "≤ 4 ms",
      met: median <= 4,
    },
    { what: "the same, p99", figure: ms(share(full, 0.99)) },
    {
      what: "the same, all script that Chromium counts, a frame",
      figure: ms((1000 * measured.script) / Math.max(1, measured.frames.length)),
    },
  ];
}

/** The budgets by spans a second. */
const rates = [
  { spans: 1_000, goal: 4 },
  { spans: 10_000, goal: 8 },
  { spans: 100_000, goal: 12 },
] as const;

export async function bySpans(browser: Browser): Promise<Line[]> {
  const lines: Line[] = [];
  for (const { spans, goal } of rates) {
    const measured = await measure(browser, { controllers: 2, items: 200, rate: spans / 7, errors: 0.01, lasting: 14 });
    const all = scripts(measured);
    const p99 = share(all, 0.99);
    const { sent } = measured;
    const real = sent === undefined ? NaN : sent.spans / sent.seconds;
    const late = sent === undefined ? "" : `, the hub ${ms(sent.lateP99)} late`;
    lines.push({
      what: `script a frame at ${spans.toLocaleString("en")} spans/s, p99`,
      figure: `${ms(p99)} (p50 ${ms(share(all, 0.5))}; ${Math.round(real).toLocaleString("en")} spans/s sent${late}; ${String(Math.round(rowsPerSecond(measured)))} rows/s)`,
      goal: `≤ ${String(goal)} ms`,
      met: p99 <= goal,
    });
  }
  return lines;
}
