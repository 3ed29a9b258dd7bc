import type { JSHandle, Page } from "@playwright/test";

import { pods } from "./cluster.ts";
import { pick } from "./common.ts";
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

/**
 * Plays at a quarter of the speed as soon as Try it has said that, which leads back to live: a slow page too draws each
 * station. Notes where passes of an item are drawn from then on, lit, but for reconciles that are old.
 */
function slowed(dash: Page, said: string, item: string, old: string[]): Promise<JSHandle<string[]>> {
  return dash.evaluateHandle(
    ([words, own, known]) => {
      interface Token {
        readonly kind: string;
        readonly item: string;
        readonly reconcile: string;
        readonly node?: string;
      }
      const lane = document.querySelector("tracer-lane") as unknown as { drawing(): { tokens?: { tokens: Token[] } } };
      const places: string[] = [];
      const look = (): void => {
        for (const { kind, item: of, reconcile, node = "" } of lane.drawing().tokens?.tokens ?? []) {
          const lit = document.querySelector(`[data-node="${node}"].is-lit`) !== null;
          if (lit && kind === "pass" && of === own && !known.includes(reconcile) && places.at(-1) !== node)
            places.push(node);
        }
        requestAnimationFrame(look);
      };
      const answer = document.querySelector('#tryit [data-part="said"]') as Element;
      new MutationObserver((_, observer) => {
        if (!answer.textContent.includes(words)) return;
        observer.disconnect();
        for (let i = 0; i < 2; i++)
          document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "[", bubbles: true }));
        look();
      }).observe(answer, { childList: true, subtree: true });
      return places;
    },
    [said, item, old] as const,
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

  const old = (await demo.reconciles("default/web")).map(({ key }) => key);
  const places = await slowed(dash, "from 3 to 5", "default/web", old);
  await dash.getByRole("button", { name: "Scale", exact: true }).click();
  await expect(dash.getByText("from 3 to 5")).toBeVisible();
  await expect(dash.locator("#transport")).toContainText("1/4 speed");
  // So slow, the first of its passes takes its time.
  const passed = (): Promise<string[]> => places.evaluate((all) => all.slice(0, 5));
  const loop = ["dequeue", "fetch", "compute", "apply", "requeue"];
  await expect.poll(passed, { timeout: 40_000 }).toEqual(loop);

  // Other tests may have had it make two before.
  const fresh = async (): ReturnType<typeof planned> =>
    (await planned(demo, "default/web", "create 2 Pods")).filter(({ key }) => !old.includes(key));
  await expect.poll(async () => (await fresh()).length).toBe(1);
  await expect.poll(() => pods(demo.data, "default", "web")).toHaveLength(5);
  const [run] = await fresh();
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
