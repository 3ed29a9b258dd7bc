import { readFile } from "node:fs/promises";

import { type Page, expect, test as base } from "@playwright/test";

import { stopLit } from "./common.ts";
import { Hub } from "./hub.ts";

const test = base.extend<{ dash: Page }>({
  dash: async ({ page }, use) => {
    const hub = await Hub.serve();
    await page.goto(hub.login);
    await page.locator("#menu:not([hidden])").waitFor();
    const sending = hub.send(12, 6, "-errors", "0.2", "-items", "6");
    await expect(page.locator('[data-part="reconciles"]')).not.toHaveText("0");
    await use(page);
    await sending;
    await hub.stop();
  },
});

async function saved(page: Page, press: () => Promise<void>): Promise<{ name: string; data: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent("download"), press()]);
  return { name: download.suggestedFilename(), data: await readFile(await download.path()) };
}

/** What a saved SVG is, as a browser reads it. */
function look(
  page: Page,
  text: string,
): Promise<{
  broken: boolean;
  scripts: number;
  refers: string[];
  boxes: string[];
  tokens: number;
  drawn: number;
  words: string;
}> {
  return page.evaluate((source) => {
    const parsed = new DOMParser().parseFromString(source, "image/svg+xml");
    const all = [...parsed.querySelectorAll("*")];
    const outside = /^(?!data:|http:\/\/www\.w3\.org\/)(?:[a-z]+:)?\/\/|url\((?!data:)/i;
    const values = all.flatMap((one) => [...one.attributes].map(({ value }) => value));
    const styles = [...parsed.querySelectorAll("style")].map((one) => one.textContent);
    return {
      broken: parsed.querySelector("parsererror") !== null,
      scripts: all.filter(
        (one) => one.localName === "script" || [...one.attributes].some((a) => /^on|href/.test(a.name)),
      ).length,
      refers: [...values, ...styles].filter((value) => outside.test(value)).map((value) => value.slice(0, 80)),
      boxes: [...parsed.querySelectorAll("[data-node]")].map((one) => one.getAttribute("data-node") ?? ""),
      tokens: Number(parsed.querySelector("[data-tokens]")?.getAttribute("data-tokens")),
      drawn: parsed.querySelectorAll("[data-token] > :is(circle, polygon)").length,
      words: parsed.documentElement.textContent,
    };
  }, text);
}

test("the picture of what is seen is an SVG that stands by itself: the map, its tokens, the letters", async ({
  dash,
}) => {
  // A moment at which something is under way, and stays.
  await stopLit(dash, 2);
  const { name, data } = await saved(dash, () => dash.keyboard.press("s"));
  expect(name).toMatch(/^tracer-load-1-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.svg$/);
  // In a page without the hub's policy, which lets no text become a document.
  const blank = await dash.context().newPage();
  const found = await look(blank, data.toString());
  expect(found).toMatchObject({ broken: false, scripts: 0, refers: [] });
  expect(found.boxes).toEqual(expect.arrayContaining(["queue", "fetch", "apply", "api", "cache", "done"]));
  expect(found.tokens).toBeGreaterThan(0);
  expect(found.drawn).toBeGreaterThanOrEqual(found.tokens);
  expect(found.words).toContain("load-1");
  expect(found.words).toContain("paused");
  expect(found.words).toContain("Informer cache");
  await expect(dash.locator("#notice")).toContainText(`Saved ${name}`);
});

test("live, the same comes as a PNG of twice its size, with the colours of the theme", async ({ dash }) => {
  await dash.locator("#menu summary").click();
  await dash.locator('[data-theme-choice="dark"]').click();
  await dash.locator("#menu summary").click();
  const { name, data } = await saved(dash, () => dash.locator('[data-save="png"]').click());
  expect(name).toMatch(/\.png$/);
  expect(data.subarray(1, 4).toString()).toBe("PNG");
  const seen = await dash.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    const c = canvas.getContext("2d");
    c?.drawImage(image, 0, 0);
    const pixels = c?.getImageData(0, 0, image.width, image.height).data ?? [];
    const colours = new Set<string>();
    for (let i = 0; i < pixels.length; i += 4 * 97) colours.add([pixels[i], pixels[i + 1], pixels[i + 2]].join());
    return { width: image.width, paper: [pixels[0], pixels[1], pixels[2]].join(), colours: colours.size };
  }, data.toString("base64"));
  expect(seen.width).toBe(2400);
  expect(seen.paper).toBe("14,17,20");
  expect(seen.colours).toBeGreaterThan(8);
});
