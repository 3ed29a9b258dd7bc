import { type Page, expect } from "@playwright/test";

/** How a page is looked at: a name, the size of the window, the theme. */
export const looks = [
  ["light", 1280, 720, "light"],
  ["dark", 1280, 720, "dark"],
  ["projector", 1920, 1080, "projector"],
  ["narrow", 390, 844, "light"],
] as const;

/**
 * Turns the pages of a lesson until it shows that, each time it has waited patience ms for it. While a beat that is live
 * acts or waits, what comes of it is waited for: a press might reach the hub just after, and turn that page unseen.
 */
export async function turnTo(page: Page, shown: string, patience = 1_500): Promise<void> {
  const wanted = page.locator("#lesson").locator(shown);
  const busy = page.locator("body:not(:has(#recorded)) #lesson:is([data-state=acting], [data-state=waiting])");
  await expect(async () => {
    const waits = (await busy.count()) > 0;
    if (await wanted.isVisible()) return;
    if (!waits) await page.keyboard.press("PageDown");
    await expect(wanted).toBeVisible({ timeout: patience });
  }).toPass({ timeout: 90_000, intervals: [50] });
}

/** The link to the moment shown, as its key copies it; without the clipboard, which a page may not be allowed. */
export async function copiedLink(page: Page): Promise<string> {
  await page.evaluate(() => {
    const writeText = (text: string): Promise<void> => {
      document.body.dataset["copied"] = text;
      return Promise.resolve();
    };
    Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
  });
  await page.keyboard.press("c");
  return (await page.locator("body").getAttribute("data-copied")) ?? "";
}

/**
 * Chooses a reconcile in the panel's list, which is gone through to older ones until it is there: others' reconciles fill
 * its first 60 rows.
 */
export async function pick(page: Page, key: string): Promise<void> {
  const row = page.locator(`#details .run[data-go="${key}"]`);
  const older = page.getByRole("button", { name: "Older …" });
  await expect(async () => {
    if (!(await row.isVisible()) && (await older.isVisible())) {
      await older.click({ timeout: 2000 });
      // As long as the focus is in the list, what is new waits.
      await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    }
    await row.click({ timeout: 1000 });
  }).toPass();
  await expect(page.locator("#details .panel-title.is-item")).toBeVisible();
}

/** Stops the picture after a reconcile that is over: the first step leads to its beginning. */
export async function stopAfter(page: Page, run: { readonly to: number } | undefined): Promise<void> {
  // The picture is a quarter of a second behind.
  await expect.poll(() => Date.now() * 1000 - (run?.to ?? Infinity)).toBeGreaterThan(500_000);
  await page.keyboard.press(".");
  await expect(page.locator("#transport")).toContainText("paused");
}

/** Stops, and steps through a reconcile that is selected and over, up to a phase. */
export async function stepTo(
  page: Page,
  run: { readonly to: number; readonly phases: readonly { readonly name: string }[] } | undefined,
  phase: string,
): Promise<void> {
  await stopAfter(page, run);
  const at = run?.phases.findIndex(({ name }) => name === phase) ?? -1;
  expect(at, `a reconcile in ${phase}`).toBeGreaterThanOrEqual(0);
  for (let i = 0; i <= at; i++) await page.keyboard.press("ArrowRight");
}

/** Stops the picture at a moment at which so many boxes are lit. */
export async function stopLit(page: Page, boxes: number): Promise<void> {
  await expect(async () => {
    await page.keyboard.press("End");
    await page.waitForFunction((n) => document.querySelectorAll(".node.is-lit").length >= n, boxes);
    await page.keyboard.press(".");
    await expect(page.locator("#transport")).toContainText("paused");
    expect(await page.locator(".node.is-lit").count()).toBeGreaterThanOrEqual(1);
  }).toPass();
}

/** Plays what is live at a tenth of its speed: a slow page too draws where each token stays. */
export async function slowly(page: Page): Promise<void> {
  for (let i = 0; i < 3; i++) await page.keyboard.press("[");
  await expect(page.locator('#transport [data-part="speed"]')).toHaveText("1/10");
}
