import type { Page } from "@playwright/test";

import { choose, expect, test } from "./demo.ts";

/** Notes what of the lesson's item the map shows at work whenever a beat is said to be done. */
async function watchEnds(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(() => {
    const lesson = document.querySelector<HTMLElement>("#lesson");
    if (lesson === null) throw new Error("there is no lesson");
    let was = lesson.dataset["state"];
    new MutationObserver(() => {
      const state = lesson.dataset["state"];
      if (state === was) return;
      was = state;
      if (state !== "done") return;
      const lit = [...document.querySelectorAll(".node.is-lit:not(.is-held)")].map(({ textContent }) => textContent);
      const mine = lit.filter((text) => /lesson-2|\bweb\b/.test(text));
      document.body.dataset["ends"] = [document.body.dataset["ends"] ?? "", `done:${mine.join("+")}`].join(" ");
    }).observe(lesson, { attributes: true });
  });
  return async () => ((await page.locator("body").getAttribute("data-ends")) ?? "").trim().split(" ");
}

test("what a live lesson says is on the map: at rest, held, marked again; it ends with the map's keys and the newest rows", async ({
  dash,
  demo,
}) => {
  test.setTimeout(150_000);
  const lesson = dash.locator("#lesson");
  const next = lesson.locator('[data-do="next"]');
  const at = (n: number) => expect(lesson.locator('[data-part="beat"]')).toHaveText(`beat ${String(n)} of 7`);
  const press = async (): Promise<void> => {
    await expect(next).toHaveAttribute("aria-disabled", "false", { timeout: 40_000 });
    await next.click();
  };
  const done = () => expect(lesson).toHaveAttribute("data-state", "done", { timeout: 40_000 });
  await choose(dash, "projector");
  // Whatever is selected before, a lesson begins with its words.
  await dash.locator("#details .run").first().click();
  await expect(dash.locator("#details .panel-title.is-item")).toBeVisible();
  await demo.post("lessons/lesson-2/start", { beat: 2 });
  await at(2);
  await expect(lesson.getByRole("heading")).toBeVisible();
  await expect(lesson).toHaveAttribute("data-state", "ready");
  const ends = await watchEnds(dash);

  await press();
  await done();
  await expect(lesson).toContainText("At rest: nothing queued");
  await press();
  await at(3);
  await press();
  await done();
  await press();
  await at(4);
  await press();
  await done();
  expect(await ends()).toEqual(["done:", "done:", "done:"]);

  // The key is marked once, and stands in no queue.
  const queue = dash.locator('#map [data-node="queue"]');
  await expect(queue.locator(".slot:visible")).toHaveText(/web\s+marked/);
  await expect(queue.locator('[data-part="depth"]')).toHaveText("0");
  await expect(dash.locator('#map [data-node="api"]')).toContainText(/etcd rv ≥ \d+/);
  await dash.screenshot({ path: "test-results/pace-marked-projector.png" });
  await choose(dash, "light");
  await dash.keyboard.press("Escape");
  await dash.locator('#panel [data-panel="queue"]').click();
  await expect(dash.locator("#details .stay").filter({ hasText: "lesson-2" })).toContainText("marked: comes again");
  await dash.screenshot({ path: "test-results/pace-marked-light.png" });
  await dash.locator('#panel [data-panel="latest"]').click();
  await choose(dash, "projector");

  await press();
  await at(5);
  await expect(lesson).not.toContainText("0 answers");
  await press();
  await done();
  await expect(queue.locator(".slot:visible")).toHaveCount(0);
  await expect(lesson).toContainText(/web #\d+, the reconcile that is selected/);
  await dash.screenshot({ path: "test-results/pace-named-projector.png" });
  await press();
  await at(6);

  // The panel is scrolled when the lesson ends.
  await lesson.getByRole("button", { name: "Details" }).click();
  await dash.locator("#details").evaluate((panel) => {
    panel.scrollTo(0, 400);
  });
  await lesson.getByRole("button", { name: "Details" }).click();
  await lesson.getByRole("button", { name: "Stop" }).click();
  await expect(lesson).toBeHidden();
  await expect(dash.locator("#details")).toContainText("Latest reconciles");
  await expect.poll(() => dash.locator("#details").evaluate(({ scrollTop }) => scrollTop)).toBe(0);
  await dash.keyboard.press("Space");
  await expect(dash.locator("#transport")).toContainText("paused");
  await expect(dash.locator("#lessons")).toBeHidden();
  await dash.keyboard.press("End");
  await choose(dash, "light");
});
