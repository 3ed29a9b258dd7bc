import { choose, expect, test } from "./demo.ts";
import { expect as expectHub, open, test as hubTest } from "./hub.ts";

test("Try it opens at its first field, by mouse and by keyboard; an action tells that it leads back to live", async ({
  demo,
  dash,
}) => {
  await demo.action("create", { namespace: "default", name: "stumble", replicas: "1" });
  const panel = dash.locator("#tryit");
  const field = panel.locator('[data-part="item"]');
  const toggle = dash.getByRole("button", { name: "Try it" });
  await expect(dash.locator(".run", { hasText: "stumble" }).first()).toBeVisible();
  await toggle.click();
  await expect(field).toBeFocused();
  await dash.keyboard.press("Escape");
  await expect(toggle).toBeFocused();
  await dash.keyboard.press("Enter");
  await expect(field).toBeFocused();
  await field.selectOption("default/stumble");

  // While it follows, there is nothing to tell.
  const said = panel.locator('[data-part="said"]');
  await panel.getByRole("button", { name: "Change the template" }).click();
  await expect(said).not.toHaveClass(/is-busy/);
  await expect(dash.locator("#notice")).not.toContainText("Back to");
  await dash.getByRole("button", { name: "Pause the picture" }).click();
  const where = dash.locator('#transport [data-part="where"]');
  await expect(where).toContainText("paused");
  const at = /\d\d:\d\d:\d\d/.exec((await where.textContent()) ?? "")?.[0] ?? "";
  await panel.getByRole("button", { name: "Change the template" }).click();
  await expect(dash.locator("#notice")).toContainText("Back to live to show it.");
  await expect(dash.locator("#transport")).toContainText("following");
  await dash
    .locator("#notice")
    .getByRole("button", { name: `Back to ${at}` })
    .click();
  await expect(where).toContainText(`paused · ${at}`);
  await demo.action("delete", { namespace: "default", name: "stumble" });
});

test("saving the session says what happens", async ({ dash }) => {
  const download = dash.waitForEvent("download");
  await dash.getByRole("link", { name: "Save this session" }).click();
  await expect(dash.locator("#notice")).toContainText("Saving this session");
  expect((await download).suggestedFilename()).toMatch(/^tracer-.*\.jsonl\.gz$/);
});

hubTest("N leads to the write that failed, where it was sent, with the write lit", async ({ page, hub }) => {
  await open(page, hub);
  await page.goto(`${hub.origin}/?recording=sample`);
  await expectHub(page.locator('#transport [data-part="where"]')).toHaveText("1× speed");
  await page.keyboard.press(".");
  await page.keyboard.press("Home");
  await page.keyboard.press("n");
  await expectHub(page.locator('[data-node="apply"].is-lit')).toHaveCount(1);
  await expectHub(page.locator('[data-node="requeue"].is-lit')).toHaveCount(0);
  const details = page.locator("#details");
  await expectHub(details.locator(".fall-name:has(.fall-lit)")).toContainText("PUT status");
  await expectHub(details.locator(".flags")).toContainText("409 Conflict");
});

hubTest(
  "by projector a small window shows a recorded lesson's title whole, and what a search looks like",
  async ({ page, hub }) => {
    await open(page, hub);
    await choose(page, "projector");
    const field = page.locator(".search input");
    const words = await field.evaluate((input: HTMLInputElement) => {
      const pen = document.createElement("canvas").getContext("2d");
      if (pen !== null) pen.font = getComputedStyle(input).font;
      return pen?.measureText(input.placeholder).width ?? Infinity;
    });
    expectHub((await field.boundingBox())?.width).toBeGreaterThanOrEqual(words);
    await page.goto(`${hub.origin}/?recording=lesson-4`);
    const title = page.locator(".lesson-title > :first-child");
    await expectHub(title).toHaveText("Conflict, and why requeue beats retry");
    await expectHub.poll(() => title.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0);
    await choose(page, "light");
  },
);

hubTest("the first steps of a hub have room in a low window, down to the sample session", async ({ page, hub }) => {
  await open(page, hub);
  const play = page.getByRole("link", { name: "Play the sample session" });
  await expectHub(play).toBeInViewport({ ratio: 1 });
  const foot = async (what: string): Promise<number> => {
    const box = await page.locator(what).boundingBox();
    return (box?.y ?? NaN) + (box?.height ?? NaN);
  };
  // Nothing is left empty below what scrolls.
  expectHub(await foot(".lanes")).toBe(await foot(".left"));
});

hubTest("without a cluster each lesson of the list says that it is recorded, and plays", async ({ page, hub }) => {
  await open(page, hub);
  await page.getByRole("button", { name: "Lessons" }).click();
  const list = page.locator("#lessons");
  await expectHub(list).toContainText("These lessons are recorded: they play here as they were given");
  await expectHub(list).not.toContainText("real objects");
  await expectHub(list.getByRole("listitem")).toHaveText(
    Array.from({ length: 6 }, () => /^Watch the recording(?!.*recorded)/),
  );
  await expectHub(list.getByRole("status")).toContainText("Live lessons are not offered: the hub has no cluster");
  const links = await list.getByRole("link").evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
  for (const link of links) {
    await page.goto(link);
    await expectHub(page.locator("#lesson")).toContainText("beat 1 of");
  }
});
