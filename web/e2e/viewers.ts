import type { Browser, Page } from "@playwright/test";

import type { Demo } from "./demo.ts";

/** A viewer's page, in a browser of its own. */
export async function viewer(browser: Browser, demo: Demo): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const page = await context.newPage();
  await page.goto(demo.viewersLink);
  await page.locator("#keys-open:not([hidden])").waitFor({ state: "attached" });
  return page;
}
