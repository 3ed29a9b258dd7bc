import { choose, expect, test } from "./demo.ts";
import { multiply } from "./lanes.ts";

test("Try it asks for no more than is allowed, folds for a reconcile, and Esc closes it", async ({ demo, dash }) => {
  await demo.action("scale", { namespace: "default", name: "web", replicas: "3" });
  await dash.getByRole("button", { name: "Try it" }).click();
  const panel = dash.locator("#tryit");
  const more = panel.getByRole("button", { name: "One more" });
  await panel.locator('[data-part="item"]').selectOption("default/web");
  // A reconcile that comes in between sets the number to what the PodSet has.
  await expect(async () => {
    while (await more.isEnabled()) await more.click({ timeout: 1000 });
    await expect(panel.locator('[data-part="replicas"]')).toHaveText("20", { timeout: 200 });
  }).toPass();
  await expect(more).toBeDisabled();

  await dash.screenshot({ path: test.info().outputPath("open.png") });
  await dash.locator(".run").first().click();
  await expect(dash.locator("#details")).toContainText("Why it ran");
  await expect(panel.locator("fieldset")).toBeHidden();
  await dash.screenshot({ path: test.info().outputPath("folded.png") });
  await panel.getByRole("button", { name: "Show" }).click();
  await expect(panel.locator("fieldset")).toBeVisible();
  await panel.locator('[data-part="name"]').press("Escape");
  await expect(panel).toBeHidden();
  await expect(dash.locator("#details")).toContainText("Why it ran");
  await dash.keyboard.press("Escape");
  await expect(dash.locator("#details")).toContainText("Latest reconciles");
});

test("an action and a choice bring their lane into sight", async ({ demo, page }) => {
  await multiply(page, ["another"]);
  await page.goto(demo.login);
  await choose(page, "projector");
  const [first, last] = [page.locator('[data-lane="another"]'), page.locator('[data-lane="podset"]')];
  await expect(page.locator("tracer-lane")).toHaveCount(2);
  const below = (await page.locator("tracer-lane").last().getAttribute("data-lane")) === "podset" ? last : first;
  const name = (await below.getAttribute("data-lane")) ?? "";
  await expect(below).not.toBeInViewport({ ratio: 0.5 });
  await page.locator(".run", { hasText: name }).first().click();
  await expect(below).toBeInViewport({ ratio: 0.9 });
});

test("one row of the list is in the order of Tab, the arrow keys go through the others", async ({ dash }) => {
  await expect(dash.locator(".run").nth(1)).toBeVisible();
  await expect(dash.locator('.run[tabindex="0"]')).toHaveCount(1);
  await dash.locator('.run[tabindex="0"]').focus();
  await dash.keyboard.press("ArrowDown");
  await expect(dash.locator(".run").nth(1)).toBeFocused();
  await expect(dash.locator('.run[tabindex="0"]')).toHaveCount(1);
});
