import type { Page, WebSocketRoute } from "@playwright/test";

import { pick, stepTo, stopAfter } from "./common.ts";
import { type Demo, expect, test } from "./demo.ts";

const where = '[data-part="where"]';

/** The time line's words with the clock or the speed: "02:10:18", "paused · 02:10:18", "1/10 speed". */
async function said(dash: Page): Promise<string> {
  return (await dash.locator(where).textContent()) ?? "";
}

/** Makes a PodSet and waits until a reconcile of it that created Pods is over; gives its key. */
async function created(demo: Demo, name: string): Promise<string> {
  // Another test may have had one of that name.
  const before = new Set((await demo.reconciles(`default/${name}`)).map((run) => run.key));
  await demo.action("create", { namespace: "default", name, replicas: "2" });
  const key = async (): Promise<string> => {
    const runs = (await demo.reconciles(`default/${name}`)).filter((run) => !before.has(run.key));
    return runs.find((run) => run.to > 0 && run.plan.some(({ summary }) => summary === "create 2 Pods"))?.key ?? "";
  };
  await expect.poll(key).not.toBe("");
  return key();
}

test.afterEach(async ({ demo }) => {
  for (const name of ["slow", "linked", "noted"]) {
    const gone = await demo.action("delete", { namespace: "default", name }).catch(() => "");
    expect(typeof gone).toBe("string");
  }
});

test("slow motion plays what is recorded from where one is, and says how far behind it is", async ({ demo, dash }) => {
  await expect(dash.locator("#transport")).toContainText("following");
  await demo.action("create", { namespace: "default", name: "slow", replicas: "2" });
  for (let i = 0; i < 3; i++) await dash.keyboard.press("[");
  await expect(dash.locator(where)).toHaveText("1/10 speed");
  await expect(dash.locator('[data-part="speed"]')).toHaveText("1/10");
  await expect(dash.locator("#transport")).toContainText(/−[1-9]\d*\.\d s · \d+ new/);

  // Space stops it and lets it go on, at its speed; End is what is live.
  await dash.keyboard.press(".");
  await expect(dash.locator(where)).toContainText("paused");
  await dash.keyboard.press(".");
  await expect(dash.locator(where)).toHaveText("1/10 speed");
  await dash.keyboard.press("]");
  await expect(dash.locator(where)).toHaveText("1/4 speed");
  await dash.keyboard.press("End");
  await expect(dash.locator("#transport")).toContainText("following");
  await expect(dash.locator('[data-part="speed"]')).toHaveText("1×");
});

test("from a moment that one has gone to it plays on, and End is what is live", async ({ demo, dash }) => {
  const key = await created(demo, "slow");
  await pick(dash, key);
  await dash.keyboard.press(".");
  await expect(dash.getByRole("button", { name: "Follow" })).toBeVisible();
  await dash.keyboard.press("ArrowLeft");
  await expect(dash.locator(where)).toContainText("paused");
  await dash.getByRole("button", { name: "Play", exact: true }).click();
  await expect(dash.locator(where)).toHaveText("1× speed");
  await dash.keyboard.press(".");
  await dash.keyboard.press(".");
  await expect(dash.locator(where)).toHaveText("1× speed");
  await dash.keyboard.press("End");
  await expect(dash.locator("#transport")).toContainText("following");
});

test("played faster than it happened, the picture catches up and follows by itself", async ({ dash }) => {
  await expect(dash.locator("#transport")).toContainText("following");
  await dash.keyboard.press("[");
  await expect(dash.locator("#transport")).toContainText(/−[1-9]\.\d s/);
  for (let i = 0; i < 3; i++) await dash.getByRole("button", { name: "Faster" }).click();
  await expect(dash.locator("#transport")).toContainText("following");
});

test("a link leads whoever opens it to the moment and the reconcile", async ({ demo, dash, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const key = await created(demo, "linked");
  await pick(dash, key);
  await expect(dash.locator("#details")).toContainText("create 2 Pods");
  await dash.keyboard.press(".");
  await dash.keyboard.press("c");
  await expect(dash.locator("#notice")).toContainText("Copied a link");
  const paused = await said(dash);
  const link = await dash.evaluate(() => navigator.clipboard.readText());
  expect(link).toMatch(/#at=\d+&sel=default\/linked@\d+$/);

  const other = await context.newPage();
  await other.goto(link);
  await expect(other.locator("#details")).toContainText("create 2 Pods");
  await expect(other.locator(where)).toHaveText(paused);
  await other.close();
});

test("a link to a moment that is no longer kept says so and offers the oldest", async ({ demo, page }) => {
  await page.goto(demo.login);
  await page.goto(`${demo.origin}/#at=1000000`);
  await expect(page.locator("#notice")).toContainText(/1970-01-01 \d\d:00:01, is no longer kept/);
  await page.locator("#notice").getByRole("button", { name: "Go there" }).click();
  await expect(page.locator(where)).toContainText("paused");
});

test("a link to a reconcile that was never there says so and offers the nearest", async ({ demo, dash }) => {
  const key = await created(demo, "unknown");
  await pick(dash, key);
  const at = (await demo.reconciles("default/unknown")).at(-1)?.to ?? 0;
  await dash.goto(`${demo.origin}/#at=${String(at)}&sel=default/unknown@9999`);
  const notice = dash.locator("#notice");
  await expect(notice).toContainText("Reconcile 9999 of default/unknown, in this link, is not known here.");
  const nearest = /The nearest is (\d+)/.exec((await notice.textContent()) ?? "")?.[1] ?? "";
  await notice.getByRole("button", { name: "Go there" }).click();
  await expect(dash.locator("#details .panel-sub")).toContainText(`reconcile ${nearest} of`);
  await expect(dash.locator(where)).toContainText("paused");
});

test("that a link's item is not known is told as a warning, until it has been read", async ({ demo, dash }) => {
  await dash.goto(`${demo.origin}/#at=${String(Date.now() * 1000)}&sel=default/nobody@3`);
  const notice = dash.locator("#notice");
  await expect(notice).toContainText("The item of this link, default/nobody, is not known here.");
  await expect(notice).toHaveAttribute("data-tone", "warn");
  await notice.getByRole("button", { name: "OK" }).click();
  await expect(notice).toBeHidden();
});

test("a reconcile can be copied as an issue", async ({ demo, dash, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const key = await created(demo, "noted");
  await pick(dash, key);
  await dash.getByRole("button", { name: "Copy as issue" }).click();
  await expect(dash.getByRole("button", { name: "Copied" })).toBeVisible();
  const text = await dash.evaluate(() => navigator.clipboard.readText());
  expect(text).toContain("### default/noted: success after ");
  for (const part of ["- create 2 Pods", "- POST pod noted-", ": 201", key]) expect(text).toContain(part);
  // The button says again what it is for: after a while, and at once where one goes elsewhere and comes back.
  await expect(dash.getByRole("button", { name: "Copy as issue" })).toBeVisible();
  await dash.getByRole("button", { name: "Copy as issue" }).click();
  await expect(dash.getByRole("button", { name: "Copied" })).toBeVisible();
  await dash.keyboard.press("Escape");
  await pick(dash, key);
  await expect(dash.getByRole("button", { name: /^(Copy as issue|Copied)$/ })).toHaveText("Copy as issue", {
    timeout: 100,
  });
});

test("N says when there is no error to go to", async ({ dash }) => {
  await expect(dash.locator("#transport")).toContainText("following");
  await dash.keyboard.press("/");
  await dash.keyboard.type("item:default/nobody ");
  await dash.keyboard.press("Enter");
  await dash.keyboard.press("n");
  await expect(dash.locator("#notice")).toContainText("No later error or refused write that matches");
});

test("the pointer over a token tells whose it is", async ({ demo, dash }) => {
  const key = await created(demo, "slow");
  await pick(dash, key);
  const run = (await demo.reconciles("default/slow")).find((one) => one.key === key);
  await stepTo(dash, run, "fetch");
  const lit = dash.locator('[data-node="fetch"].is-lit');
  const box = await lit.locator(".body").boundingBox();
  if (box === null) throw new Error("fetch has no box");
  await expect(async () => {
    // A worker's seat is its own: in the middle, or beside it.
    for (const aside of [0, -26, 26]) {
      await dash.mouse.move(box.x + box.width / 2 + aside, box.y + box.height / 2);
      if (await dash.locator(".tip").isVisible()) break;
    }
    await expect(dash.locator(".tip")).toContainText("default/slow", { timeout: 200 });
  }).toPass({ timeout: 5_000 });
  await expect(dash.locator(".tip")).toContainText("fetch took");
});

test("while the hub is lost, the picture's clock stands", async ({ demo, page }) => {
  const sockets: WebSocketRoute[] = [];
  let lost = false;
  await page.routeWebSocket(/\/api\/v1\/watch/, (socket) => {
    if (lost) return void socket.close();
    socket.connectToServer();
    sockets.push(socket);
  });
  await page.goto(demo.login);
  await expect(page.locator("#transport")).toContainText("following");
  const line = (): Promise<string> =>
    page.locator('canvas[data-part="bars"]').evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
  const before = await line();
  await expect.poll(line, "the line moves on with the clock").not.toBe(before);

  lost = true;
  for (const socket of sockets) await socket.close();
  await expect(page.locator("#transport")).toContainText(/not connected.*as of \d\d:\d\d:\d\d/);
  // What was under way when the last frame came is still played to its end.
  await expect
    .poll(
      async () => {
        const now = await line();
        await page.waitForFunction((t) => performance.now() > t, (await page.evaluate(() => performance.now())) + 2100);
        return now === (await line());
      },
      { timeout: 15_000 },
    )
    .toBe(true);
  lost = false;
  await expect(page.locator("#transport")).toContainText("following", { timeout: 20_000 });
});

test("an error's mark below the line says what it is, and is pressed also beside it and on the times", async ({
  demo,
  dash,
}) => {
  const fault = { command: "fault", fault: "500", controller: "podset", item: "default/slow", count: 1 };
  await demo.command(fault);
  await demo.action("create", { namespace: "default", name: "slow", replicas: "2" });
  const failed = async () => (await demo.reconciles("default/slow")).find(({ result }) => result === "error");
  await expect.poll(async () => (await failed())?.to ?? 0).toBeGreaterThan(0);
  // So long that the mark is off the line's end, and whole.
  const end = (await failed())?.to ?? Infinity;
  await expect.poll(() => Date.now() * 1000 - end).toBeGreaterThan(5_000_000);
  await stopAfter(dash, { to: end });
  const line = dash.locator('#transport [data-part="line"]');
  const tip = line.locator(".line-tip");
  const box = await line.boundingBox();
  if (box === null) throw new Error("the line has no box");
  // The height of the marks, and how far one reaches to each side of it.
  const y = box.y + box.height - 16;
  const hits: number[] = [];
  for (let x = box.x + box.width - 1; x > box.x; x -= 2) {
    await dash.mouse.move(x, y);
    if (await tip.isVisible()) hits.push(x);
    else if (hits.length > 0) break;
  }
  const wide = (hits[0] ?? 0) - (hits.at(-1) ?? 0);
  expect(wide).toBeGreaterThanOrEqual(20);
  // Its right end: to the left the marks of older ones may reach into it.
  await dash.mouse.move(hits[0] ?? 0, y);
  await expect(tip).toHaveText(/^(\d+ of \d+|all \d+|1) failed.*in 1 s from \d\d:\d\d:\d\d$/);
  await dash.screenshot({ path: test.info().outputPath("mark.png") });
  await dash.mouse.click(hits[0] ?? 0, y);
  await expect(dash.locator("#details .chip.tone-error").first()).toBeVisible();
  await dash.mouse.move(box.x, box.y - 50);
  await expect(tip).toBeHidden();
});

test("the playhead is dragged along the line, and Home selects what was there", async ({ demo, dash }) => {
  await demo.action("create", { namespace: "default", name: "slow", replicas: "2" });
  const line = dash.locator('#transport [data-part="line"]');
  const at = async (): Promise<number> => Number(await line.getAttribute("aria-valuenow"));
  const box = await line.boundingBox();
  if (box === null) throw new Error("there is no time line");
  const { x, y, width, height } = box;
  await dash.mouse.move(x + width * 0.9, y + height / 2);
  await dash.mouse.down();
  await dash.mouse.move(x + width * 0.5, y + height / 2, { steps: 4 });
  // Off the line the pointer still holds it.
  await dash.mouse.move(x + width * 0.3, y - 80, { steps: 4 });
  await expect.poll(at).toBeGreaterThan(28);
  await expect.poll(at).toBeLessThan(32);
  await dash.mouse.up();
  await dash.mouse.move(x + width * 0.7, y + height / 2);
  await expect(dash.locator("#transport")).toContainText(/paused · \d\d:\d\d:\d\d\.\d{3}/);
  expect(await at()).toBeLessThan(32);
  await dash.keyboard.press("Home");
  await expect(dash.locator("tracer-lane [data-part=reconciles]")).toHaveText(/^[01]$/);
  await dash.keyboard.press("End");
  await expect(dash.locator("tracer-lane [data-part=reconciles]")).not.toHaveText(/^[01]$/);
});
