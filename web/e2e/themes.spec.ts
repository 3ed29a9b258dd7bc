import AxeBuilder from "@axe-core/playwright";
import { type Page, expect, test as base } from "@playwright/test";

import { stopLit } from "./common.ts";
import { choose } from "./demo.ts";
import { Hub } from "./hub.ts";

const test = base.extend<{ dash: Page }>({
  dash: async ({ page }, use) => {
    const hub = await Hub.serve();
    await page.goto(hub.login);
    await page.locator("#menu:not([hidden])").waitFor();
    const sending = hub.send(6, 5, "-errors", "0.3", "-items", "6");
    await expect(page.locator('[data-part="reconciles"]')).not.toHaveText("0");
    await use(page);
    await sending;
    await hub.stop();
  },
});

/** The texts that one can see with less than so many CSS pixels; what an SVG makes smaller counts as it is seen. */
function smallTexts(page: Page, least: number): Promise<string[]> {
  return page.evaluate((limit) => {
    const small: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const at = text.parentElement;
      const said = text.textContent?.trim() ?? "";
      if (at === null || said === "" || !at.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
        continue;
      const range = document.createRange();
      range.selectNode(text);
      const { width, height } = range.getBoundingClientRect();
      // Text for screen readers alone is a pixel wide.
      if (at.closest(".skip, .quiet-voice, .twin") !== null || width < 2 || height < 2) continue;
      const scale = at.closest("svg")?.getScreenCTM()?.a ?? 1;
      const size = Number.parseFloat(getComputedStyle(at).fontSize) * scale;
      if (size < limit - 0.05) small.push(`${size.toFixed(1)} px: ${said.slice(0, 40)}`);
    }
    return small;
  }, least);
}

test("the projector's letters have 20 px at least, everywhere, and its edges 3", async ({ dash }) => {
  await choose(dash, "projector");
  expect(await smallTexts(dash, 20)).toEqual([]);
  await dash.getByRole("button", { name: "Try it" }).click();
  expect(await smallTexts(dash, 20)).toEqual([]);
  await dash.keyboard.press("Escape");
  await dash.locator("[data-go]").first().click();
  await expect(dash.locator("#details")).toContainText("Why it ran");
  expect(await smallTexts(dash, 20)).toEqual([]);
  await dash.locator("#menu summary").click();
  expect(await smallTexts(dash, 20)).toEqual([]);
  await dash.keyboard.press("Escape");
  await dash.keyboard.press("?");
  expect(await smallTexts(dash, 20)).toEqual([]);
  const edges = await dash
    .locator(".edge .line, .node > .body")
    .evaluateAll((lines) => lines.map((line) => Number.parseFloat(getComputedStyle(line).strokeWidth)));
  expect(Math.min(...edges)).toBeGreaterThanOrEqual(3);
});

/** WCAG's ratio of two colours. */
const ratio = `(a, b) => {
  const part = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number); return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b); };
  const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
}`;

test("in high contrast each colour stands at 7:1 on its ground, and who asks the system for contrast gets it", async ({
  dash,
}) => {
  const measure = (): Promise<Record<string, number>> =>
    dash.evaluate(`(() => {
      const ratio = ${ratio};
      const probe = document.body.appendChild(document.createElement("i"));
      const of = (name) => { probe.style.color = "var(" + name + ")"; return getComputedStyle(probe).color; };
      const names = ["--ink", "--quiet", "--line", "--rule", "--accent", "--ok", "--warn", "--error", "--own"];
      const found = Object.fromEntries(names.map((name) => [name, ratio(of(name), of("--surface"))]));
      probe.remove();
      return found;
    })()`);
  await choose(dash, "contrast");
  const chosen = await measure();
  for (const [name, value] of Object.entries(chosen)) expect(value, name).toBeGreaterThanOrEqual(7);
  await choose(dash, "auto");
  await dash.emulateMedia({ contrast: "more" });
  expect(await measure()).toEqual(chosen);
  const { violations } = await new AxeBuilder({ page: dash }).withTags(["wcag2a", "wcag2aa", "wcag22aa"]).analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
});

test("with forced colours the map keeps its lines, its lit boxes and its marks", async ({ dash }, info) => {
  await dash.emulateMedia({ forcedColors: "active" });
  const stroke = (selector: string): Promise<string> =>
    dash
      .locator(selector)
      .first()
      .evaluate((one) => getComputedStyle(one).stroke);
  const text = await dash.evaluate(() => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = "CanvasText";
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  });
  for (const selector of [".edge .line", '[data-node="queue"] > .body', ".done .tick"]) {
    await expect.poll(() => stroke(selector), selector).toBe(text);
  }
  await stopLit(dash, 1);
  await expect.poll(() => stroke(".node.is-lit > .body")).not.toBe(text);
  await dash.screenshot({ path: info.outputPath("forced-colors.png") });
});

test("what the colours say is told apart by eyes that lack one, and by shape", async ({ dash }, info) => {
  await choose(dash, "light");
  const shapes = await dash
    .locator(".legend svg")
    .evaluateAll((icons) => icons.map((icon) => icon.innerHTML.replaceAll(/class="[^"]*"/g, "")));
  expect(new Set(shapes).size).toBe(shapes.length);
  const cdp = await dash.context().newCDPSession(dash);
  for (const type of ["deuteranopia", "protanopia", "tritanopia"] as const) {
    await cdp.send("Emulation.setEmulatedVisionDeficiency", { type });
    await dash.screenshot({ path: info.outputPath(`${type}.png`) });
  }
});

test("on a phone the menu of looks fits, and a theme can be chosen by keys", async ({ dash }) => {
  await dash.setViewportSize({ width: 390, height: 844 });
  await dash.locator("#menu summary").focus();
  await dash.keyboard.press("Enter");
  const box = await dash.locator(".menu-body").boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
  for (const button of await dash.locator(".menu-body button").all()) {
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(24);
  }
  for (let i = 0; i < 4; i++) await dash.keyboard.press("Tab");
  await dash.keyboard.press("Enter");
  await expect(dash.locator("html")).toHaveAttribute("data-theme", "contrast");
  await expect(dash.locator("#menu")).not.toHaveAttribute("open");
});
