import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

import { copiedLink, looks, turnTo } from "./common.ts";
import { choose } from "./demo.ts";
import { fitsTheHall } from "./hall.ts";
import { Hub, expect, open, test } from "./hub.ts";

/** A recorded lesson waits for nothing: what a page turned brings is there at once, ms. */
const soon = 300;
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
  // Who acts from outside is no link, and looks like none.
  const outside = page.locator(".node.outside.is-taught text");
  await expect(outside.first()).toHaveText("kubectl");
  for (const text of await outside.all()) await expect(text).toHaveCSS("text-decoration-line", "none");

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
    await turnTo(page, `text=beat ${String(n)} of 8`, soon);
    await at(n);
  }
  await expect(lesson.locator(".lesson-choice")).toHaveCount(2);
  await expect(lesson.locator(".is-right")).toHaveCount(0);
  await expect(lesson.getByRole("button")).toHaveText(["Back", "Next: show the answer"]);
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
  const link = await copiedLink(page);
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
  await turnTo(page, "text=beat 5 of 8", soon);
  await expect(page.locator("#lesson")).toHaveAttribute("data-state", "ready");
  for (const [name, width, height, theme] of looks) {
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
  const failed: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") failed.push(message.text());
  });
  await page.getByRole("button", { name: "Lessons" }).click();
  const list = page.locator("#lessons");
  await expect(list.getByRole("listitem")).toHaveCount(6);
  await expect(list.getByRole("status")).toContainText("the hub has no cluster to play lessons on");
  await expect(list.getByRole("status")).not.toContainText("`");
  expect(failed).toEqual([]);
  const found = await new AxeBuilder({ page }).include("#lessons").analyze();
  expect(found.violations).toEqual([]);
  await page.screenshot({ path: "test-results/lessons-recorded.png" });
  await list.getByRole("link", { name: "Watch the recording: Lesson 2" }).click();
  await expect(page.locator("#lesson")).toContainText("beat 1 of 7");
});

test("in the hall, a question, its answer and why are on the screen, in large letters, beside a map that can be read", async ({
  page,
  hub,
}) => {
  test.setTimeout(120_000);
  await open(page, hub);
  await choose(page, "projector");
  // The longest answers, a question of many lines, a worker that is held, and a loop that does not end.
  for (const [name, beats] of [
    ["lesson-2", 7],
    ["lesson-4", 9],
    ["lesson-6", 9],
  ] as const) {
    await page.goto(`${hub.origin}/?recording=${name}`);
    await expect(page.locator("#lesson")).toContainText(`beat 1 of ${String(beats)}`);
    for (let beat = 1; beat <= beats; beat++) {
      await expect(page.locator('#lesson [data-part="beat"]')).toHaveText(`beat ${String(beat)} of ${String(beats)}`);
      await expect(page.locator("#map .counts")).toBeHidden();
      await fitsTheHall(page);
      if ((await page.locator("#lesson").getAttribute("data-state")) !== "done") {
        await page.keyboard.press("PageDown");
        await page.keyboard.press("PageDown");
        await expect(page.locator("#lesson")).toHaveAttribute("data-state", "done");
        await fitsTheHall(page);
      }
      await page.keyboard.press("PageDown");
    }
  }
});

test("beside a small map no question is to be scrolled, with two viewers and a worker that is held", async ({
  browser,
}) => {
  test.setTimeout(120_000);
  const hub = await Hub.serve("--share=127.0.0.1:0");
  const pages = await Promise.all([1, 2, 3].map(async () => (await browser.newContext()).newPage()));
  const [page, ...students] = pages as [Page, ...Page[]];
  await page.setViewportSize({ width: 1280, height: 720 });
  for (const student of students) await student.goto(hub.viewersLink);
  await open(page, hub);
  const cut = (): Promise<string[]> =>
    page.evaluate(() =>
      ["lesson", "lesson-body", "lesson-question"]
        .map((name) => document.querySelector(`.${name}`))
        .filter((box) => box !== null && box.scrollHeight > box.clientHeight + 1)
        .map((box) => `${box?.className ?? ""} is to be scrolled`),
    );
  for (const [name, beats] of [
    ["lesson-2", 7],
    ["lesson-4", 9],
  ] as const) {
    await page.goto(`${hub.origin}/?recording=${name}`);
    await expect(page.locator("#lesson")).toContainText(`beat 1 of ${String(beats)}`);
    for (let beat = 1; beat <= beats; beat++) {
      if (beat > 1) await turnTo(page, `text=beat ${String(beat)} of ${String(beats)}`, soon);
      if (!(await page.locator(".lesson-question").isVisible())) continue;
      await expect(page.locator(".lesson-answers")).toHaveText("0 of 2 have answered");
      await page.screenshot({ path: test.info().outputPath(`${name}-${String(beat)}.png`) });
      expect.soft(await cut(), `${name}, beat ${String(beat)}`).toEqual([]);
      await turnTo(page, ".lesson-choice.is-right", soon);
      expect.soft(await cut(), `${name}, beat ${String(beat)} answered`).toEqual([]);
    }
  }
  for (const one of pages) await one.context().close();
  await hub.stop();
});

test("in the hall the panel comes when it is asked for, and goes with the beat", async ({ page, hub }) => {
  await open(page, hub);
  await choose(page, "projector");
  await openLesson(page, hub.origin);
  const [panel, details] = [page.locator("#panel"), page.getByRole("button", { name: "Details" })];
  await expect(panel).toBeHidden();
  await details.click();
  await expect(panel).toBeVisible();
  await expect(details).toHaveAttribute("aria-expanded", "true");
  await expect(page.locator("#lesson h2")).not.toBeVisible();
  await page.screenshot({ path: "test-results/taught-details.png" });
  await page.keyboard.press("PageDown");
  await expect(panel).toBeHidden();
  await expect(page.locator("#lesson h2")).toBeVisible();
  await page.setViewportSize({ width: 1920, height: 1080 });
  await expect(panel).toBeVisible();
  await expect(details).toBeHidden();
});

test("a recording does not give the answer away: what is under way at its moment is not known yet", async ({
  page,
  hub,
}) => {
  test.setTimeout(60_000);
  await open(page, hub);
  await page.goto(`${hub.origin}/?recording=lesson-4`);
  const lesson = page.locator("#lesson");
  await turnTo(page, "text=beat 4 of 9", soon);
  const panel = page.locator("#details");
  await expect(panel).toContainText("running for");
  await expect(panel.locator(".fall-name", { hasText: "held" })).toBeVisible();
  await expect(panel).not.toContainText("409");
  await expect(panel).not.toContainText("PUT status");
  await expect(page.locator("#control .stand")).toHaveText(/^web is held before apply · ends in/);
  await page.locator(".tabs").getByRole("button", { name: "Item", exact: true }).click();
  await expect(panel).not.toContainText("Conflict");

  // Whoever has used the panel in this beat keeps it.
  await page.keyboard.press("PageDown");
  await page.keyboard.press("PageDown");
  await expect(lesson).toHaveAttribute("data-state", "done");
  await expect(page.getByRole("button", { name: "Item", exact: true })).toHaveAttribute("aria-current", "true");
  // In another beat it goes to what the beat spoke of.
  await turnTo(page, "text=beat 8 of 9", soon);
  await page.keyboard.press("PageDown");
  await page.keyboard.press("PageDown");
  await expect(lesson.locator(".is-right")).toContainText("One");
  await expect(page.getByRole("button", { name: "Reconcile", exact: true })).toHaveAttribute("aria-current", "true");
  await expect(panel.getByText("409 Conflict")).toBeInViewport();
  await expect(panel.locator(".fall-name", { hasText: "held" })).toBeVisible();
  await expect(panel.locator(".fall-name", { hasText: "compute" }).locator("xpath=following-sibling::*[2]")).toHaveText(
    /ms|µs/,
  );
});

test("Next says what it does; while it plays it goes to the end, and one press more does not turn the page unseen", async ({
  page,
  hub,
}) => {
  await open(page, hub);
  await page.goto(`${hub.origin}/?recording=lesson-4`);
  const lesson = page.locator("#lesson");
  const next = lesson.locator('[data-do="next"]');
  await expect(next).toHaveText("Next: play it");
  await turnTo(page, "text=beat 2 of 9", soon);
  await expect(next).toHaveText("Next: show the answer");
  await page.keyboard.press("PageDown");
  await expect(next).toHaveText("Next: go to its end");
  await page.keyboard.press("PageDown");
  await expect(lesson).toHaveAttribute("data-state", "done");
  await expect(lesson).toContainText("beat 2 of 9");
  await page.keyboard.press("PageDown");
  await expect(lesson).toContainText("beat 3 of 9");
  await expect(next).toHaveText("Next: play it");
  // It plays for half a second: who presses just as it has ended does not skip it.
  await page.keyboard.press("PageDown");
  await expect(lesson).toHaveAttribute("data-state", "done");
  await page.keyboard.press("PageDown");
  await expect(lesson).toContainText("beat 3 of 9");
  await expect(async () => {
    await page.keyboard.press("PageDown");
    await expect(lesson).toContainText("beat 4 of 9", { timeout: 200 });
  }).toPass({ timeout: 5_000 });
});
