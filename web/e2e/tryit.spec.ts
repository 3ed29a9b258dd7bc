import type { Locator, Page } from "@playwright/test";

import { copiedLink } from "./common.ts";
import { type ReconcileLine, choose, expect, test } from "./demo.ts";
import { multiply } from "./lanes.ts";

/** Opens the actions, for one PodSet. */
async function tryIt(page: Page, name: string): Promise<Locator> {
  await page.getByRole("button", { name: "Try it" }).click();
  const panel = page.locator("#tryit");
  await panel.locator('[data-part="item"]').selectOption(`default/${name}`);
  return panel;
}

test("Try it asks for no more than is allowed, folds for a reconcile, and Esc closes it", async ({ demo, dash }) => {
  await demo.action("scale", { namespace: "default", name: "web", replicas: "3" });
  const panel = await tryIt(dash, "web");
  const more = panel.getByRole("button", { name: "One more" });
  // A reconcile that comes in between sets the number to what the PodSet has.
  await expect(async () => {
    while (await more.isEnabled()) await more.click({ timeout: 1000 });
    await expect(panel.locator('[data-part="replicas"]')).toHaveText("20", { timeout: 200 });
  }).toPass();
  await expect(more).toBeDisabled();

  await dash.screenshot({ path: test.info().outputPath("open.png") });
  await dash.locator(".run").first().click();
  await expect(dash.locator("#details")).toContainText("Why it ran");
  await expect(panel.locator("fieldset")).toBeHidden();
  await dash.screenshot({ path: test.info().outputPath("folded.png") });
  await panel.getByRole("button", { name: "Show" }).click();
  await expect(panel.locator("fieldset")).toBeVisible();
  await panel.locator('[data-part="name"]').press("Escape");
  await expect(panel).toBeHidden();
  await expect(dash.locator("#details")).toContainText("Why it ran");
  await dash.keyboard.press("Escape");
  await expect(dash.locator("#details")).toContainText("Latest reconciles");
});

test("Try it has the same width with a scrollbar and without, so that none stays when the window grows", async ({
  demo,
  playwright,
}) => {
  const { executablePath, args } = test.info().project.use.launchOptions ?? {};
  const options = { executablePath: executablePath ?? "", args: args ?? [], ignoreDefaultArgs: ["--hide-scrollbars"] };
  const browser = await playwright.chromium.launch(options);
  const page = await browser.newPage({ viewport: { width: 1280, height: 480 } });
  await page.goto(demo.login);
  await page.locator("#keys-open:not([hidden])").waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Try it" }).click();
  const panel = page.locator("#tryit");
  const size = (): Promise<readonly [boolean, number]> =>
    panel.locator(".tryit-body").evaluate((it) => [it.scrollHeight > it.clientHeight, it.clientWidth] as const);
  await expect(panel.locator("fieldset")).toBeVisible();
  const [scrolls, width] = await size();
  expect(scrolls).toBe(true);
  await page.setViewportSize({ width: 1280, height: 1000 });
  await expect.poll(size).toEqual([false, width]);
  await browser.close();
});

test("an action and a choice bring their lane into sight", async ({ demo, page }) => {
  await multiply(page, ["another"]);
  await page.goto(demo.login);
  await choose(page, "projector");
  const [first, last] = [page.locator('[data-lane="another"]'), page.locator('[data-lane="podset"]')];
  await expect(page.locator("tracer-lane")).toHaveCount(2);
  const below = (await page.locator("tracer-lane").last().getAttribute("data-lane")) === "podset" ? last : first;
  const name = (await below.getAttribute("data-lane")) ?? "";
  await expect(below).not.toBeInViewport({ ratio: 0.5 });
  await page.locator(".run", { hasText: name }).first().click();
  await expect(below).toBeInViewport({ ratio: 0.9 });
});

test("one row of the list is in the order of Tab, the arrow keys go through the others", async ({ dash }) => {
  await expect(dash.locator(".run").nth(1)).toBeVisible();
  await expect(dash.locator('.run[tabindex="0"]')).toHaveCount(1);
  await dash.locator('.run[tabindex="0"]').focus();
  await dash.keyboard.press("ArrowDown");
  await expect(dash.locator(".run").nth(1)).toBeFocused();
  await expect(dash.locator('.run[tabindex="0"]')).toHaveCount(1);
});

/** Every button of the form is whole, or it is said that there is more below, and to be had by a press on that. */
async function reachable(panel: Locator): Promise<void> {
  const more = panel.getByRole("button", { name: "More actions" });
  const last = panel.getByRole("button", { name: "Create", exact: true });
  const body = panel.locator(".tryit-body");
  const scrolls = await body.evaluate((it) => {
    it.scrollTop = 0;
    return it.scrollHeight - it.clientHeight > 1;
  });
  await expect(more).toBeVisible({ visible: scrolls });
  const foot = async (it: Locator): Promise<number> => {
    const box = await it.boundingBox();
    return (box?.y ?? NaN) + (box?.height ?? NaN);
  };
  await expect(async () => {
    if (await more.isVisible()) await more.click();
    await expect(more).toBeHidden({ timeout: 100 });
  }).toPass();
  expect(await foot(last)).toBeLessThanOrEqual(await foot(body));
}

test("Try it moves nothing when an action is answered, and leads to the conflict that it has brought about", async ({
  demo,
  dash,
}) => {
  await demo.action("scale", { namespace: "default", name: "web", replicas: "4" });
  const panel = await tryIt(dash, "web");
  const places = (): Promise<number[]> =>
    panel.locator("button:visible").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  for (const width of [1280, 390]) {
    await dash.setViewportSize({ width, height: 720 });
    const edits = panel.getByRole("button", { name: "Five edits at once" });
    // The answer of the width before stands above the bar.
    await edits.evaluate((button) => {
      button.scrollIntoView({ block: "center" });
    });
    const before = await places();
    await edits.click();
    await expect(panel.locator('[data-part="said"]')).toContainText("five times");
    expect((await places()).slice(0, before.length)).toEqual(before);
    await expect(panel.locator('[data-part="said"]')).toBeInViewport({ ratio: 1 });
    await expect(panel.getByRole("button", { name: "Close" })).toBeInViewport();
  }
  await dash.setViewportSize({ width: 1280, height: 720 });
  // Whether the controller meets a conflict is up to the API server: it may take another try.
  const conflict = panel.getByRole("button", { name: "Show the reconcile" });
  await expect(async () => {
    await panel.getByRole("button", { name: "Conflicting write" }).click();
    await expect(panel.locator('[data-part="said"]')).toContainText("409 Conflict");
    await expect(conflict).toBeVisible({ timeout: 4000 });
  }).toPass();
  // One sentence, of one conflict: which write was refused, and whose had come before it.
  await expect(panel.locator('[data-part="said"]')).toHaveText(
    /^podset's status write on rv \d+ was refused, 409 Conflict: tracer-page had made rv \d+ first\.Show the reconcile$/,
  );
  for (const theme of ["projector", "light"]) {
    await choose(dash, theme);
    await dash.screenshot({ path: test.info().outputPath(`conflict-${theme}.png`) });
    await reachable(panel);
  }
  await conflict.click();

  // It is said at once, with the name of whose write it was.
  const details = dash.locator("#details");
  const said = details.locator(".flags").first();
  await expect(said).toContainText(
    /PUT status of web refused: 409 Conflict, sent on rv [\d\s]+, but tracer-page had made rv [\d\s]+ \(.*seen by reconcile \d+/,
  );
  await expect(said).toBeInViewport({ ratio: 1 });
  await dash.screenshot({ path: test.info().outputPath("named.png") });
  const rv = /made rv ([\d\s]+) /.exec((await said.textContent()) ?? "")?.[1] ?? "";
  await said.getByRole("button", { name: "seen by" }).click();
  await expect(details.locator(".causes .cause", { hasText: `rv ${rv}` })).toContainText("tracer-page");
});

test("beside Try it the list keeps its room, an answer lies over nothing, and a tab folds it", async ({
  demo,
  dash,
}) => {
  await demo.action("scale", { namespace: "default", name: "web", replicas: "3" });
  const panel = await tryIt(dash, "web");
  const details = dash.locator("#details");
  const tabs = dash.locator(".tabs");
  const height = async (): Promise<number> =>
    ((await details.boundingBox())?.height ?? 0) + ((await tabs.boundingBox())?.height ?? 0);
  for (const [theme, least] of [
    ["light", 210],
    ["projector", 160],
  ] as const) {
    await choose(dash, theme);
    await panel.getByRole("button", { name: "Five edits at once" }).click();
    await expect(panel.locator('[data-part="said"]')).toContainText("five times");
    await dash.screenshot({ path: test.info().outputPath(`answered-${theme}.png`) });
    expect(await height()).toBeGreaterThan(least);
    const [fields, said] = await Promise.all(
      [".tryit-body", ".tryit-said"].map((part) => panel.locator(part).boundingBox()),
    );
    expect(said?.y ?? 0).toBeGreaterThanOrEqual((fields?.y ?? Infinity) + (fields?.height ?? 0));
    expect((said?.y ?? 0) + (said?.height ?? 0)).toBeLessThanOrEqual((await tabs.boundingBox())?.y ?? 0);
    const wide = await panel
      .locator("button > span")
      .evaluateAll((all) => all.some((it) => it.scrollWidth > (it.parentElement?.clientWidth ?? 0)));
    expect(wide).toBe(false);
  }
  await choose(dash, "light");
  await tabs.getByRole("button", { name: "Controllers" }).click();
  await expect(panel.locator("fieldset")).toBeHidden();
  await expect(panel.locator('[data-part="said"]')).toBeInViewport({ ratio: 1 });
  await expect(dash.locator(".legend")).toBeInViewport({ ratio: 1 });
  expect(await height()).toBeGreaterThan(300);
  await dash.screenshot({ path: test.info().outputPath("folded-for-a-tab.png") });
  // On a narrow page nothing is to be folded.
  await panel.getByRole("button", { name: "Show" }).click();
  await dash.setViewportSize({ width: 390, height: 844 });
  await tabs.getByRole("button", { name: "Latest" }).click();
  await expect(details).toContainText("Latest reconciles");
  await expect(panel.locator("fieldset")).toBeVisible();
});

test("Try it keeps the PodSet that was chosen, says what it has, and chooses the one that it creates itself", async ({
  demo,
  dash,
  context,
}) => {
  await demo.action("scale", { namespace: "default", name: "web", replicas: "2" });
  const other = await context.newPage();
  await other.goto(demo.origin);
  const beside = await tryIt(other, "web");
  const panel = await tryIt(dash, "web");
  const item = panel.locator('[data-part="item"]');
  await expect(panel.locator("#scale-label")).toHaveText("Replicas 2 →");
  await demo.action("create", { namespace: "default", name: "beside", replicas: "1" });
  await expect(item.locator("option", { hasText: "default/beside" })).toHaveCount(1);
  await expect(item).toHaveValue("default/web");
  await panel.getByLabel("New PodSet").fill("aside");
  await panel.getByLabel("New PodSet").press("Enter");
  await expect(panel.locator('[data-part="said"]')).toContainText("default/aside");
  await expect(panel.getByRole("button", { name: "Create", exact: true })).toHaveAttribute("title", "With 3 replicas");
  await expect.poll(async () => (await demo.reconciles("default/aside"))[0]?.plan[0]?.summary).toBe("create 3 Pods");
  await expect(item).toHaveValue("default/aside");
  await expect(panel.locator("#scale-label")).toHaveText("Replicas 3 →");
  // Another page of the same browser keeps its own.
  await expect(beside.locator('[data-part="item"] option', { hasText: "default/aside" })).toHaveCount(1);
  await expect(beside.locator('[data-part="item"]')).toHaveValue("default/web");
  await dash.reload();
  await dash.getByRole("button", { name: "Try it" }).click();
  await expect(item).toHaveValue("default/aside");
  for (const name of ["aside", "beside"]) await demo.action("delete", { namespace: "default", name });
  await other.close();
});

test("the first press of Scale changes something, and what was deleted comes back as it was", async ({
  demo,
  dash,
}) => {
  await demo.action("create", { namespace: "default", name: "undone", replicas: "2" });
  const panel = await tryIt(dash, "undone");
  await expect(panel.locator('[data-part="replicas"]')).toHaveText("3");
  await panel.getByRole("button", { name: "Scale", exact: true }).click();
  await expect(panel.locator('[data-part="said"]')).toContainText("from 2 to 3");
  await expect(panel.locator('[data-part="replicas"]')).toHaveText("4");
  await panel.getByRole("button", { name: "Delete the PodSet · you can create it again" }).click();
  await panel.getByRole("button", { name: "Create it again", exact: true }).click();
  await expect(panel.locator('[data-part="said"]')).toContainText("with 3 replicas");
});

test("Try it says when the hub has not answered, and what it answers when it does", async ({ demo, dash }) => {
  await demo.action("scale", { namespace: "default", name: "web", replicas: "2" });
  const panel = await tryIt(dash, "web");
  let go: () => void = () => undefined;
  const stuck = new Promise<void>((done) => (go = done));
  await dash.route("**/api/v1/actions/scale", async (route) => {
    await stuck;
    await route.continue();
  });
  await panel.getByRole("button", { name: "Scale", exact: true }).click();
  const said = panel.locator('[data-part="said"]');
  await expect(said).toHaveText("Scaling web …");
  await expect(said).toContainText("The hub has not answered for 5 s");
  go();
  await expect(said).toContainText("from 2 to");
});

test("Scale asks for what was chosen for this PodSet, also in the moment after another was chosen", async ({
  demo,
  dash,
}) => {
  await demo.action("create", { namespace: "default", name: "small", replicas: "1" });
  await demo.action("create", { namespace: "default", name: "large", replicas: "6" });
  const panel = await tryIt(dash, "large");
  await expect(panel.locator("#scale-label")).toHaveText("Replicas 6 →");
  const sent = dash.waitForRequest("**/api/v1/actions/scale");
  await panel.locator('[data-part="item"]').evaluate((select: HTMLSelectElement) => {
    select.value = "default/small";
    select.dispatchEvent(new Event("change", { bubbles: true }));
    document.querySelector<HTMLElement>('#tryit [data-action="scale"]')?.click();
  });
  expect((await sent).postDataJSON()).toEqual({ namespace: "default", name: "small", replicas: "2" });
  for (const name of ["small", "large"]) await demo.action("delete", { namespace: "default", name });
});

test("a speed that is chosen before an action is that at which it is shown, from its first moment on", async ({
  demo,
  dash,
}) => {
  await demo.action("create", { namespace: "default", name: "slow", replicas: "1" });
  const panel = await tryIt(dash, "slow");
  await expect(panel.locator("#scale-label")).toHaveText("Replicas 1 →");
  for (let i = 0; i < 4; i++) await dash.getByRole("button", { name: "Slower" }).click();
  const clicked = Date.now() * 1000;
  await panel.getByRole("button", { name: "Scale", exact: true }).click();
  await expect(panel.locator('[data-part="said"]')).toContainText("from 1 to 2");
  const bar = dash.locator("#transport");
  await expect(bar.locator('[data-part="where"]')).toHaveText("1/30 speed");
  await expect(dash.locator("#notice")).toContainText("It plays slowly, from the action on.");
  const at = Number(/at=(\d+)/.exec(await copiedLink(dash))?.[1]);
  expect(at).toBeGreaterThan(clicked - 100_000);
  const since = async (): Promise<ReconcileLine[]> =>
    (await demo.reconciles("default/slow")).filter(({ from }) => from > clicked);
  await expect.poll(async () => (await since()).length).toBeGreaterThan(0);
  expect(at).toBeLessThan((await since())[0]?.from ?? 0);
  await dash.screenshot({ path: test.info().outputPath("slow.png") });
  await dash.keyboard.press("End");
  await expect(bar.locator('[data-part="more"]')).toHaveText("following, live");
  await demo.action("delete", { namespace: "default", name: "slow" });
});

test("Try it shows the field that a refusal is about, and cuts through no row", async ({ demo, dash }) => {
  await demo.action("scale", { namespace: "default", name: "web", replicas: "2" });
  const panel = await tryIt(dash, "web");
  const more = panel.getByRole("button", { name: "More actions" });
  const name = panel.getByLabel("New PodSet");
  /** What of the rows is cut through, by the box or by what says that there is more. */
  const cut = (): Promise<string[]> =>
    panel.locator(".tryit-body").evaluate((body) => {
      const next = body.nextElementSibling?.getBoundingClientRect();
      const end = next !== undefined && next.height > 0 ? next.top + 2 : body.getBoundingClientRect().bottom;
      return [...body.querySelectorAll("button, input")]
        .filter((row) => row.getBoundingClientRect().top < end && row.getBoundingClientRect().bottom > end)
        .map((row) => row.textContent);
    });
  for (const theme of ["dark", "projector"]) {
    await choose(dash, theme);
    await expect.poll(cut, theme).toEqual([]);
    await name.fill("web");
    await name.press("Enter");
    await expect(panel.locator('[data-part="said"]')).toContainText("exists already");
    await dash.screenshot({ path: test.info().outputPath(`refused-${theme}.png`) });
    await expect.poll(cut, theme).toEqual([]);
    const box = await name.boundingBox();
    const foot = (box?.y ?? Infinity) + (box?.height ?? 0);
    const edge = (await more.isVisible())
      ? await more.boundingBox()
      : await panel.locator('[data-part="said"]').boundingBox();
    expect(foot, theme).toBeLessThanOrEqual(edge?.y ?? 0);
    await panel.locator(".tryit-body").evaluate((body) => (body.scrollTop = 0));
    await expect.poll(cut, theme).toEqual([]);
  }
  await choose(dash, "light");
});
