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

/** The page's own thread's time for script in a sixtieth of a second: what else the machine does is not in it. */
function perFrame({ script, seconds }: Measured): number {
  return (1000 * script) / (60 * seconds);
}

/** One lane in which all fails, so that no token is merged with another. */
export async function fullFrame(browser: Browser): Promise<Line[]> {
  const measured = await measure(browser, { items: 400, rate: 300, errors: 1, lasting: 16 });
  const tokens = measured.frames.map((frame) => frame.tokens);
  const cost = perFrame(measured);
  const what = `${String(Math.round(share(tokens, 0.5)))} tokens (at most ${String(Math.max(...tokens))}), ${String(Math.round(rowsPerSecond(measured)))} rows/s`;
  return [
    { what: `script a frame, ${what}: thread time`, figure: ms(cost), goal: "≤ 4 ms", met: cost <= 4 },
    {
      what: "the same by the clock, p50, p99",
      figure: `${ms(share(scripts(measured), 0.5))}, ${ms(share(scripts(measured), 0.99))}`,
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
      figure: `${ms(p99)} (p50 ${ms(share(all, 0.5))}; thread time ${ms(perFrame(measured))}; ${Math.round(real).toLocaleString("en")} spans/s sent${late}; ${String(Math.round(rowsPerSecond(measured)))} rows/s)`,
      goal: `≤ ${String(goal)} ms`,
      met: p99 <= goal,
    });
  }
  return lines;
}
