import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

import { choose } from "./demo.ts";
import { expect, open, test } from "./hub.ts";

const where = '#transport [data-part="where"]';

/** Opens the recorded lesson at its first beat. */
async function openLesson(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/?recording=lesson-1`);
  await expect(page.locator("#lesson")).toContainText("beat 1 of 8");
  await expect(page.locator(where)).toContainText("paused");
}

test("a recorded lesson is given without a cluster, by the keys of a remote", async ({ page, hub }) => {
  test.setTimeout(60_000);
  await open(page, hub);
  await openLesson(page, hub.origin);
  const lesson = page.locator("#lesson");
  const at = (n: number) => expect(lesson.locator('[data-part="beat"]')).toHaveText(`beat ${String(n)} of 8`);
  await expect(lesson.getByRole("heading")).toHaveText("Nobody calls anybody");
  await expect(page.locator('.is-taught[data-node="cache"]')).toHaveCount(1);

  // The page turns, then what the beat is about is played, up to where it is done.
  await page.keyboard.press("PageDown");
  await at(2);
  await expect(lesson).toHaveAttribute("data-state", "ready");
  await expect(page.locator('.is-taught[data-edge="outside-api"]')).toHaveCount(1);
  await page.keyboard.press("PageDown");
  await expect(page.locator(where)).toHaveText("1× speed");
  await expect(lesson).toHaveAttribute("data-state", "done");
  await expect(lesson).toContainText("The event went into the cache first");
  await expect(page.locator(where)).toContainText("paused");
  await expect(page.locator("#details")).toContainText("lesson-1/web");

  for (const n of [3, 4, 5]) {
    await page.keyboard.press("PageDown");
    await at(n);
  }
  await expect(lesson.locator(".lesson-choice")).toHaveCount(2);
  await expect(lesson.locator(".is-right")).toHaveCount(0);
  await expect(lesson.getByRole("button")).toHaveText(["Back", "Next"]);
  await page.keyboard.press("PageDown");
  await page.keyboard.press("PageDown");
  await expect(lesson.locator(".is-right")).toContainText("More than one");
  await at(5);

  await page.keyboard.press("PageUp");
  await expect(lesson.locator(".is-right")).toHaveCount(0);
  await page.keyboard.press("PageUp");
  await at(4);
});

test("the last beat says that it is the last; a link to a moment leads there, not to the first beat", async ({
  page,
  hub,
}) => {
  await open(page, hub);
  await openLesson(page, hub.origin);
  const lesson = page.locator("#lesson");
  await expect(async () => {
    await page.keyboard.press("PageDown");
    await expect(lesson).toContainText("That was the last beat.", { timeout: 200 });
  }).toPass({ timeout: 30_000, intervals: [100] });
  await expect(lesson).toContainText("beat 8 of 8");
  await page.keyboard.press("PageDown");
  await expect(lesson).toContainText("beat 8 of 8");
  await page.evaluate(() => {
    const writeText = (text: string): Promise<void> => {
      document.body.dataset["copied"] = text;
      return Promise.resolve();
    };
    Object.defineProperty(navigator, "clipboard", { value: { writeText } });
  });
  await page.keyboard.press("c");
  const link = (await page.locator("body").getAttribute("data-copied")) ?? "";
  await page.goto("about:blank");
  await page.goto(link);
  await expect(lesson).toContainText("beat 8 of 8");
});

test("a recorded lesson in every theme and size; axe finds nothing", async ({ page, hub }) => {
  test.setTimeout(60_000);
  await open(page, hub);
  await openLesson(page, hub.origin);
  const turn = async (state: string): Promise<void> => {
    await page.keyboard.press("PageDown");
    await expect(page.locator("#lesson")).toHaveAttribute("data-state", state);
  };
  for (const state of ["ready", "done", "done", "done", "ready"]) await turn(state);
  for (const [name, width, height, theme] of [
    ["light", 1280, 720, "light"],
    ["dark", 1280, 720, "dark"],
    ["projector", 1920, 1080, "projector"],
    ["narrow", 390, 844, "light"],
  ] as const) {
    await page.setViewportSize({ width, height });
    await choose(page, theme);
    await expect(page.locator("#lesson h2")).toBeInViewport();
    await page.screenshot({ path: `test-results/taught-${name}.png` });
    const found = await new AxeBuilder({ page }).include("#lesson").analyze();
    expect(found.violations, name).toEqual([]);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
  await turn("acting");
  await turn("done");
  await page.screenshot({ path: "test-results/taught-reveal.png" });
});

test("without a cluster the list offers the recorded lessons, and says why no other", async ({ page, hub }) => {
  await open(page, hub);
  await page.getByRole("button", { name: "Lessons" }).click();
  const list = page.locator("#lessons");
  await expect(list.getByRole("listitem")).toHaveCount(6);
  await expect(list.getByRole("status")).toContainText("the hub has no cluster to play lessons on");
  const found = await new AxeBuilder({ page }).include("#lessons").analyze();
  expect(found.violations).toEqual([]);
  await page.screenshot({ path: "test-results/lessons-recorded.png" });
  await list.getByRole("link", { name: "Watch the recording: Lesson 2" }).click();
  await expect(page.locator("#lesson")).toContainText("beat 1 of 7");
});
