import { join } from "node:path";

import type { Page } from "@playwright/test";
import AxeBuilder from "@axe-core/playwright";

import { copiedLink, looks } from "./common.ts";
import { choose } from "./demo.ts";
import { Hub, expect, open, test, tracer } from "./hub.ts";

const where = '#transport [data-part="where"]';
const more = '#transport [data-part="more"]';

test("with nothing attached the sample session is a press away, and the way back is too", async ({ page, hub }) => {
  await open(page, hub);
  await expect(page.getByRole("heading", { name: "Nothing is attached yet" })).toBeVisible();
  await expect(page.locator(".steps li")).toHaveCount(3);
  await page.getByRole("link", { name: "Play the sample session" }).click();

  await expect(page.locator("#recorded")).toContainText(
    /Recorded session: sample, \d min \d+ s, recorded \d+ \w+ 2\d\d\d/,
  );
  await expect(page.locator("tracer-lane")).toHaveCount(2);
  await expect(page.locator("#status")).toContainText("2 controllers");
  await expect(page.getByRole("button", { name: "Try it" })).toBeHidden();
  await expect(page.getByRole("link", { name: "Save this session" })).toHaveCount(0);
  // It plays from its beginning, as it was.
  await expect(page.locator('[data-part="speed"]')).toHaveText("1×");
  await expect(page.locator(where)).toHaveText("1× speed");
  await expect(page.locator(more)).toHaveText(/−[12]:\d\d to the end/);

  await page.getByRole("link", { name: "Back to live" }).click();
  await expect(page.getByRole("heading", { name: "Nothing is attached yet" })).toBeVisible();
  await expect(page.locator("#transport")).toContainText("following");
});

test("a recording is paused and stepped, ends where it ends, and plays again", async ({ page, hub }) => {
  await open(page, hub);
  await page.goto(`${hub.origin}/?recording=sample`);
  await expect(page.locator(where)).toHaveText("1× speed");
  await page.keyboard.press(".");
  await expect(page.locator(where)).toContainText("paused");
  await page.keyboard.press("Shift+ArrowRight");
  await expect(page.locator("#details")).toContainText("default/");
  await page.keyboard.press("n");
  await expect(page.locator("#details")).toContainText(/error|Conflict|Invalid/);
  await page.keyboard.press("Escape");

  await page.keyboard.press("End");
  await expect(page.locator("#notice")).toContainText("The recording ends here.");
  await expect(page.locator(more)).toHaveText("at the end");
  await page.locator("#notice").getByRole("button", { name: "Play again" }).click();
  await expect(page.locator(where)).toHaveText("1× speed");
  await expect(page.locator("#notice")).toBeHidden();
});

test("a link into a recording leads to its moment; one to another time says so and offers the nearest", async ({
  page,
  hub,
}) => {
  await open(page, hub);
  await page.goto(`${hub.origin}/?recording=sample`);
  await expect(page.locator(where)).toHaveText("1× speed");
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+ArrowRight");
  // Home has stopped the picture too: where the step has led is there with its panel.
  await expect(page.locator("#details .panel-title.is-item")).toBeVisible();
  const at = await page.locator(where).textContent();
  const link = await copiedLink(page);
  expect(link).toMatch(/\/\?recording=sample#at=\d+&sel=default\//);

  await page.goto("about:blank");
  await page.goto(link);
  await expect(page.locator(where)).toHaveText(at ?? "");
  await expect(page.locator("#recorded")).toBeVisible();

  await page.goto("about:blank");
  await page.goto(`${hub.origin}/?recording=sample#at=99999999999999999`);
  await expect(page.locator("#notice")).toContainText("is not in this recording. The nearest is");
  await page.locator("#notice").getByRole("button", { name: "Go there" }).click();
  await expect(page.locator("#notice")).toContainText("The recording ends here.");
});

test("a recording that is not there says so, and which there are", async ({ page, hub }) => {
  await open(page, hub);
  const answer = await page.goto(`${hub.origin}/?recording=nope`);
  expect(answer?.status()).toBe(404);
  await expect(page.locator("main")).toContainText('there is no recording "nope": use one of: sample');
  await page.getByRole("link", { name: "sample" }).click();
  await expect(page.locator("#recorded")).toContainText("sample");
});

test("what a hub holds is saved from the page and shown again: the same counts, the same moment", async ({ page }) => {
  // The sample is played into a hub, which then has something of its own to save.
  const source = await Hub.serve();
  const file = join(source.folder, "saved.jsonl.gz");
  const sample = join(import.meta.dirname, "..", "..", "server", "recording", "sample.jsonl.gz");
  await tracer("replay", sample, "--into", source.origin, "--speed", "max");
  await open(page, source);
  const counts = page.locator("tracer-lane .counts").first();
  await expect(page.locator("tracer-lane")).toHaveCount(2);
  const link = await momentOf(page);
  const before = await counts.textContent();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Save this session" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^tracer-\d{8}-\d{6}\.jsonl\.gz$/);
  await download.saveAs(file);

  const shown = await Hub.replay(file);
  await open(page, shown);
  await expect(page.locator("#recorded")).toContainText("saved.jsonl.gz");
  await expect(page.getByRole("link", { name: "Back to live" })).toHaveCount(0);
  await page.goto("about:blank");
  await page.goto(`${shown.origin}/?recording=saved${link.hash}`);
  await expect(page.locator(where)).toHaveText(link.where);
  await expect(page.locator("#details")).toContainText(link.item);
  await expect(counts).toHaveText(before ?? "");
  await shown.stop();
  await source.stop();
});

/** Stands at a reconcile of the page and reads the link to it. */
async function momentOf(page: Page): Promise<{ hash: string; where: string; item: string }> {
  await page.keyboard.press(".");
  const shown = page.locator(where);
  await expect(shown).toContainText("paused");
  const before = (await shown.textContent()) ?? "";
  await page.keyboard.press("Shift+ArrowLeft");
  // The words come up to a tenth of a second after the picture.
  await expect(shown).not.toHaveText(before);
  const hash = /#\S+/.exec(await copiedLink(page))?.[0] ?? "";
  const item = /sel=([^@]+)/.exec(hash)?.[1] ?? "";
  return { hash, where: (await shown.textContent()) ?? "", item };
}

test("axe finds nothing in a recording, in the empty page, and where there is none", async ({ page, hub }) => {
  await open(page, hub);
  for (const path of ["/", "/?recording=sample", "/?recording=nope"]) {
    await page.goto(`${hub.origin}${path}`);
    if (path.includes("sample")) await page.keyboard.press(".");
    const found = await new AxeBuilder({ page }).analyze();
    expect(found.violations, path).toEqual([]);
  }
});

test("a recording looks like one: its frame in every theme and size", async ({ page, hub }) => {
  await open(page, hub);
  await page.screenshot({ path: "test-results/recorded-empty.png" });
  await page.goto(`${hub.origin}/?recording=sample`);
  await expect(page.locator(where)).toHaveText("1× speed");
  for (const [name, width, height, theme] of looks) {
    await page.setViewportSize({ width, height });
    await choose(page, theme);
    await expect(page.locator("#recorded")).toBeInViewport();
    await page.screenshot({ path: `test-results/recorded-${name}.png` });
  }
});
