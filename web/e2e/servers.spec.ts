import AxeBuilder from "@axe-core/playwright";

import { pick } from "./common.ts";
import { expect, test } from "./demo.ts";

test("under a write the page shows the API server, and etcd committing it", async ({ demo, dash }) => {
  await demo.action("create", { namespace: "default", name: "served", replicas: "2" });
  const creating = async () =>
    (await demo.reconciles("default/served")).find((run) =>
      run.plan.some((action) => action.summary === "create 2 Pods"),
    );
  await expect.poll(async () => (await creating())?.key).toBeDefined();
  const key = (await creating())?.key ?? "";

  await pick(dash, key);
  const panel = dash.locator("#details");
  const commits = panel.locator(".fall-name", { hasText: "etcd commit" });
  await expect(commits.first()).toBeVisible();
  await expect.poll(() => commits.count()).toBeGreaterThanOrEqual(2);
  await expect(panel.locator(".fall-value", { hasText: "✓" }).first()).toContainText("ms");
  const few = await panel.locator(".fall-name").count();

  const more = panel.getByRole("button", { name: /^All \d+ server spans/ });
  await more.focus();
  await dash.keyboard.press("Enter");
  await expect(panel.locator(".fall-name", { hasText: "authorization" }).first()).toBeVisible();
  const less = panel.getByRole("button", { name: "Only the gist" });
  await expect(less).toBeFocused();
  expect((await new AxeBuilder({ page: dash }).include("#details").analyze()).violations).toEqual([]);

  await dash.keyboard.press("Enter");
  await expect(panel.locator(".fall-name")).toHaveCount(few);
  await demo.action("delete", { namespace: "default", name: "served" });
});
