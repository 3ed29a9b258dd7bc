import { slowly } from "./common.ts";
import { expect, test } from "./demo.ts";

test("with reduced motion tokens are seen at their stations only, and the text twin says where items are", async ({
  demo,
  page,
}) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(demo.login);
  await expect(page.locator("#transport")).toContainText("following");
  await slowly(page);
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
  expect(moving).toMatch(/^none/);
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
  // The list goes on growing while the scale is worked off: the row that has the focus stays where it is. On the map
  // web may stand in the queue for a moment too: that is no row.
  const rowOf = (): Promise<string | null> =>
    dash.evaluate(() =>
      document.activeElement?.matches(".run") === true ? document.activeElement.getAttribute("data-go") : null,
    );
  let row: string | null = null;
  while (row === null) {
    await tabTo(/^web/);
    row = await rowOf();
  }
  await press("Enter");
  await expect(dash.locator("#details")).toContainText("Why it ran");
  await press("Escape");
  await expect(dash.locator("#details")).toContainText("Latest reconciles");
  expect(await rowOf(), "back on its row").toBe(row);
  await press("Enter");
  await expect(dash.locator("#details")).toContainText("Why it ran");
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

test("while the focus is in the list nothing moves under it, and what is new waits behind a button", async ({
  demo,
  dash,
}) => {
  const row = dash.locator(".run").first();
  await row.focus();
  const key = await row.getAttribute("data-go");
  await demo.action("create", { namespace: "default", name: "fresh", replicas: "3" });
  const fresh = dash.getByRole("button", { name: /^\d+ new$/ });
  await expect(fresh).toBeVisible();
  await expect(row).toBeFocused();
  expect(await row.getAttribute("data-go")).toBe(key);
  await dash.keyboard.press("Shift+Tab");
  await expect(fresh).toBeFocused();
  await dash.keyboard.press("Enter");
  await expect(dash.locator(".run").first()).toBeFocused();
  await expect(dash.locator(".run", { hasText: "fresh" }).first()).toBeVisible();
  await demo.action("delete", { namespace: "default", name: "fresh" });
});

test("each key can be switched off, for good, and the list has every one of them", async ({ dash }) => {
  await dash.keyboard.press("?");
  const list = dash.locator("#keys");
  // It is a list of keys: they come first, and no switch is about to be pressed.
  await expect(list.getByRole("checkbox").and(dash.locator(":focus"))).toHaveCount(0);
  const [key, what, on] = await Promise.all(
    ["dd", "label", "input"].map((one) => list.locator(`dl > div ${one}`).first().boundingBox()),
  );
  expect((key?.x ?? 0) < (what?.x ?? 0) && (on?.x ?? 0) > (what?.x ?? 0)).toBe(true);
  const keys = ["Space", ".", "←", "Shift ←", "Home", "[", "]", "N", "/", "F", "+", "C", "P", "S", "Esc", "?"];
  for (const key of keys) await expect(list.getByText(key, { exact: true })).toBeVisible();
  await expect(list.getByRole("checkbox", { checked: true })).toHaveCount(await list.getByRole("checkbox").count());
  expect(await list.getByRole("checkbox").count()).toBeGreaterThan(keys.length - 2);
  await list.getByLabel("Slower, faster").uncheck();
  await list.getByLabel("Search").uncheck();
  await dash.reload();
  await dash.locator("#keys-open:not([hidden])").waitFor();
  await dash.keyboard.press("[");
  await dash.keyboard.press("/");
  await expect(dash.locator("#search input")).not.toBeFocused();
  await expect(dash.locator("#transport")).toContainText("following");
  await dash.keyboard.press(".");
  await expect(dash.locator("#transport")).toContainText("paused");
  await dash.keyboard.press("?");
  await list.getByLabel("All of these keys").uncheck();
  await dash.keyboard.press("Escape");
  await dash.keyboard.press(".");
  await dash.keyboard.press("?");
  await expect(list).toBeHidden();
  await expect(dash.locator("#transport")).toContainText("paused");
  await dash.locator("#keys-open").click();
  await list.getByLabel("All of these keys").check();
  await dash.keyboard.press("Escape");
  await dash.keyboard.press("End");
  await expect(dash.locator("#transport")).toContainText("following");
});
