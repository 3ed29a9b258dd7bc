import { expect, test } from "./demo.ts";
import { Hub, open } from "./hub.ts";

test("kill -9 of the hub: it comes back with every reconcile, and the page resumes by itself", async ({
  demo,
  dash,
}) => {
  await expect(dash.locator("#status")).toContainText("1 controller");
  const finished = (await demo.reconciles("default/*")).filter((run) => run.to > 0);
  expect(finished.length).toBeGreaterThan(0);

  // The page has them all as well: that is what it must not lose.
  const kept = async (): Promise<string[]> => {
    const older = dash.getByRole("button", { name: "Older …" });
    while (await older.isVisible()) await older.click();
    // As long as the focus is in the list, what is new waits.
    await dash.evaluate(() => (document.activeElement as HTMLElement).blur());
    return dash.locator(".run").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-go") ?? ""));
  };
  await expect.poll(kept).toEqual(expect.arrayContaining(finished.map(({ key }) => key)));

  const started = demo.log.find((line) => /hub ready/.test(line)) ?? "";
  const pid = Number(/process (\d+)/.exec(started)?.[1]);
  expect(pid).toBeGreaterThan(0);
  process.kill(pid, "SIGKILL");

  await expect(dash.locator("#notice")).toContainText(/Reconnecting in \d+ s/);
  await expect(dash.locator("#notice")).toContainText(/Connected again/, { timeout: 20_000 });
  expect(demo.log.some((line) => /died/.test(line))).toBe(true);

  const again = new Map((await demo.reconciles("default/*")).map((run) => [run.key, run]));
  for (const run of finished) expect(again.get(run.key)).toEqual(run);
  // What was done while the hub was away is there too, after what there was before.
  const now = await demo.reconciles("default/*");
  await expect.poll(kept).toEqual(expect.arrayContaining(now.map(({ key }) => key)));
});

test("a hub that says nothing any more is noticed, and that is forgotten with its next word", async ({ page }) => {
  const hub = await Hub.serve();
  try {
    await open(page, hub);
    const [notice, status] = [page.locator("#notice"), page.locator("#status")];
    await expect(status).toHaveAttribute("data-state", "live");
    hub.freeze();
    await expect(notice).toContainText(/No word from the hub for \d+ s/);
    await expect(status).toHaveAttribute("data-state", "lost");
    // The clock stands with the picture, and says of when it is.
    await expect(page.locator("#transport")).toContainText(/not answering\s*as of \d\d:\d\d:\d\d/);
    await expect(page.locator("#transport")).not.toContainText("following");
    const line = (): Promise<string> =>
      page.locator('canvas[data-part="bars"]').evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
    const stood = await line();
    await expect(notice).toContainText(/ 9 s$/);
    expect(await line()).toBe(stood);
    await page.screenshot({ path: "test-results/silent.png" });
    // The socket is given up, and one that answers is looked for.
    await expect(notice).toContainText("Reconnecting", { timeout: 10_000 });
    hub.thaw();
    await expect(page.locator("#transport")).toContainText("following, live");
    await expect(notice).toBeHidden();
    await expect(status).toHaveAttribute("data-state", "live");
  } finally {
    hub.thaw();
    await hub.stop();
  }
});

test("Share has the link of a hub that was started again with one, on the page that was open, and copies it", async ({
  page,
}) => {
  const hub = await Hub.serve();
  try {
    await open(page, hub);
    await page.getByRole("button", { name: "Share" }).click();
    const dialog = page.locator("#share");
    await expect(dialog).toContainText("make demo DEMO_FLAGS=--share");
    await page.screenshot({ path: test.info().outputPath("none.png") });
    const link = await hub.restart("127.0.0.1:0");
    await expect(dialog.locator("[data-part=link]")).toHaveText(link);
    await expect(dialog).toContainText("Nobody watches yet");
    await dialog.getByRole("button", { name: "Copy" }).click();
    await expect(dialog.getByRole("button", { name: "Copied" })).toBeFocused();
    await page.screenshot({ path: test.info().outputPath("shared.png") });
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    // One that is opened later has it too.
    const other = await hub.restart("127.0.0.1:0");
    await expect(page.locator("#status")).toHaveAttribute("data-state", "live");
    await page.getByRole("button", { name: "Share" }).click();
    await expect(dialog.locator("[data-part=link]")).toHaveText(other);
  } finally {
    await hub.stop();
  }
});
