/** One tab of a real Chromium with the page in it, and what can be read of it. */
import { type Browser, type BrowserContext, type CDPSession, type Page, chromium } from "@playwright/test";

import config from "../playwright.config.ts";
import { type Arrival, type FrameTimes, install } from "./probe.ts";
import { wait } from "./stats.ts";
import { traced } from "./trace.ts";

/** What Chromium itself says of a page. The heap is in bytes. */
export interface Metrics {
  readonly JSHeapUsedSize: number;
  readonly Nodes: number;
  readonly JSEventListeners: number;
}

/** What some frames took. */
export interface Frames {
  readonly frames: readonly FrameTimes[];
  /** Milliseconds of script of each, of the page's own thread's time. */
  readonly thread: readonly number[];
}

export class Tab {
  private constructor(
    readonly page: Page,
    readonly cdp: CDPSession,
    private readonly context: BrowserContext,
  ) {}

  static async open(browser: Browser, login: string): Promise<Tab> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
    const page = await context.newPage();
    // The bundler that runs this names functions by a helper that the page does not have.
    await page.addInitScript("globalThis.__name = (f) => f");
    await page.addInitScript(install);
    const cdp = await context.newCDPSession(page);
    await cdp.send("Performance.enable");
    await page.goto(login);
    await page.locator("#keys-open:not([hidden])").waitFor({ state: "attached" });
    return new Tab(page, cdp, context);
  }

  async metrics(): Promise<Metrics> {
    const { metrics } = await this.cdp.send("Performance.getMetrics");
    const of = (name: string): number => metrics.find((one) => one.name === name)?.value ?? NaN;
    return {
      JSHeapUsedSize: of("JSHeapUsedSize"),
      Nodes: of("Nodes"),
      JSEventListeners: of("JSEventListeners"),
    };
  }

  /** The heap after a garbage collection, so that only what is held counts. */
  async held(): Promise<Metrics> {
    await this.page.evaluate(() => {
      window.probe.frames = [];
      window.probe.arrivals = [];
    });
    await this.cdp.send("HeapProfiler.collectGarbage");
    return this.metrics();
  }

  /** The frames of the next so many milliseconds. */
  async frames(milliseconds: number): Promise<Frames> {
    await this.page.evaluate(() => {
      window.probe.frames = [];
    });
    const thread = await traced(this.cdp, () => wait(milliseconds));
    return { frames: await this.page.evaluate(() => window.probe.frames), thread };
  }

  /** The phases' ends that come in the next so many milliseconds. */
  async arrivals(milliseconds: number): Promise<readonly Arrival[]> {
    await this.page.evaluate(() => {
      window.probe.arrivals = [];
      window.probe.follow = true;
    });
    await wait(milliseconds);
    return this.page.evaluate(() => {
      window.probe.follow = false;
      return window.probe.arrivals;
    });
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}

/** launch starts the browser as the tests do. */
export function launch(): Promise<Browser> {
  return chromium.launch(config.use?.launchOptions ?? {});
}
