/** A class follows its presenter into recordings, without a cluster, and back to what is live. */
import AxeBuilder from "@axe-core/playwright";
import type { Locator, Page } from "@playwright/test";

import { looks, turnTo } from "./common.ts";
import { choose } from "./demo.ts";
import { Hub, expect, open, test as base } from "./hub.ts";
import { viewer } from "./viewers.ts";

const test = base.extend<object, { hub: Hub }>({
  hub: [
    async ({}, use) => {
      const hub = await Hub.serve("--share=127.0.0.1:0");
      await use(hub);
      await hub.stop();
    },
    { scope: "worker" },
  ],
});

/** A recorded lesson waits for nothing, ms. */
const soon = 300;
const room = (page: Page): Locator => page.locator("#room");
const where = (page: Page): Locator => page.locator('#transport [data-part="where"]');
const lesson = (page: Page): Locator => page.locator("#lesson");

/** The page shows that recording, "" for what is live. */
async function isAt(page: Page, recording: string): Promise<void> {
  await expect(page).toHaveURL(new RegExp(recording === "" ? "/(#.*)?$" : `\\?recording=${recording}(#.*)?$`));
  await expect(page.locator("#recorded")).toHaveCount(recording === "" ? 0 : 1);
}

test("a class follows a recorded lesson, beat by beat, and back to what is live; who comes late is there at once", async ({
  page,
  hub,
  browser,
}) => {
  test.setTimeout(90_000);
  await open(page, hub);
  const student = await viewer(browser, hub);
  await expect(room(page)).toContainText("1 viewer watches, and follows you");
  await page.getByRole("button", { name: "Lessons" }).click();
  await page.getByRole("link", { name: "Watch the recording: Lesson 1" }).click();
  await expect(lesson(student)).toContainText("beat 1 of 8");
  await expect(room(student)).toContainText("You follow the presenter");
  await expect(lesson(student).getByRole("button")).toHaveCount(0);

  await page.keyboard.press("PageDown");
  await expect(lesson(student)).toContainText("beat 2 of 8");
  await page.keyboard.press("PageDown");
  await expect(where(student)).toHaveText("1× speed");
  for (const one of [page, student]) await expect(lesson(one)).toHaveAttribute("data-state", "done");
  await expect(student.locator("#details")).toContainText("lesson-1/web");
  await expect(where(student)).toHaveText((await where(page).textContent()) ?? "");

  await turnTo(page, "text=beat 5 of 8", soon);
  await expect(lesson(student).locator(".lesson-choice")).toHaveCount(2);
  await expect(lesson(student).locator(".is-right")).toHaveCount(0);
  const late = await viewer(browser, hub);
  await expect(lesson(late)).toContainText("beat 5 of 8");
  await expect(room(page)).toContainText("2 viewers watch, and all follow you");
  await expect(lesson(page)).toContainText("0 of 2 have answered");
  await page.keyboard.press("PageDown");
  await page.keyboard.press("PageDown");
  for (const one of [student, late]) await expect(lesson(one).locator(".is-right")).toContainText("More than one");

  await page.getByRole("button", { name: "Share" }).click();
  await expect(page.locator("#share")).toContainText("2 viewers watch");
  await page.keyboard.press("Escape");
  await page.keyboard.press("[");
  await expect(where(student)).toHaveText("1/2 speed");
  await page.locator("#search input").fill("result:success");
  await page.keyboard.press("Enter");
  await expect(student.locator("#terms")).toContainText("success");

  await page.getByRole("link", { name: "Back to live" }).click();
  for (const one of [student, late]) {
    await isAt(one, "");
    await expect(room(one)).toContainText("You follow the presenter");
    await expect(one.locator("#transport")).toContainText("following");
  }
  await student.context().close();
  await late.context().close();
});

test("viewers answer the question of a recorded lesson without names; the tally comes with its answer", async ({
  page,
  hub,
  browser,
}) => {
  await open(page, hub);
  const [student, other] = [await viewer(browser, hub), await viewer(browser, hub)];
  await page.goto(`${hub.origin}/?recording=lesson-1`);
  await turnTo(page, "text=beat 5 of 8", soon);
  await expect(lesson(page)).toContainText("0 of 2 have answered");
  await expect(lesson(page).locator("button[data-choice]")).toHaveCount(0);
  await page.keyboard.press("PageDown");
  await expect(lesson(page)).toContainText("Nobody has answered. Press Next again to show the answer.");

  await lesson(student).locator('button[data-choice="0"]').click();
  await expect(lesson(page)).toContainText("1 of 2 have answered");
  await lesson(student).locator('button[data-choice="1"]').click();
  await expect(lesson(student).locator('[data-choice="1"]')).toHaveAttribute("aria-pressed", "true");
  await student.reload();
  await expect(lesson(student).locator('[data-choice="1"]')).toHaveAttribute("aria-pressed", "true");
  await lesson(other).locator('button[data-choice="0"]').click();
  await expect(lesson(page)).toContainText("2 of 2 have answered");
  await expect(lesson(other).locator(".lesson-tally")).toHaveCount(0);
  await expect(room(other)).toContainText("You follow the presenter");

  await page.keyboard.press("PageDown");
  for (const one of [page, student, other])
    await expect(lesson(one).locator(".lesson-tally")).toHaveText(["1 · 50 %", "1 · 50 %"]);
  await expect(lesson(student).locator(".is-mine")).toContainText("your answer");
  await student.screenshot({ path: "test-results/follow-tally.png" });

  // Asked again, nobody has answered.
  await page.keyboard.press("PageUp");
  await expect(lesson(page)).toContainText("0 of 2 have answered");
  await expect(lesson(student).locator(".is-mine")).toHaveCount(0);
  await expect(lesson(student).locator("button[data-choice]")).toHaveCount(2);
  await student.context().close();
  await other.context().close();
});

test("an own action leaves in a recording too, and an own way to another page; Return and a call lead there", async ({
  page,
  hub,
  browser,
}) => {
  await open(page, hub);
  const student = await viewer(browser, hub);
  await page.goto(`${hub.origin}/?recording=lesson-1`);
  await expect(lesson(student)).toContainText("beat 1 of 8");
  await student.keyboard.press("Home");
  await expect(room(student)).toContainText("You left the presenter");
  await expect(room(page)).toContainText("1 viewer watches, and nobody follows you");
  // Who has left turns the pages itself.
  await lesson(student).locator('[data-do="next"]').click();
  await page.goto(`${hub.origin}/?recording=sample`);
  await expect(room(page)).toContainText("1 viewer watches, and nobody follows you");
  await isAt(student, "lesson-1");
  await student.getByRole("button", { name: "Return" }).click();
  await isAt(student, "sample");
  await expect(room(student)).toContainText("You follow the presenter");
  await expect(where(student)).toHaveText("1× speed");

  await student.getByRole("link", { name: "Back to live" }).click();
  await isAt(student, "");
  await expect(room(student)).toContainText("You left the presenter");
  await expect(room(page)).toContainText("1 viewer watches, and nobody follows you");
  await page.getByRole("button", { name: "Call everyone back" }).click();
  await isAt(student, "sample");

  await student.getByRole("button", { name: "Go on by myself" }).click();
  await page.getByRole("link", { name: "Back to live" }).click();
  await expect(room(page)).toContainText("1 viewer watches, and nobody follows you");
  await isAt(student, "sample");
  await student.reload();
  await expect(room(student)).toContainText("You go on by yourself");
  await page.getByRole("button", { name: "Call everyone back" }).click();
  await expect(room(student)).toContainText("The presenter calls everyone back");
  await student.getByRole("button", { name: "Return" }).click();
  await isAt(student, "");
  await student.getByRole("link", { name: "Play the sample session" }).click();
  await isAt(student, "sample");
  await expect(room(student)).toContainText("You left the presenter");
  await student.context().close();
});

test("changes that follow fast end at the last; a reload stays; a page that is not there yet is tried again", async ({
  page,
  hub,
  browser,
}) => {
  await open(page, hub);
  const student = await viewer(browser, hub);
  await expect(room(student)).toContainText("You follow the presenter");
  let ways = 0;
  student.on("domcontentloaded", () => ways++);
  for (const to of ["lesson-1", "sample", "lesson-2"]) {
    await page.goto(`${hub.origin}/?recording=${to}`);
    await expect(room(page)).toContainText("1 viewer watches");
  }
  await expect(lesson(student)).toContainText("beat 1 of 7");
  await isAt(student, "lesson-2");
  await student.reload();
  await expect(lesson(student)).toContainText("beat 1 of 7");
  await page.keyboard.press("PageDown");
  await expect(lesson(student)).toContainText("beat 2 of 7");
  await expect(room(page)).toContainText("1 viewer watches, and follows you");
  expect(ways).toBeLessThanOrEqual(4);

  const gone = ways;
  let closed = true;
  await student.route("**/?recording=sample", async (route) => {
    if (closed) await route.fulfill({ status: 503, body: "" });
    else await route.continue();
  });
  await page.goto(`${hub.origin}/?recording=sample`);
  const said = "The presenter shows the recording sample, which cannot be opened now. This page tries again";
  await expect(room(student)).toContainText(said);
  await expect(lesson(student)).toContainText("beat 2 of 7");
  expect(ways).toBe(gone);
  closed = false;
  await isAt(student, "sample");
  await expect(room(student)).toContainText("You follow the presenter");
  await student.context().close();
});

test("a hub that starts again and a presenter who comes back find the class in its recording", async ({
  page,
  browser,
}) => {
  test.setTimeout(90_000);
  const hub = await Hub.serve("--share=127.0.0.1:0");
  try {
    await open(page, hub);
    const student = await viewer(browser, hub);
    await page.goto(`${hub.origin}/?recording=lesson-1`);
    await turnTo(page, "text=beat 2 of 8", soon);
    await expect(lesson(student)).toContainText("beat 2 of 8");
    await hub.restart();
    await expect(room(page)).toContainText("1 viewer watches, and follows you");
    await page.keyboard.press("PageUp");
    await expect(lesson(student)).toContainText("beat 1 of 8");
    await page.goto("about:blank");
    await expect(room(student)).toContainText("The presenter is away");
    await expect(room(student).getByRole("button", { name: "Go on by myself" })).toBeVisible();
    await isAt(student, "lesson-1");
    await page.goto(hub.origin);
    await isAt(student, "");
    await expect(room(student)).toContainText("You follow the presenter");
    await student.context().close();
  } finally {
    await hub.stop();
  }
});

test("who follows a recorded lesson sees it in every theme and size; axe finds nothing", async ({
  page,
  hub,
  browser,
}) => {
  await open(page, hub);
  const student = await viewer(browser, hub);
  await page.goto(`${hub.origin}/?recording=lesson-1`);
  await turnTo(page, "text=beat 5 of 8", soon);
  await expect(lesson(student)).toContainText("beat 5 of 8");
  await expect(room(page)).toContainText("1 viewer watches, and follows you");
  await page.screenshot({ path: "test-results/follow-presenter.png" });
  for (const [name, width, height, theme] of looks) {
    await student.setViewportSize({ width, height });
    await choose(student, theme);
    await expect(lesson(student).locator("h2")).toBeInViewport();
    await student.screenshot({ path: `test-results/follow-${name}.png` });
    const found = await new AxeBuilder({ page: student }).include("#lesson").include("#room").analyze();
    expect(found.violations, name).toEqual([]);
  }
  await student.context().close();
});
