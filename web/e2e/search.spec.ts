import AxeBuilder from "@axe-core/playwright";
import type { Locator, Page } from "@playwright/test";

import { pick, slowly } from "./common.ts";
import { type Demo, choose, expect, test } from "./demo.ts";

const names = ["cart", "cafe"] as const;

const field = (dash: Page): Locator => dash.getByRole("combobox", { name: "Search reconciles" });
const terms = (dash: Page): Locator => dash.locator("#terms");

/** How many reconciles match, and of how many, as the page says it. */
async function counted(dash: Page): Promise<{ n: number; of: number }> {
  const said = (await terms(dash).textContent()) ?? "";
  const [, n = "", of = ""] = /([\d,]+) of ([\d,]+) match/.exec(said) ?? [];
  return { n: Number(n.replace(",", "")), of: Number(of.replace(",", "")) };
}

/** The list is of these items alone. */
async function listed(dash: Page, items: readonly string[]): Promise<void> {
  await expect.poll(async () => [...new Set(await dash.locator(".run-item").allTextContents())]).toEqual(items);
}

async function make(demo: Demo): Promise<void> {
  for (const name of names) {
    await demo.action("create", { namespace: "default", name, replicas: "2" }).catch((error: unknown) => {
      if (!String(error).includes("exists")) throw error;
    });
    const ready = async (): Promise<boolean> => (await demo.reconciles(`default/${name}`)).length > 1;
    await expect.poll(ready).toBe(true);
  }
}

test.beforeEach(async ({ demo }) => {
  await make(demo);
});

test("by the keyboard alone: search, complete, see what matches, clear", async ({ demo, dash }) => {
  await expect(dash.locator(".run", { hasText: "cafe" }).first()).toBeVisible();
  await dash.keyboard.press("/");
  await expect(field(dash)).toBeFocused();
  await expect(dash.getByRole("option", { name: /^controller:/ })).toBeVisible();
  await dash.keyboard.type("ite");
  await dash.keyboard.press("Tab");
  await expect(field(dash)).toHaveValue("item:");
  await dash.keyboard.type("ca");
  const options = dash.getByRole("option");
  await expect(options).toHaveText([/^default\/ca(?:rt|fe)\d+$/, /^default\/ca(?:rt|fe)\d+$/]);
  await dash.keyboard.press("ArrowDown");
  const chosen = await field(dash).getAttribute("aria-activedescendant");
  await expect(dash.locator(`#${chosen ?? "none"}`)).toHaveAttribute("aria-selected", "true");
  const item = ((await options.first().locator("span").first().textContent()) ?? "").trim();
  await dash.keyboard.press("Enter");
  await expect(field(dash)).toHaveValue(`item:${item} `);
  await expect(field(dash)).toHaveAttribute("aria-expanded", "false");

  const known = await demo.reconciles(item);
  await expect.poll(async () => (await counted(dash)).n).toBeGreaterThanOrEqual(known.length);
  expect((await counted(dash)).of).toBeGreaterThan(known.length);
  await listed(dash, [item.replace("default/", "")]);

  // Escape empties the field, and then leaves it.
  await dash.keyboard.press("Escape");
  await expect(field(dash)).toHaveValue("");
  await expect(terms(dash)).toBeHidden();
  await dash.keyboard.press("Escape");
  await expect(field(dash)).not.toBeFocused();
  await expect(dash.locator(".run", { hasText: item === "default/cart" ? "cafe" : "cart" }).first()).toBeVisible();
});

test("terms are chips that can be removed one by one", async ({ dash }) => {
  await field(dash).fill("item:cart result:success -error:Conflict");
  await dash.keyboard.press("Enter");
  // The keys are the page's again: n looks for an error, and types no letter.
  await expect(field(dash)).not.toBeFocused();
  await dash.keyboard.press("n");
  await expect(dash.locator("#notice")).toContainText("Shift+N looks the other way");
  await dash.keyboard.press("End");
  await expect(terms(dash).getByRole("button", { name: /^Remove/ })).toHaveText([
    "item:cart×",
    "result:success×",
    "-error:Conflict×",
  ]);
  await terms(dash).getByRole("button", { name: "Remove result:success" }).click();
  await expect(field(dash)).toHaveValue("item:cart -error:Conflict");
  await terms(dash).getByRole("button", { name: "Remove item:cart" }).click();
  await terms(dash).getByRole("button", { name: "Remove -error:Conflict" }).click();
  await expect(terms(dash)).toBeHidden();
});

test("nothing that matches says so, and offers to clear", async ({ dash }) => {
  await field(dash).fill("item:nowhere/*");
  await dash.keyboard.press("Enter");
  await expect(terms(dash)).toContainText(/0 of \d+ match\. ?Clear filters/);
  await expect(dash.locator("#details")).toContainText("None match.");
  await expect(dash.locator("tracer-lane [data-part=reconciles]")).not.toHaveText("0");
  await terms(dash).getByRole("button", { name: "Clear filters" }).click();
  await expect(dash.locator(".run").first()).toBeVisible();
  expect(new URL(dash.url()).hash).toBe("");
});

test("Enter goes to the matches, whatever was shown or used before, and without terms the keys are the page's", async ({
  dash,
}) => {
  const keys = async (): Promise<void> => {
    await dash.keyboard.press(" ");
    await expect(dash.locator("#transport")).toContainText("paused");
    await dash.keyboard.press("End");
    await expect(dash.locator("#transport")).toContainText("following");
  };
  await dash.getByRole("button", { name: "Try it" }).click();
  await dash.locator("#tryit").getByRole("button", { name: "Close" }).click();
  await dash.locator(".tabs").getByRole("button", { name: "Controllers" }).click();
  await dash.getByRole("button", { name: "Try it" }).focus();
  await dash.keyboard.press("/");
  await dash.keyboard.type("cart");
  await dash.keyboard.press("Enter");
  await expect(dash.getByRole("heading", { name: "Matching reconciles" })).toBeFocused();
  await expect(dash.locator(".run").first()).toContainText("cart");
  await keys();
  await dash.screenshot({ path: test.info().outputPath("found.png") });

  const [number] = await dash.locator(".run-n").allTextContents();
  await dash.locator(".run").first().click();
  await expect(dash.locator("#details")).toContainText(`reconcile ${number?.slice(1) ?? "?"} of`);
  for (let i = 0; i < 8; i++) await dash.keyboard.press("Shift+ArrowRight");
  await expect(dash.locator("#notice")).toHaveText("No later match");
  await dash.keyboard.press("Shift+ArrowLeft");
  await expect(dash.locator("#notice:visible", { hasText: "No later match" })).toHaveCount(0);
  await dash.keyboard.press("End");

  const clear = terms(dash).getByRole("button", { name: "Clear filters" });
  const remove = terms(dash).getByRole("button", { name: "Remove cart" });
  for (const away of [clear, remove]) {
    await field(dash).fill("cart");
    await dash.keyboard.press("Enter");
    await away.click();
    await expect(terms(dash)).toBeHidden();
    await expect(dash.locator("#search-list")).toBeHidden();
    await keys();
  }
});

test("a query with an error says where, and keeps the last good result", async ({ dash }) => {
  await field(dash).fill("item:cart");
  await dash.keyboard.press("Enter");
  await expect(terms(dash)).toContainText("match");
  await field(dash).fill("item:cart contrller:podset");
  await dash.keyboard.press("Enter");
  await expect(dash.locator("#search-error")).toHaveText("unknown field contrller at 11 – did you mean controller?");
  await expect(field(dash)).toHaveAttribute("aria-invalid", "true");
  await expect(field(dash)).toBeFocused();
  await expect(dash.locator("#search mark")).toHaveText("contrller");
  const [under, text] = await Promise.all([dash.locator("#search mark").boundingBox(), field(dash).boundingBox()]);
  expect(under !== null && text !== null && under.x > text.x && under.x + under.width < text.x + text.width).toBe(true);
  await listed(dash, ["cart"]);
  await expect(terms(dash).getByRole("button", { name: /^Remove/ })).toHaveCount(1);
  await field(dash).fill("item:cart controller:podset");
  await dash.keyboard.press("Enter");
  await expect(dash.locator("#search-error")).toBeHidden();
  await expect(terms(dash).getByRole("button", { name: /^Remove/ })).toHaveCount(2);
});

test("the search is in the address: a reload keeps it, and a link takes it along", async ({ dash, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await field(dash).fill("item:cart result:success");
  await dash.keyboard.press("Enter");
  await expect(terms(dash)).toContainText("match");
  expect(new URL(dash.url()).hash).toBe("#q=item%3Acart%20result%3Asuccess");
  await dash.reload();
  await expect(field(dash)).toHaveValue("item:cart result:success");
  await expect(terms(dash).getByRole("button", { name: /^Remove/ })).toHaveCount(2);
  await dash.locator(".skip").first().focus();
  await dash.keyboard.press("Enter");
  await expect(dash.locator("#map")).toBeFocused();
  await expect.poll(() => new URL(dash.url()).hash).toBe("#q=item%3Acart%20result%3Asuccess");
  await listed(dash, ["cart"]);
  await dash.locator(".run").first().click();
  await dash.keyboard.press(".");
  await dash.keyboard.press("c");
  await expect(dash.locator("#notice")).toContainText("Copied a link");
  const link = await dash.evaluate(() => navigator.clipboard.readText());
  expect(link).toMatch(/#at=\d+&sel=default\/cart@\d+&q=item%3Acart%20result%3Asuccess$/);
  const other = await context.newPage();
  await other.goto(link);
  await expect(other.locator("#transport")).toContainText("paused");
  await expect(field(other)).toHaveValue("item:cart result:success");
  await expect(other.locator("#details")).toContainText("default/cart");
  await other.goto(`${new URL(link).origin}/#q=resul%3Aerror`);
  await expect(other.locator("#search-error")).toContainText("unknown field resul at 1");
  await other.close();
});

test("steps, the list and the text twin go by what matches; the map dims the rest, and its counts stay", async ({
  demo,
  dash,
}) => {
  await field(dash).fill("item:cart");
  await dash.keyboard.press("Enter");
  await expect(terms(dash)).toContainText("match");
  await dash.evaluate(() => {
    (document.activeElement as HTMLElement).blur();
  });
  const runs = (await demo.reconciles("default/cart")).map((run) => run.key);
  for (let i = 0; i < 3; i++) {
    await dash.keyboard.press("Shift+ArrowLeft");
    await expect(dash.locator("#details .panel-title")).toHaveText("default/cart");
  }
  expect(runs.length).toBeGreaterThan(1);
  await dash.keyboard.press("End");
  await dash.keyboard.press("Escape");

  // Each reconcile of the cafe comes through the queue, as a slot that is not of the cart.
  await slowly(dash);
  const seen = dash.evaluate(
    () =>
      new Promise<boolean>((done) => {
        const look = (): void => {
          const cafe = document.querySelector('[data-item="default/cafe"]:is(.ring, .slot):not([hidden])');
          if (cafe === null) requestAnimationFrame(look);
          else done(cafe.classList.contains("is-dim"));
        };
        look();
      }),
  );
  await demo.action("conflict", { namespace: "default", name: "cafe" });
  expect(await seen).toBe(true);
  const twin = dash.locator(".twin");
  expect(await twin.textContent()).not.toContain("cafe");
});

test("F lets a reconcile fill the line of time, and goes back", async ({ demo, dash }) => {
  const line = dash.getByRole("slider", { name: "Time" });
  const shown = async (): Promise<string> =>
    /the line shows [^;]*/.exec((await line.getAttribute("aria-valuetext")) ?? "")?.[0] ?? "";
  await expect.poll(shown).toContain("the line shows 3 min from");
  await dash.keyboard.press("f");
  await expect(dash.locator("#notice")).toContainText("Nothing is selected");
  await pick(dash, (await demo.reconciles("default/cart")).find((run) => run.to > 0)?.key ?? "");
  await dash.keyboard.press("f");
  await expect.poll(shown).toMatch(/shows [\d.]+ ms from/);
  await dash.keyboard.press("f");
  await expect.poll(shown).toContain("shows 3 min from");
  await dash.keyboard.press("f");
  await expect.poll(shown).toMatch(/shows [\d.]+ ms from/);
  // Escape takes one step back at a time.
  await dash.keyboard.press("Escape");
  await expect.poll(shown).toContain("shows 3 min from");
  await expect(dash.locator("#details .panel-title.is-item")).toBeVisible();
  await dash.keyboard.press("Escape");
  await expect(dash.locator("#details")).toContainText("Latest reconciles");
});

test("the line of time by the keyboard, by click, by wheel and by step", async ({ dash }) => {
  const line = dash.getByRole("slider", { name: "Time" });
  const text = async (): Promise<string> => (await line.getAttribute("aria-valuetext")) ?? "";
  const time = async (): Promise<number> => {
    const [, h = "", m = "", s = ""] = /at (\d+):(\d+):([\d.]+)/.exec(await text()) ?? [];
    return (Number(h) * 60 + Number(m)) * 60 + Number(s);
  };
  await line.focus();
  await dash.keyboard.press("ArrowLeft");
  await expect.poll(text).toMatch(/^paused at [\d:.]+: .* in these 1 s; the line shows 3 min from/);
  const from = await time();
  await dash.keyboard.press("ArrowLeft");
  await expect.poll(time).toBeCloseTo(from - 1, 2);
  // Closer by so much that a tenth of the line is less than a test lasts.
  for (let i = 0; i < 5; i++) await dash.keyboard.press("+");
  await expect.poll(text).toMatch(/in these 100 ms; the line shows 17 s from/);
  await dash.keyboard.press("PageDown");
  await expect.poll(time).toBeCloseTo(from - 1 - 1.717, 2);
  await dash.keyboard.press("PageUp");
  await expect.poll(time).toBeCloseTo(from - 1, 2);
  await dash.keyboard.press("-");
  await expect.poll(text).toContain("the line shows 27 s from");
  await dash.getByRole("button", { name: "Less time" }).click();
  await expect.poll(text).toContain("the line shows 17 s from");
  const box = await line.boundingBox();
  if (box === null) throw new Error("the line has no box");
  await dash.mouse.move(box.x + box.width / 2, box.y + 20);
  await dash.mouse.wheel(0, 400);
  await expect.poll(text).not.toContain("shows 17 s");

  // Drawn by its times the line moves and the moment stays.
  const at = await time();
  const begins = (): Promise<string> => text().then((said) => said.split("from ")[1] ?? "");
  const was = await begins();
  await dash.mouse.move(box.x + 200, box.y + box.height - 6);
  await dash.mouse.down();
  await dash.mouse.move(box.x + 320, box.y + box.height - 6, { steps: 4 });
  await dash.mouse.up();
  await expect.poll(begins).not.toBe(was);
  expect(await time()).toBeCloseTo(at, 2);

  await line.focus();
  await dash.keyboard.press("Home");
  await expect.poll(text).toContain("paused");
  await dash.keyboard.press("End");
  await expect(dash.locator("#transport")).toContainText("following");
  await expect.poll(text).toMatch(/^live/);
});

test("on a narrow page the search has a line of its own, and nothing scrolls sideways", async ({ dash }) => {
  await dash.setViewportSize({ width: 390, height: 844 });
  await field(dash).fill("item:cart result:success cause:own_write,update controller:podset");
  await dash.keyboard.press("Enter");
  await expect(terms(dash)).toContainText("match");
  const box = await field(dash).boundingBox();
  expect(box?.width).toBeGreaterThan(280);
  const wide = await dash.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(wide).toBeLessThanOrEqual(0);
});

for (const theme of ["light", "dark", "contrast", "projector"]) {
  test(`axe finds nothing in a search that is on, with its list and an error, in ${theme}`, async ({ dash }) => {
    await choose(dash, theme);
    await field(dash).fill("item:cart");
    await dash.keyboard.press("Enter");
    await expect(terms(dash)).toContainText("match");
    await field(dash).fill("item:cart dur:soon ");
    await dash.keyboard.type("re");
    await expect(dash.locator("#search-error")).toContainText("dur cannot be soon");
    await dash.keyboard.press("ArrowDown");
    await expect(dash.getByRole("option", { name: /^result:/ })).toHaveAttribute("aria-selected", "true");
    const { violations } = await new AxeBuilder({ page: dash })
      .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"])
      .analyze();
    expect(violations.map(({ id, nodes }) => ({ id, at: nodes.map((node) => node.target) }))).toEqual([]);
  });
}

test("the number of errors shows only them, and again everything; the list goes on to the oldest", async ({
  dash,
  demo,
}) => {
  await dash.goto(`${demo.origin}/?recording=sample`);
  const lane = dash.locator('[data-lane="podset"]');
  await expect(dash.locator("tracer-lane")).toHaveCount(2);
  await dash.keyboard.press("End");
  const errors = lane.locator('[data-part="errors-go"]');
  await expect(errors).toBeEnabled();
  await errors.press("Enter");
  await expect(field(dash)).toHaveValue("controller:podset result:error");
  await expect(dash.locator("#details")).toContainText("Matching reconciles");
  await expect(dash.locator(".run-took.tone-error").first()).toBeVisible();
  await expect(dash.locator(".run-took:not(.tone-error)")).toHaveCount(0);
  await errors.click();
  await expect(field(dash)).toHaveValue("");
  await expect(dash.locator("#details")).toContainText("Latest reconciles");

  const rows = dash.locator(".run");
  await expect(rows).toHaveCount(60);
  const older = dash.getByRole("button", { name: "Older …" });
  await rows.last().focus();
  await dash.keyboard.press("ArrowDown");
  await expect(older).toBeFocused();
  await dash.keyboard.press("Enter");
  await expect(rows.nth(60)).toBeFocused();
  while (await older.isVisible()) await older.click();
  await expect.poll(() => rows.count()).toBeGreaterThan(120);
});
