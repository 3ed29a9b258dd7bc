import type { Page } from "@playwright/test";

import { expect, test } from "./demo.ts";
import { Hub } from "./hub.ts";
import { named, tabTo, use } from "./keyboard.ts";

const symbols: Readonly<Record<string, string>> = {
  "←": "ArrowLeft",
  "→": "ArrowRight",
  "−": "-",
  "Page Down": "PageDown",
  "Page Up": "PageUp",
  Esc: "Escape",
};

/** Presses a key as the list under ? writes it: "Shift ←". */
async function press(page: Page, written: string): Promise<void> {
  const shift = /^Shift (.*)$/.exec(written)?.[1];
  const key = shift ?? written;
  await page.keyboard.press(`${shift === undefined ? "" : "Shift+"}${symbols[key] ?? key}`);
}

/** What the keys of the list do, by the list's names; each is given the keys that the list has for it, in its order. */
type Proof = (page: Page, keys: readonly string[], origin: string) => Promise<void>;

const transport = (page: Page) => page.locator("#transport");
const details = (page: Page) => page.locator("#details");
const where = (page: Page) => page.locator('[data-part="where"]').innerText();

const proofs: Readonly<Record<string, Proof>> = {
  pause: async (page, [space = "", dot = ""]) => {
    await press(page, space);
    await expect(transport(page)).toContainText("paused");
    await press(page, dot);
    await expect(transport(page)).toContainText("following");
  },
  reconcile: async (page, [back = "", on = ""]) => {
    await press(page, back);
    await expect(details(page)).toContainText("Why it ran");
    // The words of the line of time come after those of the panel.
    await expect(transport(page)).toContainText("paused");
    const at = () => where(page);
    const before = await at();
    await press(page, back);
    await expect.poll(at).not.toBe(before);
    await press(page, on);
    await expect.poll(at).toBe(before);
  },
  phase: async (page, [back = "", on = ""]) => {
    const lane = page.locator("tracer-lane").first();
    await press(page, "Shift ←");
    await expect(lane).toHaveAttribute("data-selected-at", "dequeue");
    await press(page, on);
    await expect(lane).toHaveAttribute("data-selected-at", "fetch");
    await press(page, back);
    await expect(lane).toHaveAttribute("data-selected-at", "dequeue");
  },
  ends: async (page, [home = "", end = ""]) => {
    await press(page, home);
    await expect(transport(page)).toContainText("paused");
    await press(page, end);
    await expect(transport(page)).toContainText("following");
  },
  speed: async (page, [slower = "", faster = ""]) => {
    await press(page, slower);
    await expect(page.locator('[data-part="speed"]')).toHaveText("1/2");
    await press(page, faster);
    await expect(page.locator('[data-part="speed"]')).toHaveText("1×");
  },
  error: async (page, [next = "", before = ""], origin) => {
    await page.goto(`${origin}/?recording=sample`);
    await expect(page.locator("tracer-lane")).toHaveCount(2);
    await press(page, "Home");
    await expect(transport(page)).toContainText("paused");
    const at = () => where(page);
    const begin = await at();
    await press(page, next);
    await expect(details(page)).toContainText("Why it ran");
    await expect.poll(at).not.toBe(begin);
    const first = await at();
    await press(page, next);
    await expect.poll(at).not.toBe(first);
    await press(page, before);
    await expect.poll(at).toBe(first);
  },
  search: async (page, [slash = ""]) => {
    await press(page, slash);
    await expect(page.getByRole("combobox", { name: "Search reconciles" })).toBeFocused();
  },
  lesson: async (page, [on = "", back = ""], origin) => {
    await page.goto(`${origin}/?recording=lesson-1`);
    const beat = page.locator('#lesson [data-part="beat"]');
    await expect(beat).toHaveText("beat 1 of 8");
    await press(page, on);
    await expect(beat).toHaveText("beat 2 of 8");
    await press(page, back);
    await expect(beat).toHaveText("beat 1 of 8");
  },
  control: async (page, [k = ""]) => {
    await expect(page.locator("#control-toggle")).toBeVisible();
    await press(page, k);
    await expect(page.locator("#control [data-command=pause]")).toBeFocused();
    await press(page, k);
    await expect(page.locator("#control .stands")).toContainText("paused podset");
    await press(page, k);
    await expect(page.locator("#control .stands")).not.toContainText("paused podset");
  },
  step: async (page, [phase = "", reconcile = ""]) => {
    await expect(page.locator("#control-toggle")).toBeVisible();
    await press(page, "K");
    await expect(page.locator("#control [data-command=pause]")).toBeFocused();
    for (const key of [phase, reconcile]) {
      const asked = page.waitForRequest((request) => request.postData()?.includes('"step"') === true);
      await press(page, key);
      const by = key === phase ? "phase" : "reconcile";
      expect((await asked).postData()).toContain(`"by":"${by}"`);
    }
  },
  frame: async (page, [f = ""]) => {
    await press(page, f);
    await expect(page.locator("#notice")).toContainText("Nothing is selected that could fill the line of time");
  },
  zoom: async (page, [closer = "", wider = ""]) => {
    const bars = (): Promise<string> =>
      page.locator('[data-part="bars"]').evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
    await press(page, "Space");
    await expect(transport(page)).toContainText("paused");
    const before = await bars();
    await press(page, closer);
    await expect.poll(bars).not.toBe(before);
    await press(page, wider);
    await expect.poll(bars).toBe(before);
  },
  link: async (page, [c = ""]) => {
    await press(page, c);
    await expect(page.locator("#notice")).toContainText("Copied a link to this moment");
  },
  save: async (page, [s = ""]) => {
    const [download] = await Promise.all([page.waitForEvent("download"), press(page, s)]);
    expect(download.suggestedFilename()).toMatch(/\.svg$/);
  },
  projector: async (page, [p = ""]) => {
    await press(page, p);
    await expect(page.locator("html")).toHaveAttribute("data-theme", "projector");
    await press(page, p);
    await expect(page.locator("html")).not.toHaveAttribute("data-theme", "projector");
  },
  clear: async (page, [escape = ""]) => {
    await page.locator(".run").first().press("Enter");
    await expect(details(page)).toContainText("Why it ran");
    await press(page, escape);
    await expect(details(page)).toContainText("Latest reconciles");
  },
  list: async (page, [question = ""]) => {
    await press(page, question);
    await expect(page.locator("#keys")).toBeVisible();
  },
};

test("every key of the list under ? does what the list says", async ({ demo, dash, context }) => {
  test.setTimeout(180_000);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  for (const replicas of ["2", "4", "3"])
    await demo.action("scale", { namespace: "default", name: "web", replicas }).catch(() => "");
  const listed = await dash.locator("#keys dl > div").evaluateAll((rows) =>
    rows.map((row) => ({
      name: row.querySelector<HTMLElement>("[data-key]")?.dataset["key"] ?? "",
      keys: [...row.querySelectorAll("kbd")].map((key) => key.textContent),
    })),
  );
  expect(listed.map(({ name }) => name).sort()).toEqual(Object.keys(proofs).sort());
  for (const { name, keys } of listed) {
    await test.step(name, async () => {
      await dash.goto(demo.origin);
      await dash.locator("#keys-open:not([hidden])").waitFor();
      await expect(dash.locator(".run").first()).toBeVisible();
      await proofs[name]?.(dash, keys, demo.origin);
    });
  }
});

test("the list of keys is in sight whole, and at hand on a narrow page too", async ({ dash }) => {
  await dash.keyboard.press("?");
  const list = dash.locator("#keys");
  await expect(list.getByRole("button", { name: "Close" })).toBeInViewport({ ratio: 1 });
  await expect(list.getByLabel("All of these keys")).toBeInViewport({ ratio: 1 });
  await dash.screenshot({ path: test.info().outputPath("keys.png") });
  await dash.keyboard.press("Escape");
  await dash.setViewportSize({ width: 320, height: 640 });
  await dash.getByRole("button", { name: "Keys" }).click();
  await expect(list).toBeVisible();
  await dash.screenshot({ path: test.info().outputPath("narrow.png") });
});

/** What can be pressed or filled in, is in sight and does not come to the focus by Tab. A list has one place for all of its rows. */
async function unreached(page: Page): Promise<string[]> {
  await page.evaluate(() => {
    for (const old of document.querySelectorAll("[data-reached]")) old.removeAttribute("data-reached");
    (document.activeElement as HTMLElement | null)?.blur();
  });
  for (let i = 0; i < 150; i++) {
    await page.keyboard.press("Tab");
    const again = await page.evaluate(() => {
      const at = document.activeElement;
      const seen = at?.hasAttribute("data-reached") === true;
      at?.setAttribute("data-reached", "");
      return seen && at !== document.body;
    });
    if (again) break;
  }
  return page.evaluate(() => {
    const kinds = "button, a[href], select, input, summary, [role=slider], [role=button]";
    return [...document.querySelectorAll<HTMLElement>(kinds)]
      .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.matches(":disabled, :disabled *"))
      .filter((one) => one.closest("dialog:not([open])") === null && !one.hasAttribute("data-reached"))
      .filter((one) => one.closest(".map [data-slot]") === null)
      .filter((one) => (one.closest(".runs")?.querySelector("[data-reached]") ?? null) === null)
      .map((one) => (one.getAttribute("aria-label") ?? one.textContent).trim() || one.outerHTML.slice(0, 80));
  });
}

test("whatever the page has to press comes to the focus by Tab, in each of its states", async ({ demo, dash }) => {
  test.setTimeout(120_000);
  await demo.action("scale", { namespace: "default", name: "web", replicas: "5" }).catch(() => "");
  // What is drawn anew while one walks was not reached: from then on, nothing comes that would be.
  let walks = false;
  await dash.routeWebSocket(/\/api\/v1\/watch/, (socket) => {
    socket.connectToServer().onMessage((message) => {
      if (!walks || (JSON.parse(String(message)) as { type: string }).type !== "rows") socket.send(message);
    });
  });
  await dash.reload();
  await dash.locator("#keys-open:not([hidden])").waitFor({ state: "attached" });
  await expect(dash.locator(".run").first()).toBeVisible();
  walks = true;
  await dash.keyboard.press(".");
  // Something may come while one walks, as the way to "Why nothing?" does: then one walks again.
  await expect.poll(() => unreached(dash), "at the start").toEqual([]);
  for (const name of ["Try it", "Control", "View"]) {
    const button = dash.locator(".top-tools").getByText(name, { exact: true });
    await button.press("Enter");
    await expect.poll(() => unreached(dash), name).toEqual([]);
    await (name === "Try it" ? dash.locator("#tryit [data-part=close]") : button).press("Enter");
  }
  await dash.locator(".tabs").getByText("Controllers", { exact: true }).press("Enter");
  await expect.poll(() => unreached(dash), "Controllers").toEqual([]);
  await dash.locator(".tabs").getByText("Latest", { exact: true }).press("Enter");
  await dash.locator(".run").first().press("Enter");
  for (const tab of ["Reconcile", "Item", "Chain"]) {
    await dash.locator(".tabs").getByText(tab, { exact: true }).press("Enter");
    await expect.poll(() => unreached(dash), tab).toEqual([]);
  }
});

test("a skip link leads to the details, which scroll by the arrow keys", async ({ dash }) => {
  await dash.setViewportSize({ width: 1280, height: 500 });
  await dash.locator(".run").first().press("Enter");
  await expect(dash.locator("#details")).toContainText("Why it ran");
  const skip = dash.getByRole("link", { name: "Skip to the details" });
  await skip.focus();
  await dash.keyboard.press("Enter");
  await expect(dash.locator("#details")).toBeFocused();
  await dash.keyboard.press("ArrowDown");
  await expect.poll(() => dash.locator("#details").evaluate((panel) => panel.scrollTop)).toBeGreaterThan(0);
});

async function saved(page: Page, press: () => Promise<void>): Promise<string> {
  const download = page.waitForEvent("download");
  await press();
  return (await download).suggestedFilename();
}

test("pictures, sessions, issues and links are saved and copied by the keyboard alone", async ({ dash, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const copied = (): Promise<string> => dash.evaluate(() => navigator.clipboard.readText());
  const view = dash.locator("#menu summary");
  const menu = async (name: string | RegExp): Promise<void> => {
    await use(dash, view);
    await use(dash, dash.locator("#menu").getByRole("button", { name }));
    // The next Tab goes on from there, and not from the page's beginning.
    await expect(view).toBeFocused();
  };
  expect(await saved(dash, () => use(dash, dash.getByRole("link", { name: "Save this session" })))).toMatch(/\.gz$/);
  expect(await saved(dash, () => menu(/SVG/))).toMatch(/\.svg$/);
  expect(await saved(dash, () => menu(/PNG/))).toMatch(/\.png$/);
  await menu("High contrast");
  await expect(dash.locator("html")).toHaveAttribute("data-theme", "contrast");
  await menu("Auto");
  await use(dash, dash.locator('.run[tabindex="0"]'));
  await use(dash, dash.getByRole("button", { name: "Copy as issue" }));
  await expect.poll(copied).toMatch(/^### [^ ]+\/[^ ]+: /);
  await use(dash, dash.getByRole("button", { name: "Copy link" }));
  await expect.poll(copied).toContain("#at=");
});

test("a frame for another site is copied by the keyboard alone", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const hub = await Hub.serve("--embed-ancestor", "http://127.0.0.1:1");
  await page.goto(hub.login);
  await use(page, page.locator("#menu summary"));
  await use(page, page.getByRole("button", { name: "Copy a frame for a site" }));
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("<iframe");
  await hub.stop();
});

test("time is stopped, gone through and played by the keyboard alone", async ({ demo, dash }) => {
  const place = dash.locator(".position");
  await use(dash, named(dash, "Pause the picture"));
  await expect(place).toContainText("paused");
  await use(dash, named(dash, "Previous reconcile"));
  await expect(details(dash)).toContainText("Why it ran");
  await use(dash, named(dash, "Slower"));
  await expect(dash.locator('[data-part="speed"]')).toHaveText("1/2");
  await use(dash, named(dash, "Faster"));
  await expect(dash.locator('[data-part="speed"]')).toHaveText("1×");
  await use(dash, dash.getByRole("slider", { name: "Time" }), "PageDown");
  await expect(place).toContainText("paused");
  await use(dash, named(dash, "Live"));
  await expect(place).toContainText("following");
  const notice = dash.locator("#notice");
  await dash.goto(`${demo.origin}/#at=1000000`);
  await use(dash, notice.getByRole("button", { name: "Go there" }));
  await expect(place).toContainText("paused");
  await dash.goto(`${demo.origin}/?recording=lesson-1`);
  await expect(dash.locator('#lesson [data-part="beat"]')).toHaveText("beat 1 of 8");
  await dash.keyboard.press("End");
  await use(dash, notice.getByRole("button", { name: "Play again" }));
  await expect(dash.locator("#transport [data-part=where]")).toHaveText("1× speed");
});

test("what is done to the cluster and to the controller is done by the keyboard alone", async ({ dash }) => {
  await use(dash, named(dash, "Try it"));
  const panel = dash.locator("#tryit");
  const said = panel.locator('[data-part="said"]');
  await tabTo(dash, panel.getByLabel("New PodSet"));
  await dash.keyboard.type("by-keys");
  await dash.keyboard.press("Enter");
  await expect(said).toContainText("default/by-keys");
  await tabTo(dash, panel.locator('[data-part="item"]'));
  await dash.keyboard.type("default/by-keys");
  await use(dash, named(dash, "One more"));
  for (const name of ["Scale", "Delete a Pod", "Change the template", "Five edits at once", "Conflicting write"]) {
    await use(dash, panel.getByRole("button", { name, exact: true }));
    // What it says while it waits for the answer ends so.
    await expect(said, name).toHaveText(/[^ ]…?$/);
    await expect(said, name).not.toHaveText(/ …$/);
  }
  await use(dash, panel.getByRole("button", { name: /^Delete the PodSet/ }));
  await expect(said).toContainText("deleted");
  await dash.keyboard.press("Escape");
  await use(dash, named(dash, "Control"));
  const strip = dash.locator("#control");
  await use(dash, strip.locator("summary"));
  await tabTo(dash, strip.getByLabel("of", { exact: true }));
  await dash.keyboard.type("default/nobody");
  for (const name of ["Add a breakpoint", "Slow down", "Inject"]) {
    await use(dash, strip.getByRole("button", { name }));
    await expect(strip.locator(".stand")).toHaveCount(1);
    await use(dash, strip.getByRole("button", { name: /^Lift: / }));
    await expect(strip.locator(".stand")).toHaveCount(0);
  }
});

test("an item in the waiting room is chosen by Enter and by Space", async ({ demo, page }) => {
  const now = (): number => Date.now() * 1000;
  const wait = { row: "wait", controller: "podset", state: "delayed", from: now(), to: 0, until: now() + 600e6 };
  const items = ["default/late", "default/later"];
  await page.routeWebSocket(/\/api\/v1\/watch/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      socket.send(message);
      const frame = JSON.parse(String(message)) as { type: string; offset: number };
      if (frame.type !== "snapshot") return;
      const rows = items.map((item) => ({ ...wait, key: `podset/${item}/delayed`, item, why: "requeue_after" }));
      socket.send(JSON.stringify({ type: "rows", offset: frame.offset, now: now(), rows, gone: [] }));
    });
  });
  await page.goto(demo.login);
  for (const [item, key] of [
    ["default/late", "Enter"],
    ["default/later", " "],
  ] as const) {
    const ring = page.locator(`.ring[data-item="${item}"]`);
    await use(page, ring, key);
    await expect(ring).toHaveClass(/is-selected/);
  }
});
