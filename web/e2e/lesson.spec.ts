import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

import { turnTo } from "./common.ts";
import { choose, expect, test } from "./demo.ts";
import { fitsTheHall } from "./hall.ts";
import { viewer } from "./viewers.ts";

const lesson = (page: Page) => page.locator("#lesson");

async function start(page: Page, id: string): Promise<void> {
  await page.getByRole("button", { name: "Lessons" }).click();
  await page.locator(`#lessons [data-lesson=${id}]`).click();
  await expect(lesson(page)).toContainText(/beat 1 of \d/);
}

test("lesson 1 is given from the page alone, by the keys of a remote; viewers read along and answer", async ({
  dash,
  demo,
  browser,
}) => {
  test.setTimeout(180_000);
  const [student, other] = [await viewer(browser, demo), await viewer(browser, demo)];
  const all = [dash, student, other];
  await dash.getByRole("button", { name: "Lessons" }).click();
  await expect(dash.locator("#lessons li")).toHaveCount(6);
  await dash.screenshot({ path: "test-results/lessons-light.png" });
  await dash.keyboard.press("Escape");
  await expect(dash.locator("#lessons")).toBeHidden();
  await start(dash, "lesson-1");
  for (const page of all) {
    await expect(lesson(page)).toContainText(/beat 1 of \d/);
    await expect(page.locator('.is-taught[data-node="cache"]')).toHaveCount(1);
  }
  await expect(student.locator("#lesson [data-do]")).toHaveCount(0);
  await dash.screenshot({ path: "test-results/lesson-light.png" });

  await turnTo(dash, ".lesson-choice >> nth=0");
  // Who comes late sees what all see.
  await student.reload();
  const choice = student.locator("#lesson button[data-choice='0']");
  await expect(choice).toBeVisible();
  await expect(dash.locator("#lesson button[data-choice]")).toHaveCount(0);
  await expect(lesson(dash)).toContainText("0 of 2 have answered");
  await choice.focus();
  await student.keyboard.press("Enter");
  await expect(choice).toHaveAttribute("aria-pressed", "true");
  await expect(choice).toBeFocused();
  for (const page of all) await expect(lesson(page)).toContainText("1 of 2 have answered");
  // It may be changed, and counts once.
  await student.locator("#lesson button[data-choice='1']").click();
  await expect(student.locator("#lesson button[data-choice='1']")).toHaveAttribute("aria-pressed", "true");
  await expect(choice).toHaveAttribute("aria-pressed", "false");
  await other.locator("#lesson button[data-choice='0']").click();
  for (const page of all) {
    await expect(lesson(page)).toContainText("2 of 2 have answered");
    await expect(page.locator(".lesson-tally, .is-right")).toHaveCount(0);
  }
  // A page that is opened anew shows what was chosen, until the beat begins again.
  await student.reload();
  await expect(student.locator("#lesson button[data-choice='1']")).toHaveAttribute("aria-pressed", "true");
  await lesson(dash).getByRole("button", { name: "Restart beat" }).click();
  await expect(lesson(dash)).toContainText("0 of 2 have answered");
  for (const page of [student, other]) {
    await expect(lesson(page)).toContainText("0 of 2 have answered");
    await expect(page.locator("#lesson [aria-pressed=true]")).toHaveCount(0);
  }
  await student.locator("#lesson button[data-choice='1']").click();
  await other.locator("#lesson button[data-choice='0']").click();
  await expect(lesson(student)).toContainText("2 of 2 have answered");
  const found = await new AxeBuilder({ page: student }).include("#lesson").analyze();
  expect(found.violations.map(({ id, nodes }) => ({ id, at: nodes.map((node) => node.target) }))).toEqual([]);
  await student.setViewportSize({ width: 390, height: 844 });
  await student.screenshot({ path: "test-results/lesson-question-narrow.png" });

  await turnTo(dash, ".lesson-choice.is-right");
  for (const page of all) {
    await expect(page.locator(".lesson-choice.is-right")).toContainText("right");
    await expect(page.locator(".lesson-tally")).toHaveText(["1 · 50 %", "1 · 50 %"]);
  }
  await expect(student.locator(".is-mine")).toContainText("right, your answer");
  await expect(other.locator(".is-mine .lesson-mark")).toHaveText("your answer");
  await dash.screenshot({ path: "test-results/lesson-reveal.png" });
  await student.screenshot({ path: "test-results/lesson-narrow.png" });
  await dash.setViewportSize({ width: 1920, height: 1080 });
  await choose(dash, "projector");
  await dash.screenshot({ path: "test-results/lesson-projector.png" });
  await choose(dash, "light");
  await dash.setViewportSize({ width: 1280, height: 720 });

  await turnTo(dash, "text=That was the last beat");
  await dash.keyboard.press("PageDown");
  for (const page of all) {
    await expect(lesson(page)).toBeHidden();
    await expect(page.locator(".is-taught")).toHaveCount(0);
  }
  for (const page of [student, other]) await page.context().close();
});

test("Next while it waits says what for; what fails says where and why, is closed, and leaves nothing", async ({
  dash,
  demo,
}) => {
  test.setTimeout(120_000);
  await start(dash, "lesson-1");
  // A controller that does nothing is a lesson that fails.
  await demo.post("control", { command: "pause", controller: "podset", item: "", phase: "" });
  await turnTo(dash, "text=A wish is stored");
  await expect(lesson(dash)).toHaveAttribute("data-state", "ready");
  await dash.keyboard.press("PageDown");
  await expect(lesson(dash)).toHaveAttribute("data-state", "waiting");
  await expect(lesson(dash).locator(".lesson-came li").first()).toBeVisible();
  // A mark stands before its sentence, not above it.
  const apart = await lesson(dash)
    .locator(".lesson-came li")
    .evaluateAll((all) =>
      all
        .filter((li) => {
          const [mark, words] = [...li.children].map((part) => part.getBoundingClientRect());
          return (mark?.bottom ?? 0) < (words?.top ?? 0) + 4;
        })
        .map((li) => li.textContent),
    );
  expect(apart).toEqual([]);
  await expect(lesson(dash)).toContainText("Waiting for");
  await dash.keyboard.press("PageDown");
  await expect(lesson(dash)).toContainText("Not yet: what is not ticked has not come");
  await dash.screenshot({ path: "test-results/lesson-waiting.png" });

  await expect(lesson(dash)).toHaveAttribute("data-state", "failed", { timeout: 45_000 });
  await expect(lesson(dash).locator(".is-error")).toContainText(/beat 2, line \d+: /);
  await expect(lesson(dash).getByRole("button")).toHaveText(["Close", "Start at this beat", "Start again"]);
  await dash.screenshot({ path: "test-results/lesson-failed.png" });
  const found = await new AxeBuilder({ page: dash }).include("#lesson").analyze();
  expect(found.violations).toEqual([]);
  await demo.post("control", { command: "lift", controller: "podset", id: "" });

  await lesson(dash).getByRole("button", { name: "Start at this beat" }).click();
  await expect(lesson(dash)).toContainText("beat 2 of");
  await expect(lesson(dash)).toHaveAttribute("data-state", "ready");
  // Next says behind its name what it does.
  const press = (name: string): Promise<void> =>
    lesson(dash)
      .getByRole("button", { name: new RegExp(`^${name}\\b`) })
      .click();
  await press("Back");
  await expect(lesson(dash)).toContainText("beat 1 of");
  await expect(lesson(dash)).toHaveAttribute("data-state", "done");
  await press("Next");
  await expect(lesson(dash)).toContainText("beat 2 of");
  await press("Back");
  await expect(lesson(dash)).toContainText("beat 1 of");
  await expect(lesson(dash)).toHaveAttribute("data-state", "done");
  // What the beat did is taken back.
  await press("Next");
  await expect(lesson(dash)).toHaveAttribute("data-state", "ready");
  await press("Next");
  await expect(lesson(dash)).toHaveAttribute("data-state", "done");
  await press("Restart beat");
  await expect(lesson(dash)).toHaveAttribute("data-state", "ready");
  await expect(lesson(dash)).toContainText("beat 2 of");
  await press("Stop");
  await expect(lesson(dash)).toBeHidden();
});

test("a lesson in the hall: one bump of the remote reveals nothing, a beat that goes on says where it starts, the end is said", async ({
  dash,
  demo,
  browser,
}) => {
  test.setTimeout(180_000);
  const student = await viewer(browser, demo);
  await choose(dash, "projector");
  await start(dash, "lesson-4");
  const next = lesson(dash).locator('[data-do="next"]');
  // Its page need not be the one in front.
  await expect.poll(() => dash.evaluate(() => document.activeElement?.closest(".lesson")?.id)).toBe("lesson");
  await turnTo(dash, ".lesson-choice >> nth=0");
  await expect(next).toHaveText("Next: let two write PodSet/web");
  await expect(lesson(dash)).toContainText("0 of 1 have answered");
  await dash.keyboard.press("PageDown");
  await expect(lesson(dash)).toContainText("Nobody has answered. Press Next again to show the answer.");
  await expect(lesson(dash)).toHaveAttribute("data-state", "question");
  await fitsTheHall(dash);
  await dash.keyboard.press("PageDown");
  await expect(lesson(dash)).toContainText("Waiting for the answer");
  await expect(dash.locator(".lesson-came li")).toHaveCount(0);
  await expect(dash.locator(".lesson-choice.is-right")).toBeVisible({ timeout: 30_000 });
  await expect(next).toHaveText("Next beat");
  await fitsTheHall(dash);

  await turnTo(dash, "text=A person and a controller");
  await expect(next).toHaveText("Next: hold it before apply, scale PodSet/web to 2");
  await turnTo(dash, "text=Which of its two writes");
  // One chip tells of the pause; the words of the beat do not say it again.
  for (const page of [dash, student]) {
    await expect(page.locator("#control .stand")).toHaveText(
      /^(lesson-4\/)?web is held before apply · ends in \d+:\d\d/,
    );
    await expect(page.locator("#map .counts")).toBeHidden();
    await expect(page.locator('[data-node="compute"] [data-part="note"]')).toHaveText(/^[\d.]+ (µs|ms)$/);
  }
  await expect(next).toHaveText("Next: scale PodSet/web to 1, let it go on");
  await fitsTheHall(dash);
  await dash.screenshot({ path: "test-results/lesson-hall-question.png" });
  await student.setViewportSize({ width: 390, height: 844 });
  const apply = student.locator('.station[data-station="apply"]');
  await expect(apply).toHaveClass(/is-held/);
  await expect(apply.locator(".station-brief")).toHaveText("web");
  await expect(student.locator('.station[data-station="compute"]')).not.toHaveClass(/is-lit/);
  await student.screenshot({ path: "test-results/lesson-hall-narrow.png" });
  await student.setViewportSize({ width: 1280, height: 720 });

  await student.locator("#lesson button[data-choice='2']").click();
  await expect(lesson(dash)).toContainText("1 of 1 have answered");
  await dash.keyboard.press("PageDown");
  await expect(dash.locator(".lesson-choice.is-right")).toBeVisible({ timeout: 30_000 });
  await fitsTheHall(dash);
  await dash.screenshot({ path: "test-results/lesson-hall-reveal.png" });
  await expect(student.locator("#details")).toContainText("409");

  await lesson(dash).getByRole("button", { name: "Restart beat" }).click();
  await expect(lesson(dash)).toContainText("Beat 4 needs what beat 3 holds, so it starts there.", { timeout: 30_000 });
  await expect(lesson(dash)).toContainText("beat 3 of 9");
  await expect(lesson(dash)).toHaveAttribute("data-state", "ready", { timeout: 30_000 });

  await lesson(dash).getByRole("button", { name: "Stop" }).click();
  for (const page of [dash, student]) {
    await expect(lesson(page)).toBeHidden();
    await expect(page.locator("#notice")).toContainText("Lesson 4 has ended. Namespace lesson-4");
    await expect(page.locator("#details")).toContainText("Latest reconciles");
  }
  await choose(dash, "light");
  await student.context().close();
});

test("in the hall the list of lessons is whole and numbered, and the viewers' code is as large as the screen allows", async ({
  dash,
}) => {
  await choose(dash, "projector");
  await dash.getByRole("button", { name: "Lessons" }).click();
  const titles = dash.locator("#lessons li strong");
  await expect(titles).toHaveCount(6);
  for (const [i, title] of (await titles.all()).entries()) {
    await expect(title).toHaveText(new RegExp(`^${String(i + 1)}\\. `));
    await expect(title).toBeInViewport({ ratio: 1 });
  }
  await expect(dash.locator("#lessons")).toContainText("holds the controller");
  await dash.screenshot({ path: "test-results/lessons-hall.png" });
  await dash.keyboard.press("Escape");
  await dash.getByRole("button", { name: "Share" }).click();
  const code = dash.locator("#share .share-code");
  await expect(code).toBeInViewport({ ratio: 1 });
  expect((await code.boundingBox())?.height).toBeGreaterThan(600);
  await expect(dash.locator("#share").getByRole("button", { name: "Close" })).toBeInViewport({ ratio: 1 });
  await dash.screenshot({ path: "test-results/share-hall.png" });
  await dash.keyboard.press("Escape");
  await choose(dash, "light");
});
