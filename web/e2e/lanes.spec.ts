import type { Page } from "@playwright/test";

import { choose, expect, test } from "./demo.ts";
import { multiply } from "./lanes.ts";

/** How many CSS pixels high the letters of every lane's map are, the smallest of them. */
function letters(page: Page): Promise<number> {
  return page.evaluate(() => {
    const sizes = [...document.querySelectorAll<SVGSVGElement>("tracer-lane svg.map")].flatMap((map) => {
      const scale = map.getScreenCTM()?.a ?? 0;
      const texts = [".title", ".note", ".way"].flatMap((kind) => [...map.querySelectorAll(kind)]);
      return texts.map((text) => scale * parseFloat(getComputedStyle(text).fontSize));
    });
    return Math.min(...sizes);
  });
}

const cases = [
  { others: ["jobset"], width: 1280, height: 720, theme: "light", least: 13 },
  { others: ["jobset", "cronset"], width: 1280, height: 720, theme: "light", least: 13 },
  { others: ["jobset", "cronset"], width: 1920, height: 1080, theme: "dark", least: 13 },
  { others: ["jobset"], width: 1280, height: 720, theme: "projector", least: 20 },
] as const;

for (const { others, width, height, theme, least } of cases) {
  const many = others.length + 1;
  test(`${String(many)} lanes can be read: ${theme}, ${String(width)}×${String(height)}`, async ({ demo, page }) => {
    await multiply(page, others);
    await page.setViewportSize({ width, height });
    await page.goto(demo.login);
    await choose(page, theme);
    await expect(page.locator("tracer-lane")).toHaveCount(many);
    expect(await letters(page)).toBeGreaterThanOrEqual(least);
    await page.locator("tracer-lane").last().scrollIntoViewIfNeeded();
    await expect(page.locator("tracer-lane").last().locator('[data-node="api"]')).toBeInViewport();
    await page.screenshot({ path: test.info().outputPath("lanes.png") });
  });
}

test("one lane of several is chosen by its own tokens and counts", async ({ demo, page }) => {
  await multiply(page, ["jobset"]);
  await page.goto(demo.login);
  await expect(page.locator('tracer-lane[data-lane="jobset"] [data-part="reconciles"]')).not.toHaveText("0");
  await expect(page.locator("#status")).toContainText("2 controllers");
});

test("a name with no place to break stays off the map", async ({ demo, page }) => {
  const name = "long".repeat(15);
  await multiply(page, [name]);
  await page.goto(demo.login);
  const lane = page.locator(`tracer-lane[data-lane="${name}"]`);
  await lane.scrollIntoViewIfNeeded();
  const words = await lane.locator(".lane-name").evaluate((it) => it.scrollWidth - it.clientWidth);
  expect(words).toBeLessThanOrEqual(0);
});
