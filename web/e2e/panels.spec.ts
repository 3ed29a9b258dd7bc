import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

import { pick } from "./common.ts";
import { type Demo, choose, expect, test } from "./demo.ts";

const tabs = (dash: Page, name: string | RegExp) => dash.locator(".tabs").getByRole("button", { name });

/** Nothing that axe knows is wrong with the panel, in no theme. */
async function accessible(dash: Page): Promise<void> {
  for (const theme of ["light", "dark", "projector"]) {
    await choose(dash, theme);
    const { violations } = await new AxeBuilder({ page: dash }).include("#panel").analyze();
    expect(violations.map(({ id, nodes }) => ({ id, theme, at: nodes.map((node) => node.target) }))).toEqual([]);
  }
  await choose(dash, "auto");
}

/** A PodSet that has gone round: made, scaled, settled. Gives the key of the reconcile that created Pods. */
async function worked(demo: Demo, name: string): Promise<string> {
  // Another test may have had one of that name.
  const others = new Set((await demo.reconciles(`default/${name}`)).map((run) => run.key));
  await demo.action("create", { namespace: "default", name, replicas: "2" });
  const made = async () =>
    (await demo.reconciles(`default/${name}`)).find(
      (run) => !others.has(run.key) && run.plan.some(({ summary }) => summary === "create 2 Pods"),
    );
  await expect.poll(async () => (await made())?.key).toBeDefined();
  let before = -1;
  await expect
    .poll(
      async () => {
        const all = await demo.reconciles(`default/${name}`);
        const same = all.length === before && all.every((run) => run.to > 0);
        before = all.length;
        return same;
      },
      { intervals: [500] },
    )
    .toBe(true);
  return (await made())?.key ?? "";
}

test.afterEach(async ({ demo }) => {
  for (const name of ["traced", "walked", "tried"])
    await demo.action("delete", { namespace: "default", name }).catch(() => "");
});

test("a reconcile leads to what it set off, and a cause back to the write behind it", async ({ demo, dash }) => {
  const key = await worked(demo, "traced");
  await pick(dash, key);
  const panel = dash.locator("#details");
  await expect(panel).toContainText("What it set off");
  await expect(panel.getByRole("columnheader", { name: "observed" }).first()).toBeVisible();
  await expect(panel.locator("summary", { hasText: "unchanged" })).toBeVisible();
  await panel.locator("summary", { hasText: "unchanged" }).click();
  await expect(panel.locator("details[open] tr").first()).toBeVisible();

  await tabs(dash, "Chain").click();
  await expect(panel.locator(".chain .is-here")).toContainText("default/traced");
  await expect(panel.locator(".chain")).toContainText("comes back to itself");
  // What stands above is not said again: each line is one line.
  const lines = panel.locator(".chain .chain-line:not(:first-child) .chain-said");
  await expect(panel.locator(".chain .tone-own .unseen").first()).toBeAttached();
  const tall = (): Promise<number[]> =>
    lines.evaluateAll((all) =>
      all
        .slice(2)
        .map((line) => line.getBoundingClientRect().height)
        .filter((px) => px > 34),
    );
  await expect.poll(tall).toEqual([]);
  await accessible(dash);
  // To a reconcile that one of the writes set off, and from its cause back to the write.
  await panel.locator(".chain .is-here ~ li [data-go]").first().click();
  await expect(panel.locator(".chain .is-here")).toBeVisible();
  await tabs(dash, "Reconcile").click();
  await panel.locator(".causes [data-write]").first().click();
  await expect(panel.locator(".fall-lit")).toBeVisible();
  await expect(panel).toContainText("create 2 Pods");
});

test("an item's journey is walked by keys, says each step, and shows nothing of what came later", async ({
  demo,
  dash,
}) => {
  await worked(demo, "walked");
  const runs = (await demo.reconciles("default/walked")).sort((a, b) => a.from - b.from);
  await pick(dash, runs.at(-1)?.key ?? "");
  await tabs(dash, "Item").focus();
  await dash.keyboard.press("Enter");
  const panel = dash.locator("#details");
  const axis = panel.getByRole("slider", { name: /Reconciles of the item/ });
  await axis.focus();
  await dash.keyboard.press("Home");
  await expect(axis).toBeFocused();
  await expect(axis).toHaveAttribute("aria-valuetext", /^reconcile 1 of \d+, add/);
  await dash.keyboard.press("ArrowRight");
  await expect(axis).toHaveAttribute("aria-valuetext", /^reconcile 2 of/);
  await expect(panel.locator(".around .is-here")).toContainText(/^ ?2:/);
  await expect(panel.locator(".step-line")).toHaveCount(2);
  await accessible(dash);

  // Paused at the second reconcile, the third has not happened yet.
  await dash.keyboard.press("Shift+ArrowRight");
  await dash.keyboard.press("Shift+ArrowLeft");
  await expect(dash.locator("#transport")).toContainText("paused");
  await axis.focus();
  await dash.keyboard.press("End");
  await expect(axis).toHaveAttribute("aria-valuetext", /^reconcile (\d+) of \1,/);
  expect(Number(await axis.getAttribute("aria-valuemax"))).toBeLessThan(runs.length);
});

test("queue: what an edit storm leaves waiting is listed with its age, live", async ({ demo, dash }) => {
  await tabs(dash, "Queue").click();
  const panel = dash.locator("#details");
  await expect(panel).toContainText("Queue of podset");
  await expect(panel.locator(".panel-sub")).toContainText(/\d+ ready · \d+ waiting · \d+ under way/);
  // A reconcile that conflicts goes to the waiting room for its back-off: seen there when time stands still.
  const waited = dash.evaluate(
    () =>
      new Promise<string>((done) => {
        const look = (): void => {
          const stay = document.querySelector("#details .stay")?.textContent ?? "";
          if (stay.includes("default/tried")) done(stay);
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
  let seen = "";
  void waited.then((stay) => (seen = stay));
  await demo.action("create", { namespace: "default", name: "tried", replicas: "3" });
  await expect(async () => {
    for (let n = 1; n < 20 && seen === ""; n++)
      await demo.action("scale", { namespace: "default", name: "tried", replicas: String(1 + (n % 5)) });
    expect(seen).toContain("default/tried");
  }).toPass({ timeout: 30_000 });
  await accessible(dash);
});

test("controllers: charts are read by keys and as a table, and a click goes to the moment", async ({ demo, dash }) => {
  await worked(demo, "tried");
  await tabs(dash, "Controllers").click();
  const chart = dash.getByRole("slider", { name: "podset over time" });
  await expect(chart.locator(".chart-bar").first()).toBeVisible();
  await expect(chart.locator('[data-band=""]')).toHaveText(/^\d\d:\d\d:\d\d – \d\d:\d\d:\d\d, of 2 min$/);
  // The line for the moment strikes through no word.
  const words = await chart.locator(".chart-name > *, .axis-ends").all();
  for (const line of await chart.locator(".chart-cursor").all()) {
    const { y = NaN, height = NaN } = (await line.boundingBox()) ?? {};
    for (const word of words) {
      const box = await word.boundingBox();
      expect(box === null || box.y >= y + height - 0.5 || box.y + box.height <= y + 0.5).toBe(true);
    }
  }
  await chart.focus();
  await dash.keyboard.press("ArrowLeft");
  const said = (await chart.getAttribute("aria-valuetext")) ?? "";
  expect(said).toMatch(/^\d\d:\d\d:\d\d: .* reconciles a second, \d+ errors?.*queue \d+/);
  await dash.keyboard.press("Home");
  await expect(chart).toHaveAttribute("aria-valuenow", "1");
  await expect(chart).toBeFocused();
  await dash.locator("#details summary", { hasText: "As a table" }).click();
  await expect(dash.locator("#details .passes tr + tr").first()).toBeVisible();
  await accessible(dash);
  await chart.locator(".chart-bar").first().click();
  await expect(dash.locator("#transport")).toContainText("paused");
  await dash.keyboard.press("End");
});

test("why nothing: a lane's head leads to the steps before its loop, and to what never came", async ({ dash }) => {
  const why = dash.locator("tracer-lane").getByRole("button", { name: "Why nothing?" });
  await expect(why).toBeVisible();
  await why.focus();
  await dash.keyboard.press("Enter");
  const panel = dash.locator("#details");
  await expect(panel).toContainText(/podset is ready\. No event has put an item into its queue/);
  for (const step of ["Connected", "Lease", "Cache PodSet", "Cache Pod", "Workers"])
    await expect(panel.locator(".steps-up")).toContainText(step);
  await expect(panel).toContainText("Nothing is missing.");
  await accessible(dash);
  await tabs(dash, "Latest").click();
  await expect(panel).toContainText("Latest reconciles");
});

/** Adds rows to what the hub sends when a page comes: as if it had found them, or another controller were attached. */
async function adding(page: Page, rows: readonly object[]): Promise<void> {
  await page.routeWebSocket(/\/api\/v1\/watch/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      const frame = JSON.parse(String(message)) as { type: string; rows?: object[] };
      const all = frame.type === "snapshot" ? { ...frame, rows: [...(frame.rows ?? []), ...rows] } : frame;
      socket.send(JSON.stringify(all));
    });
  });
}

test("a finding has a panel of its own, a mark on its item and reconcile, and is text for an issue", async ({
  demo,
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const key = await worked(demo, "tried");
  const [run] = (await demo.reconciles("default/tried")).filter((one) => one.key === key);
  const about = { controller: "podset", item: "default/tried", from: run?.from ?? 0, to: 0 };
  const summary = "9 of 10 reconciles in 2 s changed nothing";
  await adding(page, [{ row: "finding", key: "f1", rule: "hot-loop", ...about, summary, evidence: [key] }]);
  await page.goto(demo.login);
  await tabs(page, "Findings 1").click();
  const panel = page.locator("#details");
  await expect(panel.locator(".finding")).toContainText(summary);
  await accessible(page);
  await panel.getByRole("button", { name: "Copy as issue" }).click();
  await expect(panel.getByRole("button", { name: "Copied" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    `### default/tried: hot loop\n\n${summary}`,
  );
  await panel.locator(".proof [data-go]").click();
  await expect(panel).toContainText("create 2 Pods");
  await expect(panel.locator(".flags", { hasText: summary })).toBeVisible();
  await tabs(page, "Item").click();
  await expect(panel.locator(".flags", { hasText: "hot loop" }).first()).toBeVisible();
});

test("a controller that does nothing because of a red cause is shown by itself, with the reason", async ({
  demo,
  page,
}) => {
  const counts = { reconciles: 0, errors: 0, writes: 0, failedWrites: 0, depth: 0, delayed: 0 };
  const drop = { predicate: "Unchanged", kind: "ConfigMap", count: 12, what: "update", item: "default/cm", at: 1e15 };
  const row = {
    ...{
      row: "controller",
      key: "blind",
      source: "x",
      workers: 0,
      connected: true,
      heard: 1e15,
      since: 1e15,
      ...counts,
    },
    ...{ synced: ["Job"], unsynced: ["Pod"], watchError: "Pod: Forbidden", dropped: 14, drops: [drop] },
  };
  await adding(page, [row]);
  await page.goto(demo.login);
  const panel = page.locator("#details");
  await expect(panel).toContainText("Why nothing? blind");
  await expect(panel).toContainText("blind does nothing because of: Cache Pod.");
  await expect(panel.locator(".steps-up")).toContainText("the API server answers Forbidden: RBAC does not let it");
  await expect(panel.locator(".drops")).toContainText("12 Unchanged: ConfigMap newest: update of default/cm");
  await expect(panel.locator(".drops")).toContainText("2 by other predicates");
  await page.getByRole("navigation", { name: "Panels" }).getByLabel("Controller").selectOption("podset");
  await expect(panel).toContainText("Why nothing? podset");
  await tabs(page, "Latest").click();
  await expect(panel).toContainText("Latest reconciles");
  await accessible(page);
});

test("spec, observed and written are whole beside each other, whatever they say", async ({ demo, dash }) => {
  const key = await worked(demo, "whole");
  await pick(dash, key);
  await dash.locator("#details details summary", { hasText: "unchanged" }).click();
  const table = dash.locator("#details details .scrolling");
  await expect(table.getByText("written")).toBeVisible();
  // As in a pass whose delete has failed.
  await table
    .locator("tbody tr, tr:has(td.was)")
    .first()
    .evaluate((row) => {
      const cells = row.querySelectorAll("td");
      for (const [i, text] of ["ReplicasUnavailable", "MinimumReplicasAvailable", "DeleteFailedForNow"].entries()) {
        // Words of several parts may be broken between them.
        const parts = text.split(/(?=[A-Z])/).flatMap((part) => [document.createElement("wbr"), part]);
        cells[i]?.replaceChildren(...parts);
      }
    });
  const cut = (): Promise<string[]> =>
    table.evaluate((it) =>
      [it, ...it.querySelectorAll("th, td")].flatMap((cell) => {
        const right = it.getBoundingClientRect().right + 0.5;
        const whole = cell.scrollWidth <= cell.clientWidth && cell.getBoundingClientRect().right <= right;
        return whole ? [] : [cell.textContent];
      }),
    );
  await expect.poll(cut).toEqual([]);
  await dash.screenshot({ path: test.info().outputPath("whole.png") });
});

test("spec, observed and written fit beside each other, also in large letters", async ({ demo, dash }) => {
  await choose(dash, "projector");
  const key = await worked(demo, "traced");
  await pick(dash, key);
  await dash.locator("#details details summary", { hasText: "unchanged" }).click();
  const table = dash.locator("#details details .scrolling");
  await expect(table.getByText("written")).toBeVisible();
  await expect.poll(() => table.evaluate((it) => it.scrollWidth - it.clientWidth)).toBeLessThanOrEqual(0);
});
