import { type Locator, type Page, expect } from "@playwright/test";

/** Goes to what is to be pressed by Tab alone. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let i = 0; i < 200; i++) {
    if (await target.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${String(target)} does not come to the focus by Tab`);
}

export async function use(page: Page, target: Locator, key = "Enter"): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

export const named = (page: Page, name: string): Locator => page.getByRole("button", { name, exact: true });
