import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

import { choose, expect, test } from "./demo.ts";
import { viewer } from "./viewers.ts";

const lesson = (page: Page) => page.locator("#lesson");

/** Turns the pages of a lesson until it shows that. What is still waited for is not turned over: the hub says so. */
async function turnTo(page: Page, shown: string): Promise<void> {
  await expect(async () => {
    if (await lesson(page).locator(shown).isVisible()) return;
    await page.keyboard.press("PageDown");
    await expect(lesson(page).locator(shown)).toBeVisible({ timeout: 1_500 });
  }).toPass({ timeout: 90_000 });
}

test("lesson 1 is given from the page alone, by the keys of a remote; a viewer reads along and answers", async ({
  dash,
  demo,
  browser,
}) => {
  test.setTimeout(180_000);
  const student = await viewer(browser, demo);
  await dash.getByRole("button", { name: "Lessons" }).click();
  await expect(dash.locator("#lessons li")).toHaveCount(6);
  await dash.locator("#lessons [data-lesson=lesson-1]").click();
  for (const page of [dash, student]) await expect(lesson(page)).toContainText(/beat 1 of \d/);
  await expect(student.locator("#lesson [data-do]")).toHaveCount(0);
  await dash.screenshot({ path: "test-results/lesson-light.png" });

  await turnTo(dash, ".lesson-choice:enabled >> nth=0");
  const choice = student.locator("[data-choice]").first();
  await choice.click();
  await expect(choice).toHaveAttribute("aria-pressed", "true");
  await expect(lesson(dash)).toContainText("1 answer so far");
  await expect(dash.locator(".lesson-tally")).toHaveCount(0);
  await dash.setViewportSize({ width: 1920, height: 1080 });
  await choose(dash, "projector");
  await dash.screenshot({ path: "test-results/lesson-projector.png" });
  await choose(dash, "light");
  await dash.setViewportSize({ width: 1280, height: 720 });
  const found = await new AxeBuilder({ page: dash }).include("#lesson").analyze();
  expect(found.violations.map(({ id, nodes }) => ({ id, at: nodes.map((node) => node.target) }))).toEqual([]);
  await turnTo(dash, ".lesson-choice.is-right");
  for (const page of [dash, student]) await expect(page.locator(".lesson-choice.is-right")).toHaveCount(1);
  await dash.screenshot({ path: "test-results/lesson-reveal.png" });
  await student.setViewportSize({ width: 390, height: 844 });
  await student.screenshot({ path: "test-results/lesson-narrow.png" });

  await turnTo(dash, "text=That was the last beat");
  await dash.keyboard.press("PageDown");
  for (const page of [dash, student]) await expect(lesson(page)).toBeHidden();
  await student.context().close();
});
