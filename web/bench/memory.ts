/** What is held: over minutes at 1,000 rows a second, and with 50,000 reconciles. */
import type { Browser } from "@playwright/test";

import { Hub } from "./hub.ts";
import { type Line, mb, ms, share, wait } from "./stats.ts";
import { type Metrics, Tab } from "./tab.ts";

/** Reconciles a second that make about 1,000 rows a second. */
const rate = 240;
/** Items that together come to the page's limit soon: a heap that grows only until it is full is flat. */
const items = 200;

export async function flat(browser: Browser, minutes: number): Promise<Line[]> {
  const hub = await Hub.start();
  const tab = await Tab.open(browser, hub.login);
  try {
    // Full first: until the page keeps its newest 50,000, growing is what it is to do.
    await hub.load({ rate: 2_000, items, lasting: 32 });
    const sending = hub.load({ rate, items, errors: 0.02, lasting: minutes * 60 + 20 });
    await wait(10_000);
    const seen: Metrics[] = [];
    const steps = Math.max(4, Math.min(30, Math.round(minutes * 2)));
    for (let i = 0; i < steps; i++) {
      seen.push(await tab.held());
      process.stderr.write(`heap ${String(i + 1)}/${String(steps)}: ${JSON.stringify(seen.at(-1))}\n`);
      await wait((minutes * 60_000) / steps);
    }
    await sending;
    const heap = seen.map((one) => one.JSHeapUsedSize);
    const [first, last] = [median(heap.slice(0, steps / 4)), median(heap.slice(-steps / 4))];
    const growth = last / first;
    const [before, after] = [seen[0], seen.at(-1)];
    return [
      {
        what: `heap over ${String(minutes)} min at about 1,000 rows/s, last quarter : first`,
        figure: `${mb(last)} : ${mb(first)} = ${growth.toFixed(3)}`,
        goal: "flat (≤ 1.05)",
        met: growth <= 1.05,
      },
      {
        what: "DOM nodes and listeners, after : before",
        figure: `${String(after?.Nodes)} : ${String(before?.Nodes)}, ${String(after?.JSEventListeners)} : ${String(before?.JSEventListeners)}`,
        goal: "flat",
        met: (after?.Nodes ?? Infinity) <= 1.2 * (before?.Nodes ?? 0),
      },
    ];
  } finally {
    await tab.close();
    await hub.stop();
  }
}

function median(values: readonly number[]): number {
  return share(values, 0.5);
}

/** Milliseconds from doing something to the painted frame after it. */
function timed(tab: Tab, key: string): Promise<number> {
  return tab.page.evaluate(
    (pressed) =>
      new Promise<number>((done) => {
        const from = performance.now();
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: pressed, bubbles: true, cancelable: true }));
        requestAnimationFrame(() =>
          setTimeout(() => {
            done(performance.now() - from);
          }),
        );
      }),
    key,
  );
}

/** Seeks to the oldest and back to live, and steps one phase back with the panel open. */
async function quick(tab: Tab): Promise<{ seeks: number[]; steps: number[] }> {
  const seeks: number[] = [];
  for (let i = 0; i < 20; i++) {
    for (const key of ["Home", "End"]) {
      seeks.push(await timed(tab, key));
      await wait(150);
    }
  }
  const steps: number[] = [];
  await timed(tab, ".");
  for (let i = 0; i < 30; i++) {
    steps.push(await timed(tab, "ArrowLeft"));
    await wait(120);
  }
  return { seeks, steps };
}

function within(what: string, values: readonly number[], goal: number): Line {
  const p99 = share(values, 0.99);
  return {
    what: `${what} → painted, p50, p99`,
    figure: `${ms(share(values, 0.5))}, ${ms(p99)}`,
    goal: `≤ ${String(goal)} ms`,
    met: p99 <= goal,
  };
}

/** A page that was open while 50,000 reconciles ran, so that it holds them all, beside one that is opened afterwards. */
export async function many(browser: Browser): Promise<Line[]> {
  const hub = await Hub.start();
  const tab = await Tab.open(browser, hub.login);
  try {
    const empty = await tab.held();
    await hub.load({ rate: 1_000, items: 500, errors: 0.01, lasting: 55 });
    await wait(3_000);
    const full = await tab.held();
    const kept = await tab.page.locator('[data-part="reconciles"]').first().textContent();
    const { seeks, steps } = await quick(tab);
    await tab.close();
    const began = performance.now();
    const late = await Tab.open(browser, hub.login);
    await late.page.waitForFunction(() => window.probe.lastMessage > 0);
    await late.page.evaluate(() => new Promise(requestAnimationFrame));
    const opened = performance.now() - began;
    await late.close();
    return [
      { what: "a page opened on them afterwards: login → drawn", figure: ms(opened) },
      {
        what: `heap of the page that was there for ${kept ?? "no"} reconciles, beside an empty page`,
        figure: `${mb(full.JSHeapUsedSize)} : ${mb(empty.JSHeapUsedSize)}`,
      },
      within("in it, seek to the oldest and back to live", seeks, 100),
      within("in it, one phase back, with its panel", steps, 100),
    ];
  } finally {
    await hub.stop();
  }
}
