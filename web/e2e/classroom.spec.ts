import type { Page } from "@playwright/test";

import { expect, test } from "./demo.ts";
import { viewer } from "./viewers.ts";

const room = (page: Page) => page.locator("#room");
const time = (page: Page) => page.locator("#transport");

test("a viewer sees what the presenter means, in a theme and size of its own, and has nothing to change things with", async ({
  demo,
  dash,
  browser,
}) => {
  const student = await viewer(browser, demo);
  await student.setViewportSize({ width: 900, height: 700 });
  await expect(student.locator("body")).toHaveAttribute("data-role", "viewer");
  await expect(student.getByText("You are watching")).toBeVisible();
  await expect(student.locator("#tryit, #tryit-toggle, #share, #share-open")).toHaveCount(0);
  await expect(room(student)).toContainText("You follow the presenter");
  await student.getByText("View", { exact: true }).click();
  await student.getByRole("button", { name: "Dark" }).click();

  await dash.locator("[data-go]").first().click();
  await dash.keyboard.press(".");
  for (const page of [student, dash]) await expect(time(page)).toContainText("paused");
  const shown = (page: Page): Promise<string> => page.locator("#transport [data-part=where]").innerText();
  await expect.poll(() => shown(student)).toBe(await shown(dash));
  // "reconcile 3 of 7": the 7 may grow meanwhile.
  const sub = (page: Page): Promise<string> => page.locator("#details .panel-sub").innerText();
  await expect.poll(async () => (await sub(student)) === (await sub(dash))).toBe(true);
  await expect(dash.locator("html")).not.toHaveAttribute("data-theme", "dark");

  await dash.keyboard.press("[");
  await expect(time(student)).toContainText("1/2 speed");
  await dash.keyboard.press("Escape");
  await dash.keyboard.press("End");
  await expect(time(student)).toContainText("following, live");
  await expect(student.locator("#details")).toContainText("Latest reconciles");

  await dash.locator("#search input").fill("result:error");
  await dash.keyboard.press("Enter");
  await expect(student.locator("#terms")).toContainText("error");
  await expect(room(student)).toContainText("You follow the presenter");
  await dash.locator("#search input").fill("");
  await dash.keyboard.press("Enter");
  await expect(student.locator("#terms")).not.toContainText("error");
  await dash.keyboard.press("Escape");
  await dash.locator("#map").focus();

  const late = await viewer(browser, demo);
  await dash.keyboard.press(".");
  await expect(time(late)).toContainText("paused");
  await late.reload();
  await expect(time(late)).toContainText("paused");
  await student.context().close();
  await late.context().close();
});

test("an own action leaves the presenter; Return, a call, and the wish to go on alone do what they say", async ({
  demo,
  dash,
  browser,
}) => {
  const student = await viewer(browser, demo);
  await expect(room(dash)).toContainText("1 viewer watches, and follows you");
  await student.keyboard.press(".");
  await expect(room(student)).toContainText("You left the presenter");
  await expect(room(dash)).toContainText("and nobody follows you");
  await student.getByRole("button", { name: "Return" }).click();
  await expect(time(student)).toContainText("following, live");
  await expect(room(dash)).toContainText("and follows you");

  await student.keyboard.press(".");
  await dash.getByRole("button", { name: "Call everyone back" }).click();
  await expect(room(student)).toContainText("You follow the presenter");
  await expect(time(student)).toContainText("following, live");

  await student.getByRole("button", { name: "Go on by myself" }).click();
  await expect(room(student)).toContainText("You go on by yourself");
  await dash.getByRole("button", { name: "Call everyone back" }).click();
  await expect(room(student)).toContainText("The presenter calls everyone back");
  await student.getByRole("button", { name: "Return" }).click();
  await expect(room(student)).toContainText("You follow the presenter");
  await student.context().close();
});

test("a word to the room that was not heard is said again, ever more rarely", async ({ demo, dash, browser }) => {
  const student = await viewer(browser, demo);
  await expect(room(dash)).toContainText("and follows you");
  const fail = async (page: Page, what: string, most: number): Promise<number[]> => {
    const at: number[] = [];
    await page.route(`**/api/v1/room/${what}`, async (route) => {
      at.push(performance.now());
      await (at.length > most ? route.continue() : route.fulfill({ status: 409, body: "{}" }));
    });
    return at;
  };
  const [left, told] = [await fail(student, "following", 1), await fail(dash, "presenter", 4)];
  await student.keyboard.press(".");
  await expect(room(dash)).toContainText("and nobody follows you");
  expect(left).toHaveLength(2);
  await student.getByRole("button", { name: "Return" }).click();
  await expect(time(student)).toContainText("following, live");
  await dash.keyboard.press(".");
  await expect(time(student)).toContainText("paused");
  expect(told).toHaveLength(5);
  // 0.2, 0.4, 0.8 and 1.6 s lie between them.
  expect((told[4] ?? 0) - (told[0] ?? 0)).toBeGreaterThan(2_500);
  await student.context().close();
});

test("a second page of the presenter is told and may take over, and the first is told", async ({
  demo,
  dash,
  browser,
}) => {
  const student = await viewer(browser, demo);
  await expect(room(student)).toContainText("You follow the presenter");
  const second = await dash.context().newPage();
  await second.goto(demo.origin);
  await expect(room(second)).toContainText("Another page of yours presents");
  await second.keyboard.press(".");
  await expect(time(second)).toContainText("paused");
  await expect(time(student)).toContainText("following, live");
  await second.getByRole("button", { name: "Take over" }).click();
  await expect(time(student)).toContainText("paused");
  await expect(room(dash)).toContainText("Another page of yours has taken over");

  await second.close();
  await expect(room(dash)).toContainText("1 viewer watches");
  await expect(time(student)).toContainText("following, live");
  await dash.goto(`${demo.origin}/?recording=lesson-1`);
  await expect(room(dash)).toContainText("1 viewer watches, and follows you");
  await expect(student.locator("#recorded")).toContainText("Lesson 1");
  await expect(room(student)).toContainText("You follow the presenter");
  await student.context().close();
});

test("the presenter's dialog has the viewers' link, its code, who watches, and copies without the clipboard", async ({
  demo,
  dash,
  browser,
}) => {
  await dash.getByRole("button", { name: "Share" }).click();
  const dialog = dash.locator("#share");
  await expect(dialog.locator("[data-part=link]")).toHaveText(demo.viewersLink);
  const code = dialog.locator("[data-part=code]");
  await expect.poll(() => code.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);
  await expect(dialog).toContainText("Nobody watches yet");
  const student = await viewer(browser, demo);
  await expect(dialog).toContainText("1 viewer watches");
  const copied = dash.evaluate(
    () =>
      new Promise<string>((done) => {
        Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true });
        document.addEventListener("copy", () => {
          done(getSelection()?.toString() ?? "");
        });
      }),
  );
  await dialog.getByRole("button", { name: "Copy" }).click();
  expect(await copied).toBe(demo.viewersLink);
  await expect(dialog.getByRole("button", { name: "Copied" })).toBeFocused();
  await student.context().close();
});

test("the presenter's cookie and token open nothing at the viewers' address", async ({ demo, dash }) => {
  const viewers = new URL(demo.viewersLink).origin;
  const answer = await dash.goto(`${viewers}/login?token=${demo.token}`);
  expect(answer?.status()).toBe(403);
  expect((await dash.goto(viewers))?.status()).toBe(401);
});
