import { type Page, expect } from "@playwright/test";

/** How a page is looked at: a name, the size of the window, the theme. */
export const looks = [
  ["light", 1280, 720, "light"],
  ["dark", 1280, 720, "dark"],
  ["projector", 1920, 1080, "projector"],
  ["narrow", 390, 844, "light"],
] as const;

/**
 * Turns the pages of a lesson until it shows that, each time it has waited patience ms for it. What is still waited for
 * is not turned over: the hub says so.
 */
export async function turnTo(page: Page, shown: string, patience = 1_500): Promise<void> {
  const wanted = page.locator("#lesson").locator(shown);
  await expect(async () => {
    if (await wanted.isVisible()) return;
    await page.keyboard.press("PageDown");
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
