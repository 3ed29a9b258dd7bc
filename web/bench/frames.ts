/** What a frame costs: with 600 tokens at 1,000 rows a second, and at 1,000 to 100,000 spans a second. */
import type { Browser } from "@playwright/test";

import { Hub, type LoadOptions, type Sent } from "./hub.ts";
import { type Line, mean, ms, share, wait } from "./stats.ts";
import { type Frames, Tab } from "./tab.ts";

const settle = 4_000;

interface Measured extends Frames {
  readonly sent: Sent | undefined;
  /** How long was measured. */
  readonly seconds: number;
}

async function measure(browser: Browser, load: LoadOptions): Promise<Measured> {
  const hub = await Hub.start();
  const tab = await Tab.open(browser, hub.login);
  try {
    const sending = hub.load(load);
    await wait(settle);
    const seconds = load.lasting - settle / 1000 - 1;
    const frames = await tab.frames(seconds * 1000);
    return { ...frames, sent: await sending, seconds };
  } finally {
    await tab.close();
    await hub.stop();
  }
}

const scripts = ({ frames }: Measured): number[] => frames.map((frame) => frame.script);
const rowsPerSecond = ({ frames, seconds }: Measured): number => frames.reduce((n, f) => n + f.rows, 0) / seconds;

function halfAndMost(times: readonly number[]): string {
  return `${ms(share(times, 0.5))}, ${ms(share(times, 0.99))}`;
}

/** One lane in which all fails, so that no token is merged with another. */
export async function fullFrame(browser: Browser): Promise<Line[]> {
  const measured = await measure(browser, { items: 400, writes: 3, rate: 300, errors: 1, lasting: 16 });
  const tokens = measured.frames.map((frame) => frame.tokens);
  const cost = mean(measured.thread);
  const what = `${String(Math.round(share(tokens, 0.5)))} tokens (at most ${String(Math.max(...tokens))}), ${String(Math.round(rowsPerSecond(measured)))} rows/s`;
  return [
    { what: `script a frame, ${what}: thread time, mean`, figure: ms(cost), goal: "≤ 4 ms", met: cost <= 4 },
    { what: "the same, p50, p99", figure: halfAndMost(measured.thread) },
    { what: "the same by the clock, p50, p99", figure: halfAndMost(scripts(measured)) },
  ];
}

/** The budgets by spans a second. */
const rates = [
  { spans: 1_000, goal: 4 },
  { spans: 10_000, goal: 8 },
  { spans: 100_000, goal: 12 },
] as const;

/** All of them, or those that BENCH_SPANS names. */
export async function bySpans(browser: Browser): Promise<Line[]> {
  const lines: Line[] = [];
  const chosen = process.env["BENCH_SPANS"]?.split(",").map(Number);
  for (const { spans, goal } of rates) {
    if (chosen?.includes(spans) === false) continue;
    const measured = await measure(browser, { controllers: 2, items: 200, rate: spans / 7, errors: 0.01, lasting: 14 });
    lines.push(...byBudget(measured, spans, goal));
  }
  return lines;
}

/** The same budget twice: by the clock, the time of the machine's other processes is in it. */
function byBudget(measured: Measured, spans: number, goal: number): Line[] {
  const { sent, thread } = measured;
  const real = sent === undefined ? NaN : sent.spans / sent.seconds;
  const late = sent === undefined ? "" : `, the hub ${ms(sent.lateP99)} late`;
  const load = `${Math.round(real).toLocaleString("en")} spans/s sent${late}; ${String(Math.round(rowsPerSecond(measured)))} rows/s`;
  const line = (by: string, times: readonly number[], more: string): Line => {
    const [p50, p99] = [share(times, 0.5), share(times, 0.99)];
    const what = `script a frame at ${spans.toLocaleString("en")} spans/s, ${by}, p99`;
    return { what, figure: `${ms(p99)} (p50 ${ms(p50)}${more})`, goal: `≤ ${String(goal)} ms`, met: p99 <= goal };
  };
  return [
    line("thread time", thread, `; mean ${ms(mean(thread))}; ${load}`),
    line("by the clock", scripts(measured), ""),
  ];
}
