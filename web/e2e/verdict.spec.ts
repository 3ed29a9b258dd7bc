import { type Page } from "@playwright/test";

import { EPOCH, cause, controller, pass, write } from "../test/rows.ts";
import { choose } from "./demo.ts";
import { type Hub, expect, test } from "./hub.ts";

/** Shows rows in a page as if the hub had them. */
async function having(page: Page, rows: readonly object[]): Promise<void> {
  await page.routeWebSocket(/\/api\/v1\/watch/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      const frame = JSON.parse(String(message)) as { type: string };
      socket.send(frame.type === "snapshot" ? JSON.stringify({ ...frame, rows }) : String(message));
    });
  });
}

/** Three reconciles of ten seconds ago: one that read stale, one of which a write was refused, and one of another item. */
function rows(): readonly object[] {
  const from = Date.now() - EPOCH / 1000 - 10_000;
  const when = (ms: number): number => EPOCH + Math.round((from + ms) * 1000);
  const causes = [cause({ at: when(0), manager: "kubectl" })];
  const refused = write({ span: "w", from: when(1004), to: when(1007), status: 403, error: "Forbidden", name: "" });
  const read = { span: "s", from: when(1), to: when(2), kind: "Pod", source: "cache", count: 1, staleBy: 1 };
  const times = [1, 1, 1, 7.6, 1];
  const far = { item: "lesson-1/web", object: { kind: "PodSet", namespace: "lesson-1", name: "web" } };
  return [
    controller({ reconciles: 3, connected: true, heard: when(0) }),
    pass(from, times, { key: "a", causes, reads: [{ ...read, stale: "yes" }] }),
    pass(from + 1000, times, { ...far, key: "b", causes, writes: [refused] }),
    pass(from + 2000, times, { key: "c", item: "default/db", causes }),
  ];
}

async function show(page: Page, hub: Hub): Promise<void> {
  await having(page, rows());
  await page.goto(hub.login);
  await expect(page.locator(".run")).toHaveCount(3);
}

test("a refused write of a reconcile that is done is told alike in the list, the panel and the head, and N stops there", async ({
  hub,
  page,
}) => {
  await show(page, hub);
  const row = page.locator('.run[data-go="b"]');
  await expect(row.locator(".run-took.tone-warn")).toHaveText("done, 1 write refused");
  await expect(row.locator(".shape-warn + .shape-mark")).toHaveCount(1);
  await expect(page.locator('[data-part="errors"]').first()).toHaveText("0");
  await page.keyboard.press("Shift+N");
  const panel = page.locator("#details");
  await expect(panel.locator(".panel-title")).toHaveText("lesson-1/web");
  await expect(panel.locator(".fall-value.tone-error")).toHaveText("403");
  await expect(page.locator('[data-node="apply"]')).toHaveClass(/is-lit/);
  await page.keyboard.press("ArrowRight");
  await expect(panel.locator(".chip.tone-warn")).toHaveText("refused");
  await expect(panel.locator(".next.tone-warn")).toHaveText("Done until something changes (1 write refused)");
  await expect(page.locator('[data-node="requeue"].is-lit')).toHaveAttribute("data-tone", "warn");
  await page.keyboard.press("Shift+N");
  await expect(page.locator("#notice")).toContainText("No earlier error or refused write");
});

test("the list says who read stale, and the namespace of names that are alike", async ({ hub, page }) => {
  await show(page, hub);
  const stale = page.locator('.run[data-go="a"]');
  await expect(stale.locator(".run-stale")).toBeVisible();
  await expect(stale).toHaveAccessibleName(/^default\/web #1 stale read /);
  await expect(page.locator('.run[data-go="c"] .run-stale')).toBeHidden();
  await expect(page.locator(".run-item")).toHaveText(["db", "lesson-1/web", "default/web"]);
});

test("what waited in the queue at the moment shown, and is done since, does not run in the list", async ({
  hub,
  page,
}) => {
  const from = Date.now() - EPOCH / 1000 - 10_000;
  const queued = pass(from + 3000, [3_600_000, 1, 1, 1, 1], { key: "queued", item: "default/api" });
  const running = pass(from + 2000, [1, 3_600_000], { key: "running", item: "default/cache" });
  await having(page, [...rows(), queued, running]);
  await page.goto(hub.login);
  await expect(page.locator(".run-item")).toHaveText(["cache", "db", "lesson-1/web", "default/web"]);
  await expect(page.locator(".run-took", { hasText: "running" })).toHaveCount(1);
});

test("the panel's head lets nothing through above it, and its buttons stay where they are from view to view", async ({
  hub,
  playwright,
}) => {
  const { executablePath, args } = test.info().project.use.launchOptions ?? {};
  const options = { executablePath: executablePath ?? "", args: args ?? [], ignoreDefaultArgs: ["--hide-scrollbars"] };
  const browser = await playwright.chromium.launch(options);
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  await show(page, hub);
  await page.locator('.run[data-go="b"]').click();
  const body = page.locator("#details");
  const close = body.locator("[data-clear]");
  await expect(close).toBeVisible();
  for (const [theme, width, height] of [
    ["projector", 1280, 500],
    ["dark", 820, 500],
    ["light", 1280, 500],
  ] as const) {
    await choose(page, theme);
    await page.setViewportSize({ width, height });
    await expect.poll(() => body.evaluate((it) => it.scrollHeight > it.clientHeight)).toBe(true);
    expect(await body.evaluate(through), theme).toEqual([]);
    // The rule below the tabs runs to the panel's edge, also above the scrollbar.
    const right = (box: { x: number; width: number } | null): number => (box?.x ?? 0) + (box?.width ?? 0);
    expect(right(await page.locator(".tabs").boundingBox())).toBe(right(await page.locator("#panel").boundingBox()));
  }
  await page.setViewportSize({ width: 1280, height: 720 });
  await expect.poll(() => body.evaluate((it) => it.scrollHeight > it.clientHeight)).toBe(true);
  const right = (await close.boundingBox())?.x;
  await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: "Chain" }).click();
  await expect(body).toContainText("From the first cause to here");
  await expect.poll(() => body.evaluate((it) => it.scrollHeight > it.clientHeight)).toBe(false);
  expect((await close.boundingBox())?.x).toBe(right);
  await browser.close();
});

test("a mark of many in the item's view counts those that failed, drawn and in words", async ({ hub, page }) => {
  const from = Date.now() - EPOCH / 1000 - 20_000;
  const causes = [cause({ at: EPOCH + from * 1000, manager: "kubectl" })];
  const made = (i: number): object => {
    const bad = [1, 2, 4].includes(i) ? { result: "error", error: "Conflict" } : {};
    return pass(from + (i === 6 ? 9000 : i * 20), [1, 5], {
      key: `m${String(i)}`,
      item: "default/web",
      causes,
      ...bad,
    });
  };
  const heard = EPOCH + Math.round(from * 1000);
  await having(page, [
    controller({ reconciles: 7, connected: true, heard }),
    ...Array.from({ length: 7 }, (_, i) => made(i)),
  ]);
  await page.goto(hub.login);
  await page.locator('.run[data-go="m1"]').click();
  await page.locator(".tabs").getByRole("button", { name: "Item" }).click();
  const axis = page.getByRole("slider", { name: /Reconciles of the item/ });
  await expect(axis.locator(".mark-n")).toHaveText(["3 of 6"]);
  await expect(axis.locator(".mark title").first()).toHaveText(
    /^6 reconciles, 3 failed: each press goes to another\. Now: /,
  );
  await expect(axis).toHaveAttribute("aria-valuetext", /^reconcile 2 of 7, .*, in a mark of 6 reconciles, 3 failed$/);
  await page.screenshot({ path: test.info().outputPath("marks.png") });
});

/** What is seen between the tabs and the foot of the head and belongs to neither, wherever one has scrolled to. */
function through(body: Element): string[] {
  const found = new Set<string>();
  const tabs = document.querySelector(".tabs")?.getBoundingClientRect().bottom ?? 0;
  for (let top = 0; top < body.scrollHeight - body.clientHeight; top += 7) {
    body.scrollTop = top;
    const { left, right, bottom } = body.querySelector(".panel-head")?.getBoundingClientRect() ?? new DOMRect();
    for (let x = left + 3; x < right; x += 25)
      for (let y = tabs + 0.5; y < bottom; y += 1) {
        const at = document.elementFromPoint(x, y);
        if (!at?.closest(".panel-head, .tabs")) found.add(`${at?.className ?? ""} at ${String(y - tabs)}`);
      }
  }
  return [...found];
}
