import AxeBuilder from "@axe-core/playwright";
import { type Page, expect, test as base } from "@playwright/test";

import { Hub } from "./hub.ts";

/** A hub to which some reconciles have been sent, and its page. */
const test = base.extend<{ dash: Page }, { hub: Hub }>({
  hub: [
    async ({}, use) => {
      const hub = await Hub.serve();
      await hub.send(20, 1, "-items", "4");
      await use(hub);
      await hub.stop();
    },
    { scope: "worker" },
  ],
  dash: async ({ page, hub }, use) => {
    await page.goto(hub.login);
    await expect(page.locator("#transport")).toContainText("following");
    await use(page);
  },
});

test("nothing is cut off in the lane's head and map, in any theme and mode", async ({ dash, hub }) => {
  const sent = hub.send(300, 8, "-items", "300");
  await expect(dash.locator(".lane-mode")).toContainText("Flow view");
  for (const theme of ["light", "projector"]) {
    await dash.evaluate((name) => (document.documentElement.dataset["theme"] = name), theme);
    const cut = await dash.evaluate(() => {
      const lane = document.querySelector("tracer-lane");
      const room = lane?.getBoundingClientRect() ?? new DOMRect();
      const out: string[] = [];
      for (const one of lane?.querySelectorAll("svg text, svg rect, .counts dd, .counts dt") ?? []) {
        const { left, right, width } = one.getBoundingClientRect();
        if (width > 0 && (left < room.left - 1 || right > room.right + 1)) out.push(one.textContent);
      }
      return out;
    });
    expect(cut, theme).toEqual([]);
  }
  await sent;
});

test("a notice leaves the map where it is", async ({ dash, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const box = dash.locator('[data-node="queue"] .body');
  const before = await box.boundingBox();
  await dash.keyboard.press("c");
  await expect(dash.locator("#notice")).toContainText("Copied");
  expect(await box.boundingBox()).toEqual(before);
});

test("at the beginning of all the boxes say no durations yet", async ({ dash }) => {
  const notes = dash.locator('[data-node="fetch"] [data-part="note"]');
  await expect(notes).not.toHaveText("");
  await dash.keyboard.press("Home");
  await dash.keyboard.press("Escape");
  await expect(dash.locator('[data-part="reconciles"]')).toHaveText("0");
  await expect(notes).toHaveText("");
});

test("before the hub has spoken the page stands as the hub has rendered it", async ({ page, hub }) => {
  await page.routeWebSocket(/\/api\/v1\/watch/, (socket) => {
    void socket.close({ code: 1011, reason: "not today" });
  });
  await page.goto(hub.login);
  await expect(page.locator("#notice")).toContainText("Reconnecting");
  await expect(page.locator("tracer-lane")).toHaveCount(1);
  await expect(page.locator("#empty")).toBeHidden();
  await expect(page.locator("#details")).not.toContainText("None yet");
  await expect(page.locator("#transport")).toContainText("not connected");
});

test("a recording that does not come says so", async ({ page, hub }) => {
  await page.goto(hub.login);
  await page.routeWebSocket(/\/api\/v1\/recordings/, (socket) => {
    void socket.close({ code: 1011, reason: "not today" });
  });
  await page.goto(`${hub.origin}/?recording=sample`);
  await expect(page.locator("#notice")).toContainText("Reconnecting");
  await expect(page.locator("#status")).not.toContainText("0 controllers");
});

test("a link says whose an item is where several have one of that name; an old one means its moment", async ({
  page,
  hub,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(hub.login);
  const answer = await page.request.get(`${hub.origin}/api/v1/recordings/sample/rows?row=reconcile&limit=50000`);
  interface Row {
    readonly controller: string;
    readonly item: string;
    readonly from: number;
    readonly start: number;
  }
  const rows = (await answer.text()).split("\n").filter((line) => line !== "");
  const all = rows.map((line) => JSON.parse(line) as Row).filter(({ item }) => item === "default/web");
  for (const controller of ["podset", "checkup"]) {
    const own = all.filter((row) => row.controller === controller).sort((a, b) => a.from - b.from);
    const at = String(own[8]?.start ?? 0);
    await page.goto("about:blank");
    await page.goto(`${hub.origin}/?recording=sample#at=${at}&sel=default/web@9`);
    await expect(page.locator("#details")).toContainText("reconcile 9 of");
    await page.keyboard.press("c");
    await expect(page.locator("#notice")).toContainText("Copied");
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toContain(`#at=${at}&sel=default/web@9&in=${controller}`);
    await page.goto("about:blank");
    await page.goto(link.replace(/at=\d+/, `at=${String(all[0]?.start ?? 0)}`));
    await expect(page.locator(`tracer-lane[data-lane="${controller}"]`)).toBeInViewport();
    await expect(page.locator("#details")).toContainText("reconcile 9 of");
  }
});

test("with reduced motion nothing is on its way, and the stations stand below the map as text", async ({
  page,
  hub,
}) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(hub.login);
  const sent = hub.send(10, 4, "-items", "4");
  await expect(page.locator(".twin .station.is-lit").first()).toBeVisible();
  expect((await page.locator(".twin").boundingBox())?.height).toBeGreaterThan(60);
  let over = false;
  const ended = sent.finally(() => (over = true));
  let seated = 0;
  while (!over) {
    const tokens = await page.locator("tracer-lane").evaluate((lane) => {
      interface Drawing {
        readonly tokens?: { readonly tokens: readonly { readonly edge?: string }[] };
      }
      return (lane as unknown as { drawing(): Drawing }).drawing().tokens?.tokens ?? [];
    });
    expect(tokens.filter(({ edge }) => edge !== undefined)).toEqual([]);
    seated += tokens.length;
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  await ended;
  expect(seated).toBeGreaterThan(0);
});

test("with dark forced colours every text can be read", async ({ dash }) => {
  await dash.emulateMedia({ forcedColors: "active", colorScheme: "dark" });
  const { violations } = await new AxeBuilder({ page: dash }).withRules(["color-contrast"]).analyze();
  expect(violations.flatMap(({ nodes }) => nodes.map(({ target }) => target))).toEqual([]);
});

test("an embedded view that is narrow has its map", async ({ browser }) => {
  const hub = await Hub.serve("--embed-ancestor", "https://course.example");
  const page = await (await browser.newContext({ viewport: { width: 600, height: 700 } })).newPage();
  await page.goto(`${hub.origin}/embed`);
  await page.locator("#lane-template").evaluate((template) => {
    document.querySelector("#map")?.append((template as HTMLTemplateElement).content.cloneNode(true));
  });
  const box = await page.locator("#map .picture").boundingBox();
  expect(box?.width).toBeGreaterThan(500);
  expect(box?.height).toBeGreaterThan(250);
  await page.context().close();
  await hub.stop();
});

test("on a phone the time is never cut, and names of stations stand apart", async ({ dash }) => {
  for (const width of [390, 320]) {
    await dash.setViewportSize({ width, height: 800 });
    await dash.keyboard.press(".");
    const cut = await dash.evaluate(() =>
      [...document.querySelectorAll(".position p, .station-name")].flatMap((one) => {
        const { left, right } = one.getBoundingClientRect();
        return left < 0 || right > innerWidth || one.scrollWidth > one.clientWidth + 1 ? one.textContent : [];
      }),
    );
    expect(
      cut.filter((text) => text !== ""),
      String(width),
    ).toEqual([]);
    const boxes = await dash.locator(".station:not(.is-row) .station-name").evaluateAll((names) =>
      names.map((name) => {
        const range = document.createRange();
        range.selectNodeContents(name);
        const { left, right } = range.getBoundingClientRect();
        return { left, right };
      }),
    );
    for (const [i, { left }] of boxes.slice(1).entries()) expect(left).toBeGreaterThan((boxes[i]?.right ?? 0) + 1);
  }
});
