import type { Page } from "@playwright/test";

import { expect, open, test } from "./hub.ts";

/** The scripts that a page has asked for so far, and which of them came gzipped. */
function scriptsOf(page: Page): Map<string, string | undefined> {
  const came = new Map<string, string | undefined>();
  page.on("response", (response) => {
    const name = /\/static\/(\w+\.js)$/.exec(response.url())?.[1];
    if (name !== undefined) came.set(name, response.headers()["content-encoding"]);
  });
  return came;
}

test("what is seldom needed is loaded when it is needed, and travels gzipped", async ({ page, hub }) => {
  const scripts = scriptsOf(page);
  await open(page, hub);
  await expect(page.locator("#transport")).toContainText("following");
  expect([...scripts][0]).toEqual(["app.js", "gzip"]);
  await expect
    .poll(() => [...scripts])
    .toEqual([
      ["app.js", "gzip"],
      ["panels.js", "gzip"],
    ]);

  await page.getByRole("button", { name: "Share" }).click();
  await expect(page.locator("#share")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Try it" }).click();
  await expect(page.locator("#tryit")).toBeVisible();
  expect([...scripts.keys()]).toEqual(["app.js", "panels.js", "classroom.js"]);

  scripts.clear();
  await page.goto(`${hub.origin}/?recording=sample`);
  await expect(page.locator("tracer-lane")).toHaveCount(2);
  await expect.poll(() => [...scripts.keys()]).toEqual(["app.js", "panels.js"]);
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#map").press("s")]);
  expect(download.suggestedFilename()).toMatch(/\.svg$/);
  await page.locator("[data-panel=charts]").first().click();
  await expect(page.locator("#details .charts")).toBeVisible();
  expect([...scripts.keys()]).toEqual(["app.js", "panels.js", "picture.js"]);
});

test("a script that does not come is said, with what to do", async ({ page, hub }) => {
  await open(page, hub);
  await page.route("**/static/*.js", (route) => route.abort());
  await page.getByRole("button", { name: "Try it" }).click();
  await expect(page.locator("#notice")).toContainText("The hub did not send the script for classes");
  // Each press asks again.
  const again = page.waitForRequest("**/static/classroom.js");
  await page.getByRole("button", { name: "Try it" }).click();
  await again;
  await page.unroute("**/static/*.js");
  await page.getByRole("button", { name: "Try it" }).click();
  await expect(page.locator("#tryit")).toBeVisible();

  await page.route("**/static/classroom.js", (route) => route.abort());
  await page.reload();
  await page.locator("#keys-open:not([hidden])").waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Try it" }).click();
  await expect(page.locator("#notice")).toContainText("The hub did not send the script for classes");
  await page.unroute("**/static/classroom.js");
  await page.getByRole("button", { name: "Reload the page" }).click();
  await page.getByRole("button", { name: "Try it" }).click();
  await expect(page.locator("#tryit")).toBeVisible();

  await page.route("**/static/panels.js", (route) => route.abort());
  await page.goto(`${hub.origin}/?recording=sample`);
  await expect(page.locator("tracer-lane")).toHaveCount(2);
  await page.locator("[data-panel=charts]").first().click();
  await expect(page.locator("#details")).toContainText("The hub did not send this view. Reload the page.");
  await page.unroute("**/static/panels.js");
  await page.locator("[data-panel=charts]").first().click();
  await expect(page.locator("#details .charts")).toBeVisible();
});

test("the view of a reconcile says that its script is on its way, and comes with it", async ({
  page,
  hub,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  let send: () => void = () => undefined;
  const asked = new Promise<void>((done) => (send = done));
  await page.route("**/static/panels.js", async (route) => {
    await asked;
    await route.continue();
  });
  await open(page, hub);
  await page.goto(`${hub.origin}/?recording=sample`);
  await page.locator("#details [data-go]").first().click();
  await expect(page.locator("#details")).toContainText("Loading …");
  send();
  await expect(page.locator("#details")).toContainText("Spec, observed, written");
  // Its words are broken at their parts alone.
  const broken = await page.locator("#details .diff").evaluateAll((tables) =>
    tables.flatMap((table) => {
      const texts = document.createTreeWalker(table, NodeFilter.SHOW_TEXT);
      const all: string[] = [];
      for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
        const range = document.createRange();
        range.selectNodeContents(text);
        if (/^\S+$/.test(text.textContent ?? "") && range.getClientRects().length > 1) all.push(text.textContent ?? "");
      }
      return all;
    }),
  );
  expect(broken).toEqual([]);
  await page.getByRole("button", { name: "Copy as issue" }).click();
  await expect(page.getByRole("button", { name: "Copied" })).toBeVisible();
});
