import AxeBuilder from "@axe-core/playwright";
import { join, resolve } from "node:path";

import type { Page } from "@playwright/test";

import { pick, stepTo } from "./common.ts";
import { type Demo, type ReconcileLine, choose, expect, test } from "./demo.ts";

/** PICTURES=1 makes the README's pictures anew; otherwise they go to the test's results, and the tree stays clean. */
const remade = process.env["PICTURES"] === "1";
const docs = resolve(import.meta.dirname, "..", "..", "docs", "img");

function pictureAt(name: string): string {
  return remade ? join(docs, name) : test.info().outputPath(name);
}

const looks = [
  { name: "map-light", item: "cart", theme: "light", width: 1280, height: 720 },
  { name: "map-dark", item: "api", theme: "dark", width: 1280, height: 720 },
  { name: "map-contrast", item: "mail", theme: "contrast", width: 1280, height: 720 },
  { name: "map-projector", item: "db", theme: "projector", width: 1280, height: 720 },
  { name: "map-large", item: "cron", theme: "light", width: 1920, height: 1080 },
  { name: "map-narrow", item: "blog", theme: "light", width: 390, height: 844 },
] as const;

/** The newest reconcile of an item that created Pods and is over, of those after a time. */
async function creating(demo: Demo, item: string, after = 0): Promise<ReconcileLine | undefined> {
  const runs = (await demo.reconciles(item)).filter(({ from, to }) => from > after && to > 0);
  return runs.filter((run) => run.plan.some(({ summary }) => summary.startsWith("create "))).at(-1);
}

/** The texts that one cannot read to their end: they stick out of their box, of the picture, or of the page. */
function cutTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const cut: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const at = text.parentElement;
      const said = text.textContent?.trim() ?? "";
      if (
        at === null ||
        said === "" ||
        at.closest(".skip, .unseen, .quiet-voice, .station-who, .station-brief") !== null
      )
        continue;
      if (!at.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const range = document.createRange();
      range.selectNode(text);
      const { left, right, width, height } = range.getBoundingClientRect();
      if (width < 2 || height < 2) continue;
      const room = at.closest("svg.map")?.closest("tracer-lane")?.getBoundingClientRect();
      const [from, to] = [room?.left ?? 0, room?.right ?? innerWidth];
      const inside = at instanceof HTMLElement && getComputedStyle(at).overflowX !== "visible";
      const over = inside && at.scrollWidth > at.clientWidth + 1;
      if (left < from - 1 || right > to + 1 || over) cut.push(said);
    }
    return cut;
  });
}

for (const { name, item, theme, width, height } of looks) {
  test(`the page looks finished: ${name}`, async ({ demo, dash }) => {
    await dash.setViewportSize({ width, height });
    if (theme !== "light") await choose(dash, theme);
    await demo.action("create", { namespace: "default", name: item, replicas: "3" });
    await expect.poll(() => creating(demo, `default/${item}`)).toBeDefined();
    const run = await creating(demo, `default/${item}`);
    await pick(dash, run?.key ?? "");
    await expect(dash.locator("#details")).toContainText("create 3 Pods");
    await stepTo(dash, run, "apply");
    await expect(dash.locator("#details .fall-name.is-step").first()).toHaveText("apply");
    await dash.screenshot({ path: pictureAt(`${name}.png`) });

    const wide = await dash.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(wide, "the page must not scroll sideways").toBeLessThanOrEqual(0);
    expect(await cutTexts(dash), "no text is cut off").toEqual([]);
    await demo.action("delete", { namespace: "default", name: item });
  });
}

/**
 * Lets the writes of an item fail until it has failed so often, and waits till the picture shows how it waits. Answers
 * the fault, which stands: a write that goes well would bring the item back at once.
 */
async function backsOff(demo: Demo, dash: Page, name: string, times: number): Promise<string> {
  const fault = { command: "fault", fault: "500", controller: "podset", item: `default/${name}`, count: 1000 };
  const { id } = JSON.parse(await demo.command(fault)) as { id: string };
  await demo.action("create", { namespace: "default", name, replicas: "2" });
  const failed = async (): Promise<number> =>
    (await demo.reconciles(`default/${name}`)).filter(({ result }) => result === "error").length;
  await expect.poll(failed, { timeout: 40_000 }).toBeGreaterThanOrEqual(times);
  await expect(dash.locator('[data-station="waiting"]')).toContainText(name);
  for (const phase of ["apply", "requeue"])
    await expect(dash.locator(`[data-station="${phase}"] .station-who`)).toHaveText("–");
  // It waits for long enough that all else happens meanwhile.
  const left = async (): Promise<number> => {
    const said = await dash.locator('[data-station="waiting"] .station-who').textContent();
    return Number(/([\d.]+) s\)/.exec(said ?? "")?.[1] ?? 0);
  };
  await expect.poll(left, { timeout: 40_000 }).toBeGreaterThan(4);
  return id;
}

/** Of the moments from the cart's nth reconcile on, the one at which most is on its way: in phases, and back from writes. */
async function busiest(dash: Page, from: number, nth: number): Promise<string> {
  let best = { busy: 0, link: "" };
  for (let after = 300_000; after < 2_300_000; after += 80_000) {
    const link = `#at=${String(Math.round(from) + after)}&sel=default/cart@${String(nth)}`;
    const said = (await dash.locator("#transport").textContent()) ?? "";
    await dash.evaluate((hash) => (location.hash = hash), link);
    await expect(dash.locator("#transport")).not.toHaveText(said);
    const where = (id: string): Promise<string | null> =>
      dash.locator(`[data-station="${id}"] .station-who`).textContent();
    const own = Number(/(\d+) own writes? behind/.exec((await where("cache")) ?? "")?.[1] ?? 0);
    const phases = await dash.locator(".station.is-lit").count();
    const waits = (await where("waiting"))?.includes("mail") === true ? 1 : 0;
    const busy = own * phases * waits * ((await where("apply")) === "–" ? 1 : 3);
    if (busy > best.busy) best = { busy, link };
  }
  return best.link;
}

test("the whole loop at work: items in their phases, own writes on their way back, and a back-off that counts down", async ({
  demo,
  dash,
}) => {
  test.setTimeout(120_000);
  const id = await backsOff(demo, dash, "mail", 12);
  const names = ["cart", "api", "blog"];
  // Other tests may have had some of these names.
  const before = await demo.reconciles("default/cart");
  const began = Date.now() * 1000;
  for (const name of names) await demo.action("create", { namespace: "default", name, replicas: "2" });
  const ready = async (): Promise<boolean> => (await creating(demo, "default/blog", began)) !== undefined;
  await expect.poll(ready).toBe(true);
  const runs = (await demo.reconciles("default/cart")).sort((a, b) => a.from - b.from);
  await dash.keyboard.press(".");
  const link = await busiest(dash, runs[before.length]?.from ?? 0, before.length + 1);
  await dash.evaluate((hash) => (location.hash = hash), link);
  await expect(dash.locator('[data-station="waiting"]')).toContainText("mail");
  await expect(dash.locator("#details")).toContainText("create 2 Pods");
  await demo.command({ command: "lift", controller: "podset", id });
  await expect(dash.locator("#control")).toBeHidden();
  await dash.screenshot({ path: pictureAt("loop.png") });
  for (const name of [...names, "mail"]) await demo.action("delete", { namespace: "default", name });
});

for (const [theme, width] of [
  ["light", 1280],
  ["dark", 1280],
  ["contrast", 1280],
  ["projector", 1280],
  ["light", 390],
  ["projector", 390],
] as const) {
  test(`axe finds nothing in ${theme}, ${String(width)} px wide`, async ({ dash }) => {
    await dash.setViewportSize({ width, height: 720 });
    await choose(dash, theme);
    await dash.getByRole("button", { name: "Try it" }).click();
    const { violations } = await new AxeBuilder({ page: dash }).analyze();
    expect(violations.map(({ id, nodes }) => ({ id, at: nodes.map((node) => node.target) }))).toEqual([]);
  });
}

test("without a login: the page says how to log in", async ({ browser, demo }) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const answer = await page.goto(demo.origin);
  expect(answer?.status()).toBe(401);
  await expect(page.locator("main")).toContainText(/log ?in/i);
  await context.close();
});

test("the page reports no error and breaks no rule of its own security policy", async ({ demo, page }) => {
  const said: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") said.push(message.text());
  });
  page.on("pageerror", (error) => said.push(error.message));
  await page.goto(demo.login);
  await expect(page.locator("#status")).toContainText("1 controller");
  await page.getByRole("button", { name: "Try it" }).click();
  await page.getByRole("button", { name: "Five edits at once" }).click();
  await expect(page.locator('#tryit [data-part="said"]')).toContainText(/edit/i);
  // A pattern that the browser cannot read is told only once something stands in the field.
  await page.locator('#tryit [data-part="name"]').fill("shop-1");
  expect(
    await page.locator('#tryit [data-part="name"]').evaluate((input: HTMLInputElement) => input.validity.valid),
  ).toBe(true);
  await page.locator('#tryit [data-part="name"]').fill("Shop");
  expect(
    await page.locator('#tryit [data-part="name"]').evaluate((input: HTMLInputElement) => input.validity.valid),
  ).toBe(false);
  expect(said).toEqual([]);
});
