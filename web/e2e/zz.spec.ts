import { expect, test } from "./demo.ts";
const out = "/tmp/classroom-shots";
test("shots", async ({ demo, dash, browser }) => {
  test.setTimeout(180_000);
  const ctx = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const s = await ctx.newPage();
  await s.goto(demo.viewersLink);
  await expect(s.locator("#room")).toContainText("You follow");
  const shot = async (p: typeof s, name: string, w: number, h: number, theme: string) => {
    await p.setViewportSize({ width: w, height: h });
    await p.evaluate((t) => { document.documentElement.dataset["theme"] = t; }, theme);
    await p.waitForTimeout(400);
    await p.screenshot({ path: `${out}/${name}.png` });
  };
  await shot(s, "viewer-1280-light", 1280, 720, "light");
  await shot(s, "viewer-390", 390, 844, "light");
  await shot(s, "viewer-1920-projector", 1920, 1080, "projector");
  await s.setViewportSize({ width: 1280, height: 720 });
  await s.keyboard.press(".");
  await shot(s, "viewer-left-dark", 1280, 720, "dark");
  await shot(dash, "presenter-1280", 1280, 720, "light");
  await shot(dash, "presenter-projector-1280", 1280, 720, "projector");
  await dash.getByRole("button", { name: "Share" }).click();
  await shot(dash, "share-1280", 1280, 720, "light");
  await shot(dash, "share-1920-dark", 1920, 1080, "dark");
  await shot(dash, "share-projector", 1280, 720, "projector");
  await shot(dash, "share-390", 390, 844, "light");
});
