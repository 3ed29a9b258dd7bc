import { expect, test } from "./demo.ts";

test("with reduced motion tokens are seen at their stations only, and the text twin says where items are", async ({
  demo,
  page,
}) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(demo.login);
  await expect(page.locator("#transport")).toContainText("following");
  const seen = page.evaluate(
    () =>
      new Promise<string>((done) => {
        const twin = document.querySelector(".twin");
        const look = (): void => {
          const row = twin?.querySelector('[data-station="apply"].is-lit');
          if (row?.textContent.includes("still") === true) done(row.textContent);
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
  await demo.action("create", { namespace: "default", name: "still", replicas: "2" });
  expect(await seen).toContain("Apply");
  const moving = await page.evaluate(
    () => getComputedStyle(document.querySelector(".node .body") as Element).transition,
  );
  expect(moving).toMatch(/none|^all 0s|0s/);
  await demo.action("delete", { namespace: "default", name: "still" });
});

test("by the keyboard alone: act, pause, choose a reconcile, read why it ran, slow down, go back to live", async ({
  demo,
  dash,
}) => {
  await expect(dash.locator("#transport")).toContainText("following");
  const press = (key: string): Promise<void> => dash.keyboard.press(key);
  const focused = (): Promise<string> =>
    dash.evaluate(() => {
      const at = document.activeElement;
      return at?.getAttribute("aria-label") ?? at?.textContent.trim() ?? "";
    });
  const tabTo = async (label: string | RegExp, most = 60): Promise<void> => {
    for (let i = 0; i < most; i++) {
      await press("Tab");
      const name = await focused();
      if (typeof label === "string" ? name === label : label.test(name)) return;
    }
    throw new Error(`Tab does not come to ${String(label)}`);
  };

  await tabTo("Try it");
  await press("Enter");
  await tabTo("One more");
  await press("Enter");
  await tabTo("Scale");
  await press("Enter");
  await expect(dash.getByText(/from \d+ to \d+/)).toBeVisible();
  // The list goes on growing while the scale is worked off: a row may move between Tab and Enter.
  await expect(async () => {
    await tabTo(/^web/);
    await press("Enter");
    await expect(dash.locator("#details")).toContainText("Why it ran", { timeout: 1_000 });
  }).toPass();
  await press(".");
  await expect(dash.locator("#transport")).toContainText("paused");
  await press("Shift+ArrowLeft");
  await press("[");
  await expect(dash.locator("#transport")).toContainText("1/2 speed");
  await tabTo("Faster");
  await press("Enter");
  await expect(dash.locator("#transport")).toContainText("1× speed");
  await press("Escape");
  await expect(dash.locator("#details")).toContainText("Latest reconciles");
  await press("End");
  await expect(dash.locator("#transport")).toContainText("following");
  expect((await demo.reconciles("default/web")).length).toBeGreaterThan(0);
});

test("single keys can be switched off, and the list of keys has every one of them", async ({ dash }) => {
  await dash.keyboard.press("?");
  const list = dash.locator("#keys");
  for (const key of ["[", "]", "N", "C", "P"]) await expect(list.getByText(key, { exact: true })).toBeVisible();
  await list.getByLabel("Single keys work").uncheck();
  await dash.keyboard.press("Escape");
  await dash.keyboard.press("[");
  await dash.keyboard.press(".");
  await expect(dash.locator("#transport")).toContainText("following");
});
