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

/** Waits until no node has been lit for a second: what went before has been played to its end. */
async function quiet(dash: Page): Promise<void> {
  await expect(dash.locator("#status")).toContainText("controller");
  await dash.evaluate(
    () =>
      new Promise<void>((done) => {
        let since = performance.now();
        let frames = 0; // a page that stands still for a second has not been looked at
        const look = (): void => {
          frames++;
          if (document.querySelector("[data-node].is-lit") !== null) [since, frames] = [performance.now(), 0];
          if (performance.now() - since > 1000 && frames > 20) done();
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
}

/** The stations of the loop in the order in which they light up from now on, until the last of them does. */
function stations(dash: Page, wanted: string[]): Promise<string[]> {
  return dash.evaluate(
    (names) =>
      new Promise<string[]>((done) => {
        const seen: string[] = [];
        const look = (): void => {
          for (const name of names) {
            const lit = document.querySelector(`[data-node="${name}"].is-lit`) !== null;
            if (lit && !seen.includes(name)) seen.push(name);
          }
          if (seen.length === names.length) done(seen);
          else requestAnimationFrame(look);
        };
        look();
      }),
    wanted,
  );
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
  await quiet(dash);
  await slowly(dash);
  const seen = stations(dash, ["dequeue", "fetch", "compute", "apply", "requeue"]);
  await dash.getByRole("button", { name: "Scale", exact: true }).click();
  await expect(dash.getByText("from 3 to 5")).toBeVisible();
  expect(await seen).toEqual(["dequeue", "fetch", "compute", "apply", "requeue"]);
  await dash.keyboard.press("End");

  await expect.poll(async () => (await fresh()).length).toBe(1);
  expect(await pods(demo.data, "default", "web")).toHaveLength(5);
  const [run] = await fresh();
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
