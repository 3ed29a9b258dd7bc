import type { Browser, Page } from "@playwright/test";

import { expect, test } from "./demo.ts";
import { Hub } from "./hub.ts";

/** A page in a browser that runs no script. */
async function plain(browser: Browser, url: string): Promise<Page> {
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await page.goto(url);
  return page;
}

/** Nothing in the page is wider than the page. */
async function fits(page: Page): Promise<void> {
  const width = page.viewportSize()?.width ?? 0;
  for (const part of await page.locator("body > *:visible").all())
    expect((await part.boundingBox())?.width ?? 0).toBeLessThanOrEqual(width);
}

test("without script the page says how it stands, and that it stands", async ({ browser, demo }) => {
  await demo.action("create", { namespace: "default", name: "plain", replicas: "1" });
  await expect.poll(async () => (await demo.reconciles("default/plain")).length).toBeGreaterThan(1);
  const page = await plain(browser, demo.login);
  expect(await page.locator("#status").innerText()).toMatch(/as of \d\d:\d\d:\d\d UTC/);
  await expect(page.locator('tracer-lane [data-part="p50"]')).toHaveText(/^\s*≤ [\d.]+ (ms|s)\s*$/);
  await expect(page.locator("#details")).toContainText("default/plain");
  await expect(page.locator("#details .passes time").first()).toHaveText(/^\d\d:\d\d:\d\d$/);
  expect(await page.locator("#details").innerText()).toContain("This is how it stood when the page was made.");
  expect(await page.locator(".transport").innerText()).toContain("the page needs JavaScript");
  await expect(page.locator("tracer-lane .map")).toBeVisible();
  await fits(page);
  await page.screenshot({ path: test.info().outputPath("plain.png") });
  await page.context().close();
});

test("without script a recording is told as it ended, with its errors in red", async ({ browser, demo }) => {
  const page = await plain(browser, demo.login);
  await page.goto(`${demo.origin}/?recording=sample`);
  expect(await page.locator("#status").innerText()).toContain("as of");
  const errors = page
    .locator("tracer-lane", { has: page.locator(".has-errors") })
    .first()
    .locator(".has-errors dd");
  const ink = await page
    .locator('[data-part="reconciles"]')
    .first()
    .evaluate((one) => getComputedStyle(one).color);
  expect(await errors.evaluate((one) => getComputedStyle(one).color)).not.toBe(ink);
  await expect(errors.getByRole("button")).toBeDisabled();
  await expect(page.locator("#details")).toContainText("Latest reconciles");
  await fits(page);
  await page.screenshot({ path: test.info().outputPath("recording.png") });
  await page.context().close();
});

test("without script the frame for another site says what it lacks", async ({ browser }) => {
  const hub = await Hub.serve("--embed-ancestor", "https://course.example");
  const page = await plain(browser, await hub.embedLink());
  const said = page.locator("noscript p", { hasText: "This view needs JavaScript" });
  await expect(said).toBeInViewport({ ratio: 1 });
  await fits(page);
  await page.screenshot({ path: test.info().outputPath("embed.png") });
  await page.context().close();
  await hub.stop();
});
