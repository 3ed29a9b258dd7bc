/** One tab of a real Chromium with the page in it, and what can be read of it. */
import { type Browser, type BrowserContext, type CDPSession, type Page, chromium } from "@playwright/test";

import config from "../playwright.config.ts";
import { type Arrival, type FrameTimes, install } from "./probe.ts";
import { wait } from "./stats.ts";

/** What Chromium itself says of a page. Times in seconds, heap in bytes. */
export interface Metrics {
  readonly ScriptDuration: number;
  readonly TaskDuration: number;
  readonly JSHeapUsedSize: number;
  readonly Nodes: number;
  readonly JSEventListeners: number;
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
    // The time of the page's own thread: what else the machine does meanwhile does not count.
    await cdp.send("Performance.setTimeDomain", { timeDomain: "threadTicks" });
    await cdp.send("Performance.enable");
    await page.goto(login);
    await page.locator("#keys-open:not([hidden])").waitFor({ state: "attached" });
    return new Tab(page, cdp, context);
  }

  async metrics(): Promise<Metrics> {
    const { metrics } = await this.cdp.send("Performance.getMetrics");
    const of = (name: string): number => metrics.find((one) => one.name === name)?.value ?? NaN;
    return {
      ScriptDuration: of("ScriptDuration"),
      TaskDuration: of("TaskDuration"),
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
  async frames(milliseconds: number): Promise<readonly FrameTimes[]> {
    await this.page.evaluate(() => {
      window.probe.frames = [];
    });
    await wait(milliseconds);
    return this.page.evaluate(() => window.probe.frames);
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
