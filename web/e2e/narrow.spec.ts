import { expect, test } from "./demo.ts";

test.use({ viewport: { width: 390, height: 844 } });

const strip = '[data-station="apply"]';

test("on a narrow page the loop stays in sight above a long reconcile", async ({ demo, dash }) => {
  await demo.action("create", { namespace: "default", name: "phone", replicas: "5" });
  const key = async (): Promise<string> => {
    const runs = await demo.reconciles("default/phone");
    return runs.find((run) => run.plan.some((action) => action.summary === "create 5 Pods"))?.key ?? "";
  };
  await expect.poll(key).not.toBe("");
  await dash.locator(`[data-go="${await key()}"]`).click();
  // The panel may be drawn anew meanwhile: a later reconcile changes "1 of 9".
  await expect(() => dash.locator(".copies").scrollIntoViewIfNeeded({ timeout: 500 })).toPass({ timeout: 5_000 });
  await expect(dash.locator(strip)).toBeInViewport();
  expect(await dash.evaluate(() => scrollY)).toBeGreaterThan(100);
  for (const name of ["Queue", "Dequeue", "Fetch", "Compute", "Apply", "Requeue?", "Done"]) {
    await expect(dash.locator(".twin").getByText(name, { exact: true })).toBeInViewport();
  }
  await demo.action("delete", { namespace: "default", name: "phone" });
});

test("on a narrow page the next reconcile begins at its head, and nothing scrolls sideways", async ({ dash }) => {
  await dash.locator("#details .run").last().click();
  await expect(dash.locator(".panel-title.is-item")).toBeInViewport();
  await dash.keyboard.press("[");
  await expect(dash.locator("#transport")).toContainText("1/2 speed");
  const wide = await dash.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(wide).toBeLessThanOrEqual(0);
});
