import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";

import type { Browser, Page } from "@playwright/test";

import { expect, test as base } from "./demo.ts";
import { Hub } from "./hub.ts";

/** A site of another origin, whose only page has the hub's view in a frame. */
class Site {
  private constructor(private readonly server: Server) {}

  static async start(): Promise<Site> {
    const server = createServer((request, answer) => {
      const frame = new URL(request.url ?? "/", "http://site").searchParams.get("frame") ?? "";
      answer.setHeader("Content-Type", "text/html; charset=utf-8");
      answer.end(`<!doctype html><title>Course</title><iframe src="${frame}" width="1000" height="660"></iframe>`);
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return new Site(server);
  }

  get origin(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  page(frame: string): string {
    return `${this.origin}/?frame=${encodeURIComponent(frame)}`;
  }

  async stop(): Promise<void> {
    await new Promise((done) => this.server.close(done));
  }
}

const test = base.extend<{ allowed: Site; other: Site; hub: Hub }>({
  allowed: async ({}, use) => {
    const site = await Site.start();
    await use(site);
    await site.stop();
  },
  other: async ({}, use) => {
    const site = await Site.start();
    await use(site);
    await site.stop();
  },
  hub: async ({ allowed }, use) => {
    const hub = await Hub.serve("--embed-ancestor", allowed.origin);
    await use(hub);
    await hub.stop();
  },
});

async function visit(browser: Browser, url: string): Promise<{ page: Page; sent: string[] }> {
  const page = await (await browser.newContext()).newPage();
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.url()));
  page.on("websocket", (socket) => sent.push(socket.url()));
  await page.goto(url);
  return { page, sent };
}

test("a course site that is allowed shows the map live in a frame, without a login and without the token in a URL", async ({
  browser,
  allowed,
  hub,
}) => {
  const link = await hub.embedLink();
  const { page, sent } = await visit(browser, allowed.page(link));
  const frame = page.frameLocator("iframe");
  await expect(frame.locator("#transport")).toContainText("following");
  await hub.send();
  await expect(frame.locator("tracer-lane")).toHaveCount(1);
  await expect(frame.locator('[data-part="reconciles"]')).not.toHaveText("0");
  // Read-only: no panel of actions, no tools, no link to log in.
  await expect(frame.locator("#tryit, #details, .top")).toHaveCount(0);
  const token = new URL(link).hash.slice("#token=".length);
  expect(token.length).toBeGreaterThan(40);
  const told = sent.filter((url) => url.startsWith(hub.origin)).map((url) => url.replace(/#.*/, ""));
  expect(told.filter((url) => url.includes(token))).toEqual([]);
  expect(sent.some((url) => url.endsWith("/api/v1/embed/watch"))).toBe(true);
  await page.context().close();
});

test("a site that is not on the list gets no frame", async ({ browser, other, hub }) => {
  const link = await hub.embedLink();
  const said: string[] = [];
  const page = await (await browser.newContext()).newPage();
  page.on("console", (message) => said.push(message.text()));
  await page.goto(other.page(link));
  await expect.poll(() => said.join("\n")).toContain("frame-ancestors");
  await expect(page.frameLocator("iframe").locator("#map")).toHaveCount(0);
  await page.context().close();
});

test("without a token the embedded page says so, and opens nothing", async ({ browser, allowed, hub }) => {
  const { page } = await visit(browser, allowed.page(`${hub.origin}/embed`));
  await expect(page.frameLocator("iframe").getByText("This view has no token")).toBeVisible();
  await page.context().close();
});

test("a frame that cannot be made is told", async ({ page, hub }) => {
  await page.goto(hub.login);
  await page.route("**/api/v1/embed", (route) => route.abort());
  await page.getByText("View", { exact: true }).click();
  await page.getByRole("button", { name: "Copy a frame for a site" }).click();
  await expect(page.getByText("The hub cannot be reached")).toBeVisible();
});
