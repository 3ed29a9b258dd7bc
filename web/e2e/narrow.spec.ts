import { pick } from "./common.ts";
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
  await pick(dash, await key());
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

test("on a narrow page nothing moves when the line of news comes or goes", async ({ dash }) => {
  await dash.getByRole("button", { name: "Try it" }).click();
  const button = dash.getByRole("button", { name: "Delete a Pod" });
  await button.evaluate((it) => {
    it.scrollIntoView({ block: "center" });
  });
  const [notice, said] = [dash.locator("#notice"), dash.locator("#tryit .tryit-said")];
  const top = async (): Promise<number> => (await button.boundingBox())?.y ?? 0;
  const places: number[] = [];
  for (const shown of [false, true, false]) {
    await notice.evaluate((it, hidden) => it.toggleAttribute("hidden", hidden), !shown);
    places.push(await top());
  }
  expect(new Set(places).size).toBe(1);
  await dash.getByRole("button", { name: "Five edits at once" }).click();
  await expect(said).toContainText("five times");
  // The line stays long enough to be measured.
  const [above, below] = await dash.evaluate(() => {
    document.querySelector("#notice")?.removeAttribute("hidden");
    return ["#tryit .tryit-said", "#notice"].map((one) =>
      document.querySelector(one)?.getBoundingClientRect().toJSON(),
    );
  });
  expect(above.bottom).toBeLessThanOrEqual(below.top);
  await dash.screenshot({ path: test.info().outputPath("news.png") });
});

test("on a phone the tools stand in two rows, and the search has room when it is used", async ({ dash }) => {
  const middles = await dash.locator(".top .logo, .top .pill, .top .search, .top-tools > *").evaluateAll((all) =>
    all
      .filter((one) => one.checkVisibility())
      .map((one) => one.getBoundingClientRect())
      .map(({ top, height }) => top + height / 2)
      .sort((a, b) => a - b),
  );
  const rows = middles.filter((y, i) => i === 0 || y - (middles[i - 1] ?? 0) > 4);
  expect(rows.length).toBe(2);
  const search = dash.locator("#search");
  await search.getByRole("combobox").focus();
  expect((await search.boundingBox())?.width).toBeGreaterThan(300);
});

test("on a narrow page the stations are a loop: both ways back to the queue are drawn and named", async ({ dash }) => {
  const ways = await dash.locator(".stations").evaluate((list) => {
    const box = list.getBoundingClientRect();
    const middle = (station: string): number => {
      const one = list.querySelector(`[data-station="${station}"]`)?.getBoundingClientRect() ?? box;
      return Math.round(one.x + one.width / 2 - box.x);
    };
    const drawn = (of: Element, pseudo: string): readonly [string, number, number] => {
      const { content, left, right } = getComputedStyle(of, pseudo);
      return [content, Math.round(parseFloat(left)), Math.round(box.width - parseFloat(right))];
    };
    const waiting = list.querySelector('[data-station="waiting"]') ?? list;
    const wanted = { queue: middle("queue"), requeue: middle("requeue"), apply: middle("apply") };
    return { ...wanted, inner: drawn(waiting, "::before"), outer: drawn(list, "::after") };
  });
  expect(ways.inner).toEqual([expect.stringContaining("requeue"), ways.queue, ways.requeue]);
  expect(ways.outer).toEqual([expect.stringContaining("watch"), ways.queue, ways.apply]);
  await dash.locator(".twin").screenshot({ path: test.info().outputPath("loop.png") });
});
