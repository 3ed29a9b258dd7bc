import { type Locator, type Page, expect } from "@playwright/test";

import { test } from "./demo.ts";
import { Hub, open } from "./hub.ts";
import { named, tabTo, use } from "./keyboard.ts";
import { viewer } from "./viewers.ts";

const lesson = (page: Page): Locator => page.locator("#lesson");
const body = (page: Page): Locator => page.locator('#lesson [data-part="body"]');
const beat = (page: Page): Locator => page.locator('#lesson [data-part="beat"]');
const move = (page: Page, what: string): Locator => page.locator(`#lesson [data-do="${what}"]:visible`);
const room = (page: Page): Locator => page.locator("#room");
const time = (page: Page): Locator => page.locator("#transport");

/** Presses Next once: that is seen then, and the focus is still there. */
async function next(page: Page, seen: Locator): Promise<void> {
  await use(page, move(page, "next"));
  await expect(seen).toBeVisible({ timeout: 30_000 });
  await expect(move(page, "next")).toBeFocused();
}

async function start(page: Page, id: string): Promise<void> {
  await use(page, named(page, "Lessons"));
  await use(page, page.locator(`#lessons [data-lesson=${id}]`));
  await expect(beat(page)).toContainText("beat 1 of");
}

test("a lesson is chosen, begun, turned, answered and ended by the keyboard alone", async ({ demo, dash, browser }) => {
  test.setTimeout(120_000);
  const student = await viewer(browser, demo);
  const [list, button] = [dash.locator("#lessons"), named(dash, "Lessons")];
  await use(dash, button);
  await expect(list.getByRole("listitem")).toHaveCount(6);
  await use(dash, list.getByRole("button", { name: "Close" }));
  await expect(list).toBeHidden();
  await expect(button).toBeFocused();
  // What the list says is asked for anew; the focus is not on a row that is replaced.
  await list.evaluate((dialog) => dialog.querySelector("li")?.setAttribute("data-old", ""));
  await use(dash, button, "Space");
  await expect(list.locator("[data-old]")).toHaveCount(0);
  await expect(list.getByRole("listitem")).toHaveCount(6);
  await expect(list.locator(":focus")).toHaveCount(1);
  await use(dash, list.locator("[data-lesson=lesson-5]"));
  await expect(list).toBeHidden();
  await expect(beat(dash)).toHaveText("beat 1 of 8");
  await expect(body(dash)).toBeFocused();

  const question = (page: Page): Locator => lesson(page).locator(".lesson-choice").first();
  await next(dash, question(dash));
  await expect(beat(dash)).toHaveText("beat 2 of 8");
  await use(dash, move(dash, "previous"));
  await expect(beat(dash)).toHaveText("beat 1 of 8");
  await expect(move(dash, "previous")).toBeFocused();
  await next(dash, question(dash));
  const [first, third] = ["0", "2"].map((n) => lesson(student).locator(`button[data-choice="${n}"]`));
  for (const [choice, key] of [
    [first, "Enter"],
    [third, "Space"],
  ] as const) {
    if (choice === undefined) continue;
    await use(student, choice, key);
    await expect(choice).toHaveAttribute("aria-pressed", "true");
    await expect(choice).toBeFocused();
  }
  await expect(lesson(dash)).toContainText("1 of 1 have answered");
  await next(dash, lesson(dash).locator(".is-right"));
  // What was a button is none any more: who reads on is at the beat's words.
  await expect(lesson(student).locator(".is-right")).toContainText("right, your answer");
  await expect(body(student)).toBeFocused();
  await expect(lesson(dash)).toHaveAttribute("data-state", "done");

  await use(dash, move(dash, "restart"));
  await expect(lesson(dash)).toContainText("0 of 1 have answered");
  await expect(move(dash, "restart")).toBeFocused();
  await use(dash, move(dash, "stop"));
  for (const page of [dash, student]) await expect(lesson(page)).toBeHidden();
  await expect(dash.locator("#map")).toBeFocused();
  await dash.keyboard.press("Space");
  await expect(dash.locator("#transport")).toContainText("paused");
  await expect(dash.locator("#lessons")).toBeHidden();
  await dash.keyboard.press("Space");
  await expect(student.locator("#map")).toBeFocused();
  await student.context().close();
});

test("a lesson that fails is begun again, and at its beat, by the keyboard alone", async ({ demo, dash }) => {
  test.setTimeout(120_000);
  await start(dash, "lesson-1");
  await next(dash, lesson(dash).locator("text=A wish is stored"));
  await demo.command({ command: "pause", controller: "podset" });
  await expect(lesson(dash)).toHaveAttribute("data-state", "ready");
  await use(dash, move(dash, "next"));
  await expect(lesson(dash)).toHaveAttribute("data-state", "failed", { timeout: 45_000 });
  await demo.command({ command: "lift", controller: "podset" });
  // Next has gone, and with it its place.
  await expect(body(dash)).toBeFocused();
  await dash.screenshot({ path: "test-results/keyboard-failed.png" });
  for (const [what, path] of [
    ["stop", "lesson/stop"],
    ["start", "lessons/lesson-1/start"],
  ] as const) {
    await dash.route(`**/api/v1/${path}`, (route) => route.fulfill({ json: {} }), { times: 1 });
    const asked = dash.waitForRequest(`**/api/v1/${path}`);
    await use(dash, move(dash, what));
    await asked;
  }
  await use(dash, move(dash, "start-here"));
  await expect(lesson(dash)).toHaveAttribute("data-state", "ready");
  await expect(beat(dash)).toHaveText("beat 2 of 8");
  await expect(body(dash)).toBeFocused();
  await use(dash, move(dash, "stop"));
  await expect(lesson(dash)).toBeHidden();
});

test("a recorded lesson is chosen, turned and left by the keyboard alone, its details too", async ({ page }) => {
  const hub = await Hub.serve();
  await open(page, hub);
  await page.keyboard.press("p");
  await use(page, named(page, "Lessons"));
  await use(page, page.getByRole("link", { name: "Watch the recording: Lesson 2" }));
  await expect(beat(page)).toHaveText("beat 1 of 7");
  await use(page, move(page, "next"));
  await expect(beat(page)).toHaveText("beat 2 of 7");
  await expect(move(page, "next")).toBeFocused();
  await use(page, move(page, "previous"), "Space");
  await expect(beat(page)).toHaveText("beat 1 of 7");
  await expect(move(page, "previous")).toBeFocused();
  const [details, panel] = [named(page, "Details"), page.locator("#panel")];
  await use(page, details);
  await expect(panel).toBeVisible();
  await use(page, details, "Space");
  await expect(panel).toBeHidden();
  await expect(details).toBeFocused();
  // The panel goes with the beat, and what had the focus in it.
  await use(page, details);
  await use(page, panel.getByRole("button").first());
  await page.keyboard.press("PageDown");
  await expect(beat(page)).toHaveText("beat 2 of 7");
  await expect(panel).toBeHidden();
  await expect(body(page)).toBeFocused();
  await use(page, page.getByRole("link", { name: "Back to live" }));
  await expect(page.locator("#recorded")).toHaveCount(0);
  await hub.stop();
});

test("the viewers' link is copied by the keyboard alone", async ({ demo, dash, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const [dialog, button] = [dash.locator("#share"), named(dash, "Share")];
  await use(dash, button);
  await expect(dialog.locator("[data-part=code]")).toBeInViewport();
  await use(dash, dialog.getByRole("button", { name: "Copy" }));
  await expect(dialog.getByRole("button", { name: "Copied" })).toBeFocused();
  expect(await dash.evaluate(() => navigator.clipboard.readText())).toBe(demo.viewersLink);
  await use(dash, dialog.getByRole("button", { name: "Close" }));
  await expect(dialog).toBeHidden();
  await expect(button).toBeFocused();
});

test("a viewer goes alone, returns and is called back by the keyboard alone", async ({ demo, dash, browser }) => {
  const student = await viewer(browser, demo);
  const [follows, alone] = ["You follow the presenter", "You go on by yourself"];
  const call = async (): Promise<void> => {
    await use(dash, named(dash, "Call everyone back"));
  };
  await expect(room(student)).toContainText(follows);
  await student.keyboard.press(".");
  await expect(room(student)).toContainText("You left the presenter");
  await use(student, named(student, "Return"));
  await expect(room(student)).toContainText(follows);
  await expect(time(student)).toContainText("following, live");
  // Return is gone; a second Enter does not leave again.
  await expect(room(student)).toBeFocused();

  await use(student, named(student, "Go on by myself"), "Space");
  await expect(room(student)).toContainText(alone);
  await use(student, named(student, "Follow the presenter"));
  await expect(room(student)).toContainText(follows);
  await use(student, named(student, "Go on by myself"));
  await expect(room(dash)).toContainText("and nobody follows you");
  await call();
  await expect(room(student)).toContainText("The presenter calls everyone back");
  await use(student, named(student, "Return"), "Space");
  await expect(room(student)).toContainText(follows);
  await expect(room(student)).toBeFocused();
  await expect(room(dash)).toContainText("and follows you");
  // Nobody is left to be called.
  await expect(named(dash, "Call everyone back")).toBeHidden();
  await expect(room(dash)).toBeFocused();
  await student.context().close();
});

test("a second page of the presenter takes over by the keyboard alone", async ({ demo, dash, browser }) => {
  const student = await viewer(browser, demo);
  await expect(room(student)).toContainText("You follow the presenter");
  const second = await dash.context().newPage();
  await second.goto(demo.origin);
  await expect(room(second)).toContainText("Another page of yours presents");
  await use(second, named(second, "Take over"));
  await expect(room(second)).toContainText("and follows you");
  await expect(room(second)).toBeFocused();
  await second.close();
  await student.context().close();
});

test("keys are switched off and on by the keyboard alone", async ({ dash }) => {
  const [list, button] = [dash.locator("#keys"), named(dash, "Keys")];
  const field = dash.getByRole("combobox", { name: "Search reconciles" });
  const set = async (label: string, on: boolean): Promise<void> => {
    await use(dash, button);
    const box = list.getByLabel(label);
    await use(dash, box, "Space");
    await expect(box).toBeChecked({ checked: on });
    await expect(box).toBeFocused();
    await use(dash, list.getByRole("button", { name: "Close" }));
    await expect(list).toBeHidden();
    await expect(button).toBeFocused();
  };
  for (const label of ["Search", "All of these keys"]) {
    await set(label, false);
    await dash.keyboard.press("/");
    await expect(field).not.toBeFocused();
    await expect(button).toBeFocused();
    await set(label, true);
    await dash.keyboard.press("/");
    await expect(field).toBeFocused();
    await dash.keyboard.press("Escape");
  }
  await set("Pause the picture", false);
  await dash.keyboard.press(".");
  await dash.keyboard.press("[");
  await expect(time(dash)).toContainText("1/2");
  await expect(time(dash)).not.toContainText("paused");
  await set("Pause the picture", true);
  await dash.keyboard.press(".");
  await expect(time(dash)).toContainText("paused");
});

test("older reconciles are listed by the keyboard alone, to the oldest", async ({ demo, dash }) => {
  await dash.goto(`${demo.origin}/?recording=sample`);
  await expect(dash.locator("#transport [data-part=where]")).toHaveText("1× speed");
  await dash.keyboard.press("End");
  const [rows, older] = [dash.locator(".run"), named(dash, "Older …")];
  await expect(rows).toHaveCount(60);
  await tabTo(dash, rows.first());
  await dash.keyboard.press("Tab");
  await expect(older).toBeFocused();
  for (let listed = 60; await older.isVisible(); listed += 120) {
    await use(dash, older, listed === 60 ? "Enter" : "Space");
    await expect(rows.nth(listed)).toBeFocused();
  }
  expect(await rows.count()).toBeGreaterThan(120);
  await dash.keyboard.press("ArrowUp");
  await dash.keyboard.press("Enter");
  await expect(dash.locator("#details")).toContainText("Why it ran");
});
