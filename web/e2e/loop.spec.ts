import type { Page } from "@playwright/test";

import { pods } from "./cluster.ts";
import { pick, slowly } from "./common.ts";
import { type Demo, expect, test } from "./demo.ts";

/** The reconciles of the item with an action of the plan, oldest first. */
async function planned(demo: Demo, item: string, summary: string): Promise<Awaited<ReturnType<Demo["reconciles"]>>> {
  const all = await demo.reconciles(item);
  return all.filter((run) => run.plan.some((action) => action.summary === summary));
}

/** Waits until the item has that many Pods and is not reconciled any more. */
async function settled(demo: Demo, item: string, replicas: number): Promise<void> {
  const [namespace = "", name = ""] = item.split("/");
  await expect.poll(async () => (await pods(demo.data, namespace, name)).length).toBe(replicas);
  let last = -1;
  await expect
    .poll(
      async () => {
        const before = last;
        const all = await demo.reconciles(item);
        last = all.length;
        return last === before && all.every((run) => run.to > 0);
      },
      { intervals: [700] },
    )
    .toBe(true);
}

/** Notes from now on at which stations, lit, each reconcile is drawn; gives what there is of one, in the order of time. */
async function stations(dash: Page): Promise<(reconcile: string) => Promise<string[] | undefined>> {
  const seen = await dash.evaluateHandle(() => {
    interface Lane {
      drawing(): { tokens?: { tokens: readonly { kind: string; reconcile: string; node?: string }[] } };
    }
    const lane = document.querySelector("tracer-lane") as unknown as Lane;
    const places: Record<string, string[]> = {};
    const look = (): void => {
      for (const { kind, reconcile, node } of lane.drawing().tokens?.tokens ?? []) {
        if (kind !== "pass" || document.querySelector(`[data-node="${node ?? ""}"].is-lit`) === null) continue;
        const all = (places[reconcile] ??= []);
        if (node !== undefined && all.at(-1) !== node) all.push(node);
      }
      requestAnimationFrame(look);
    };
    look();
    return places;
  });
  return (reconcile) => seen.evaluate((places, key) => places[key], reconcile);
}

test("a scale in the page goes round the loop and makes Pods in the API server", async ({ demo, dash }) => {
  await demo.action("scale", { namespace: "default", name: "web", replicas: "3" });
  await settled(demo, "default/web", 3);
  await dash.getByRole("button", { name: "Try it" }).click();
  await dash.locator('#tryit [data-part="item"]').selectOption("default/web");
  // One more than there are is offered already.
  await expect(dash.locator('#tryit [data-part="replicas"]')).toHaveText("4");
  await dash.getByRole("button", { name: "One more" }).click();

  // Other tests may have had it make two before.
  const before = (await planned(demo, "default/web", "create 2 Pods")).map(({ key }) => key);
  const fresh = async (): ReturnType<typeof planned> =>
    (await planned(demo, "default/web", "create 2 Pods")).filter(({ key }) => !before.includes(key));
  await slowly(dash);
  const seen = await stations(dash);
  await dash.getByRole("button", { name: "Scale", exact: true }).click();
  await expect(dash.getByText("from 3 to 5")).toBeVisible();
  await expect.poll(async () => (await fresh()).length).toBe(1);
  await expect.poll(() => pods(demo.data, "default", "web")).toHaveLength(5);
  const [run] = await fresh();
  // It takes ten times as long as it is drawn live.
  const phases = ["dequeue", "fetch", "compute", "apply", "requeue"];
  const passed = async (): Promise<string[]> =>
    ((await seen(run?.key ?? "")) ?? []).filter((node) => phases.includes(node));
  await expect.poll(passed, { timeout: 40_000 }).toEqual(phases);

  await dash.keyboard.press("End");
  await dash.getByRole("button", { name: "Close" }).first().click();
  await pick(dash, run?.key ?? "");
  const panel = dash.locator("#details");
  await expect(panel).toContainText("create 2 Pods");
  await expect(panel).toContainText("201");
});

test("the writes come back as own writes, linked to the reconcile that made them", async ({ demo, dash }) => {
  const item = "default/shop";
  await demo.action("create", { namespace: "default", name: "shop", replicas: "1" });
  await settled(demo, item, 1);
  await demo.action("scale", { namespace: "default", name: "shop", replicas: "3" });
  await settled(demo, item, 3);
  const [scale] = await planned(demo, item, "create 2 Pods");
  const created = scale?.writes.filter((write) => write.resource === "pods") ?? [];
  expect(created.map((write) => write.status)).toEqual([201, 201]);
  expect(scale?.failedWrites).toBe(0);
  const all = await demo.reconciles(item);
  const caused = all.filter((run) => run.causes.some((cause) => cause.write?.reconcile === scale?.key));
  expect(caused.length).toBeGreaterThan(0);
  for (const run of caused) {
    const own = run.causes.filter((cause) => cause.write?.reconcile === scale?.key);
    expect(own.every((cause) => cause.by === "self")).toBe(true);
  }
  const effect = caused[0]?.key ?? "";
  await pick(dash, effect);
  const link = dash.locator("#details [data-go]").filter({ hasText: "reconcile" }).first();
  await link.click();
  await expect(dash.locator("#details")).toContainText("create 2 Pods");
});

test("pausing freezes the picture and keeps receiving", async ({ demo, dash }) => {
  await expect(dash.locator("#transport")).toContainText("following");
  await dash.keyboard.press(".");
  await expect(dash.locator("#transport")).toContainText("paused");
  await demo.action("create", { namespace: "default", name: "mail", replicas: "2" });
  await expect(dash.locator("#transport")).toContainText(/[1-9]\d* new/);
  const before = await dash.locator('[data-part="where"]').textContent();
  await dash.keyboard.press("Shift+ArrowLeft");
  await expect(dash.locator('[data-part="where"]')).not.toHaveText(before ?? "");
  await dash.keyboard.press("End");
  await expect(dash.locator("#transport")).toContainText("following");
});

test("a conflicting write is answered 409 by the API server, and the page says so", async ({ dash }) => {
  await dash.getByRole("button", { name: "Try it" }).click();
  await dash.getByRole("button", { name: "Conflicting write" }).click();
  await expect(dash.locator('#tryit [data-part="said"]')).toContainText("409");
});

test("bad input in the page gets an answer that says what to do", async ({ dash }) => {
  await dash.getByRole("button", { name: "Try it" }).click();
  await dash.locator('input[name="name"]').fill("Not_A_Name");
  await dash.locator('form[data-part="create"]').evaluate((form: HTMLFormElement) => {
    form.noValidate = true;
    form.requestSubmit();
  });
  await expect(dash.locator('#tryit [data-part="said"]')).toContainText('name: "Not_A_Name"');
});
