import { expect, test } from "./demo.ts";
import { multiply } from "./lanes.ts";

// Recording a trace reads the whole page after every step, which takes longer than what is measured here.
test.use({ trace: "off" });

test("sixty controllers do not make the page stall", async ({ demo, page }) => {
  await multiply(
    page,
    Array.from({ length: 59 }, (_, i) => `set-${String(i).padStart(2, "0")}`),
  );
  await page.addInitScript(() => {
    const seen = { longest: 0, last: 0, painted: 0 };
    Object.assign(window, { seen });
    const frame = (now: number): void => {
      // From the first lanes on: before, it is the browser that loads.
      if (document.querySelectorAll("tracer-lane").length > 1) {
        seen.painted++;
        seen.longest = Math.max(seen.longest, now - seen.last);
      }
      seen.last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  await page.goto(demo.login);
  await expect(page.locator("tracer-lane")).toHaveCount(60);
  const frames = (): Promise<{ longest: number; painted: number }> =>
    page.evaluate(() => (window as unknown as { seen: { longest: number; painted: number } }).seen);
  await demo.action("create", { namespace: "default", name: "many", replicas: "3" });
  await expect.poll(async () => (await frames()).painted).toBeGreaterThan(60);
  expect((await frames()).longest, "the longest frame, in ms").toBeLessThan(1000);
  const last = page.locator("tracer-lane").last();
  await last.scrollIntoViewIfNeeded();
  await expect(last.locator('[data-part="about"]')).toContainText("PodSet");
  await demo.action("delete", { namespace: "default", name: "many" });
});
