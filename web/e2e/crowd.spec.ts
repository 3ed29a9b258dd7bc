import { type Page, expect, test as base } from "@playwright/test";

import { Hub, open } from "./hub.ts";

const test = base.extend<{ hub: Hub }>({
  hub: async ({}, use) => {
    const hub = await Hub.serve();
    await use(hub);
    await hub.stop();
  },
});

/** What stands on a lane's canvas, and which of its tokens has the ring. */
async function drawn(page: Page): Promise<{ labels: string[]; counts: number[]; selected: string }> {
  return page
    .locator("tracer-lane")
    .first()
    .evaluate((lane) => {
      interface Drawing {
        readonly tokens: readonly { readonly count: number }[];
        readonly labels: readonly { readonly text: string }[];
      }
      const { tokens } = (lane as unknown as { drawing(): { tokens: Drawing | undefined } }).drawing();
      const labels = (tokens?.labels ?? []).map(({ text }) => text);
      const counts = (tokens?.tokens ?? []).map(({ count }) => count);
      return { labels, counts, selected: (lane as HTMLElement).dataset["selectedAt"] ?? "" };
    });
}

test("at 80 a second tokens become ×n, named once, and nothing that is not selected has the ring", async ({
  hub,
  page,
}) => {
  await page.goto(hub.login);
  const sent = hub.send(80, 6, "-items", "200");
  await expect(page.locator(".lane-mode")).toContainText("Merged view");
  await expect.poll(async () => (await drawn(page)).counts.some((n) => n > 3)).toBe(true);
  for (let i = 0; i < 10; i++) {
    const { labels, selected } = await drawn(page);
    expect(labels.filter((label) => /×.*×/.test(label))).toEqual([]);
    expect(selected).toBe("");
  }
  await sent;
});

test("at 300 a second the lines say how many go along them, as many as the lane says", async ({ hub, page }) => {
  await page.goto(hub.login);
  const sent = hub.send(300, 7, "-items", "300", "-errors", "0.02");
  const line = (edge: string): Promise<number> =>
    page
      .locator(`[data-edge="${edge}"] .rate`)
      .first()
      .textContent()
      .then((text) => parseFloat(text ?? "") || 0);
  await expect(page.locator(".lane-mode")).toContainText("Flow view");
  await expect.poll(() => line("queue-dequeue")).toBeGreaterThan(240);
  for (let i = 0; i < 10; i++) {
    expect(await line("queue-dequeue")).toBeGreaterThan(180);
    expect(await line("queue-dequeue")).toBeLessThan(420);
  }
  await expect(page.locator('[data-edge="queue-dequeue"]')).toHaveClass(/is-flow/);
  await expect(page.locator('[data-edge="apply-api"] .rate')).toContainText("/s");
  await sent;
  await expect(page.locator(".lane-mode")).toBeHidden();
  await expect(page.locator('[data-edge="queue-dequeue"] .rate')).toHaveText("");
});

test("at 300 a second boxes and lines are told ten times a second, and what stands there last is the last", async ({
  hub,
  page,
}) => {
  await page.goto(hub.login);
  const sent = hub.send(300, 7, "-items", "300");
  await expect(page.locator('[data-edge="queue-dequeue"]')).toHaveClass(/is-flow/);
  /** When a line was told how hot it is, in 60 frames, by what the page has read of its clock last. */
  const told = await page.evaluate(
    () =>
      new Promise<number[]>((done) => {
        const times: number[] = [];
        const clock = performance.now.bind(performance);
        let read = 0;
        performance.now = () => (read = clock());
        const line = document.querySelector<SVGGElement>('[data-edge="queue-dequeue"]')?.style;
        const style = CSSStyleDeclaration.prototype;
        const own = Object.getOwnPropertyDescriptor(style, "setProperty")?.value as typeof style.setProperty;
        style.setProperty = function (name: string, value: string | null): void {
          if (name === "--heat" && value !== "" && this === line) times.push(read);
          own.call(this, name, value);
        };
        let frames = 0;
        const next = (): void => {
          if (++frames < 60) requestAnimationFrame(next);
          else done(times);
        };
        next();
      }),
  );
  expect(told.length).toBeGreaterThan(1);
  const between = told.slice(1).map((t, i) => t - (told[i] ?? t));
  expect(Math.min(...between)).toBeGreaterThanOrEqual(100);
  await sent;
  await expect(page.locator('[data-edge="queue-dequeue"]')).not.toHaveClass(/is-flow/);
  await expect(page.locator('[data-node="queue"] [data-part="depth"]')).toHaveText("0");
});

test.describe("a hub that keeps more than it gives to every page", () => {
  let deep: Hub;
  /** When the oldest of its reconciles began, µs. */
  let oldest = 0;

  test.beforeAll(async () => {
    deep = await Hub.serve();
    await deep.send(1300, 2, "-items", "60");
    const answer = await deep.api("rows?row=reconcile&limit=50000");
    const rows = (await answer.text()).split("\n").filter((line) => line !== "");
    expect(rows.length).toBeGreaterThan(2100);
    oldest = Math.min(...rows.map((line) => (JSON.parse(line) as { from: number }).from));
  });

  test.afterAll(async () => {
    await deep.stop();
  });

  test("a link leads to its oldest moment", async ({ page }) => {
    await open(page, deep);
    await page.goto("about:blank");
    await page.goto(`${deep.origin}/#at=${String(oldest + 20_000)}`);
    await expect(page.locator("#transport")).toContainText("paused");
    await expect(page.locator("#notice")).not.toContainText("no longer kept");
  });

  test("a search is of all that it keeps", async ({ page }) => {
    await open(page, deep);
    await page.keyboard.press("/");
    await page.keyboard.type("result:success");
    await page.keyboard.press("Enter");
    await expect(page.locator("#terms")).toContainText(/of 2,[1-9]/);
  });

  test("Home goes to the oldest", async ({ page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await open(page, deep);
    await expect(page.locator("#transport")).toContainText("following");
    await page.keyboard.press("Home");
    await expect(page.locator("#transport")).toContainText("paused");
    await page.keyboard.press("c");
    await expect(page.locator("#notice")).toContainText("Copied");
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(Number(/at=(\d+)/.exec(link)?.[1])).toBeLessThan(oldest + 1000);
  });
});
