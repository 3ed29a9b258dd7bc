import type { Page } from "@playwright/test";

import { expect, test } from "./demo.ts";

/** Where what stands from the beginning is. */
async function places(page: Page): Promise<readonly unknown[]> {
  const all = [
    "#search",
    "#lessons-open",
    "#tryit-toggle",
    "#status",
    "#details .panel-title >> nth=0",
    "#panel .tab >> nth=2",
  ];
  return Promise.all(all.map(async (one) => [one, await page.locator(one).boundingBox()]));
}

test("what stands when the page opens stays where it is when the rows come", async ({ demo, page }) => {
  let go: () => void = () => undefined;
  const rows = new Promise<void>((done) => (go = done));
  await page.routeWebSocket(/\/api\/v1\/watch/, async (socket) => {
    await rows;
    socket.connectToServer();
  });
  await page.goto(demo.login);
  await page.locator("#keys-open:not([hidden])").waitFor();
  await expect(page.locator("#status")).toContainText("connecting");
  // What the hub has rendered is read until then, below the views that there will be.
  await expect(page.locator("#details tbody th").first()).toContainText("/");
  await expect(page.locator("#panel .tab:visible")).toHaveText(["Latest", "Queue", "Controllers"]);
  await page.screenshot({ path: test.info().outputPath("before.png") });
  const before = await places(page);
  go();
  await expect(page.locator(".run").first()).toBeVisible();
  await expect(page.locator("#control-toggle")).toBeVisible();
  await expect(page.locator("#status")).toContainText("1 controller");
  await page.screenshot({ path: test.info().outputPath("after.png") });
  expect(await places(page)).toEqual(before);
});
