import type { Browser, Page } from "@playwright/test";

/** A viewer's page, in a browser of its own. */
export async function viewer(browser: Browser, { viewersLink }: { readonly viewersLink: string }): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const page = await context.newPage();
  await page.goto(viewersLink);
  await page.locator("#keys-open:not([hidden])").waitFor({ state: "attached" });
  return page;
}
