import { pick } from "./common.ts";
import { choose, expect, test } from "./demo.ts";

test("the presenter pauses the controller, sees the hold on the map, steps, and resumes; a viewer sees what stands", async ({
  demo,
  dash,
  browser,
}) => {
  const student = await (await browser.newContext({ viewport: { width: 1280, height: 720 } })).newPage();
  await student.goto(demo.viewersLink);
  await expect(student.locator("#room")).toContainText("You follow the presenter");

  await dash.getByRole("button", { name: "Control", exact: true }).click();
  const strip = dash.locator("#control");
  await strip.getByRole("button", { name: "Pause the controller" }).click();
  await expect(strip.locator(".stands")).toContainText("paused podset");
  await expect(strip.locator(".stands")).toContainText("ends in");
  await expect(strip.getByRole("button", { name: "Pause the controller" })).toBeDisabled();
  // The answer stands there as a chip: it is read out, and not shown a second time.
  const said = strip.locator("[data-part=said]");
  await expect(said).toHaveText("presenter paused podset");
  await expect.poll(async () => (await said.boundingBox())?.height).toBe(1);
  await expect(student.locator("#control .stands")).toContainText("paused podset");
  await expect(student.getByRole("button", { name: /Lift|Pause the controller/ })).toHaveCount(0);
  // The picture goes on: it is the controller that stands.
  await expect(dash.locator("#transport")).toContainText("following, live");

  await demo.action("scale", { namespace: "default", name: "web", replicas: "4" });
  const held = dash.locator("tracer-lane .node.is-held");
  await expect(held).toHaveCount(1);
  await expect(held.locator("[data-part=note]")).toContainText("held");
  const first = await held.getAttribute("data-node");
  await strip.getByRole("button", { name: "Step a phase" }).click();
  await expect.poll(() => held.first().getAttribute("data-node")).not.toBe(first);
  // The token stands where the hand is, not in the phase before or after it.
  const open = async (): Promise<string | undefined> =>
    (await demo.reconciles("default/web")).find((run) => run.to === 0)?.key;
  await expect.poll(open).toBeDefined();
  await pick(dash, (await open()) ?? "");
  await expect(dash.locator("tracer-lane")).toHaveAttribute("data-selected-at", "fetch");
  await expect(held.first()).toHaveAttribute("data-node", "fetch");
  await strip.getByRole("button", { name: "Step a phase" }).focus();
  await dash.keyboard.press("Escape");
  await dash.locator("#control-toggle").press("k");
  await dash.keyboard.press("k");
  await expect(held).toHaveCount(0);
  await expect(strip.locator(".stand")).toHaveCount(0);
  await expect(strip.getByRole("button", { name: "Pause the controller" })).toBeEnabled();
  await expect(student.locator("#control")).toBeHidden();
  await student.context().close();
});

test("what waits in the queue is chosen by Space as by Enter", async ({ demo, dash }) => {
  await dash.getByRole("button", { name: "Control", exact: true }).click();
  const strip = dash.locator("#control");
  await strip.getByRole("button", { name: "Pause the controller" }).click();
  await expect(strip.locator(".stands")).toContainText("paused podset");
  for (const name of ["first", "second", "third"]) {
    await demo.action("create", { namespace: "default", name, replicas: "1" });
  }
  // Two workers hold the others: it has come to the top, where it stays.
  const slot = dash.locator('[data-node="queue"] .slot[data-slot="0"][data-item="default/third"]:not([hidden])');
  await slot.focus();
  await dash.keyboard.press(" ");
  await expect(slot).toHaveClass(/is-selected/);
  await expect(dash.locator("#transport")).toContainText("following");
  await strip
    .getByRole("button", { name: /^Lift: / })
    .first()
    .click();
  for (const name of ["first", "second", "third"]) await demo.action("delete", { namespace: "default", name });
});

test("a breakpoint says at its field what is wrong, stops where it says, and is lifted", async ({ demo, dash }) => {
  await dash.getByRole("button", { name: "Control", exact: true }).click();
  const strip = dash.locator("#control");
  await strip.getByText("Break, slow, fault").click();
  // However little room the strip leaves, the controller's name stays in one piece.
  await dash.setViewportSize({ width: 1280, height: 600 });
  expect((await dash.locator(".lane-name").boundingBox())?.height).toBeLessThan(32);
  await dash.setViewportSize({ width: 1280, height: 720 });
  const when = strip.getByLabel("when");
  await when.fill("weather = rain");
  await strip.getByRole("button", { name: "Add a breakpoint" }).click();
  await expect(strip.locator("[data-part=said]")).toContainText("when");
  await expect(when).toHaveAttribute("aria-invalid", "true");
  await expect(when).toBeFocused();
  await when.fill("item = default/nope");
  await strip.getByRole("button", { name: "Add a breakpoint" }).click();
  await expect(strip.locator("[data-part=said]")).toContainText("No item default/nope is there now");
  await strip.getByRole("button", { name: /^Lift: / }).click();
  await expect(strip.locator(".stand")).toHaveCount(0);
  await when.fill("");
  await strip.getByLabel("Stop").selectOption("apply");
  await strip.getByLabel("of", { exact: true }).fill("default/web");
  await strip.getByRole("button", { name: "Add a breakpoint" }).click();
  await expect(strip.locator(".stand").first()).toContainText("apply");
  await demo.action("scale", { namespace: "default", name: "web", replicas: "5" });
  await expect(dash.locator("tracer-lane .node.is-held")).toHaveAttribute("data-node", "apply");
  // K goes on, as Resume does: who is held stands.
  await expect(strip.getByRole("button", { name: "Resume" })).toBeEnabled();
  await strip.getByRole("button", { name: "Resume" }).focus();
  await dash.keyboard.press("k");
  await expect(strip.locator("[data-part=said]")).toHaveText("presenter resumed podset");
  await expect(strip.locator(".stands")).not.toContainText("paused");
  await strip.getByRole("button", { name: /^Lift: / }).click();
  await expect(dash.locator("tracer-lane .node.is-held")).toHaveCount(0);
});

test("a breakpoint works as it is offered, and its button stays where it was pressed", async ({ dash }) => {
  await dash.getByRole("button", { name: "Control", exact: true }).click();
  const strip = dash.locator("#control");
  const more = strip.locator("summary");
  const before = await more.boundingBox();
  await more.click();
  await expect(strip.getByLabel("Stop")).toBeVisible();
  await dash.screenshot({ path: test.info().outputPath("opened.png") });
  expect(await more.boundingBox()).toEqual(before);
  await strip.getByRole("button", { name: "Add a breakpoint" }).click();
  await expect(strip.locator(".stand").first()).toContainText("apply");
  await strip.getByRole("button", { name: /^Lift: / }).click();
  await expect(strip.locator(".stand")).toHaveCount(0);
  // A condition may speak of any phase, unless one was chosen.
  await strip.getByLabel("when").fill("result = error");
  await expect(strip.getByLabel("Stop")).toHaveValue("");
  await strip.getByLabel("Stop").selectOption("compute");
  await strip.getByLabel("when").fill("cause = own_write");
  await expect(strip.getByLabel("Stop")).toHaveValue("compute");
});

for (const theme of ["light", "projector"]) {
  test(`what Control unfolds, and what stands then, leaves the map its size: ${theme}`, async ({ dash }) => {
    await choose(dash, theme);
    const strip = dash.locator("#control");
    await dash.getByRole("button", { name: "Try it" }).click();
    await dash.getByRole("button", { name: "Control", exact: true }).click();
    const scale = (): Promise<number> =>
      dash.locator("svg.map").evaluate((map) => (map as SVGSVGElement).getScreenCTM()?.a ?? 0);
    const before = await scale();
    expect(before * 526).toBeGreaterThan(370);
    await strip.locator("summary").click();
    await expect(strip.getByLabel("Fault")).toBeVisible();
    expect(await scale()).toBe(before);
    await strip.getByLabel("Fault").selectOption("500");
    await strip.getByRole("button", { name: "Inject" }).click();
    await expect(strip.locator(".stand")).toContainText("ends in");
    expect(await scale()).toBe(before);
    // How long it stands is never cut.
    const [chip, left] = await Promise.all(
      [".stand", '.stand [data-part="left"]'].map((one) => strip.locator(one).first().boundingBox()),
    );
    expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThanOrEqual((chip?.x ?? 0) + (chip?.width ?? 0));
    // Who goes on elsewhere sees the map.
    await dash.locator("#panel h2").first().click();
    await expect(strip.getByLabel("Fault")).toBeHidden();
    await strip.getByRole("button", { name: /^Lift: / }).click();
    await expect(strip.locator(".stand")).toHaveCount(0);
    await choose(dash, "light");
  });
}

for (const theme of ["light", "projector"]) {
  test(`what Control unfolds covers no word of the map, and what is wrong moves no field and goes with it: ${theme}`, async ({
    dash,
  }) => {
    await choose(dash, theme);
    const strip = dash.locator("#control");
    const control = dash.getByRole("button", { name: "Control", exact: true });
    await control.click();
    await strip.locator("summary").click();
    await dash.screenshot({ path: test.info().outputPath("unfolded.png") });
    const foot = await strip
      .locator("form")
      .evaluateAll((all) => Math.max(...all.map((it) => it.getBoundingClientRect().bottom)));
    for (const words of [".lane-name", ".counts", ".node.room .way", '[data-edge="requeue-waiting"] .way'])
      expect(
        (await dash.locator("tracer-lane").first().locator(words).first().boundingBox())?.y,
        words,
      ).toBeGreaterThan(foot);
    expect((await dash.locator('[data-node="api"]').boundingBox())?.y).toBeLessThan(500);

    const when = strip.getByLabel("when");
    const before = await when.boundingBox();
    await when.fill("nonsense");
    await when.press("Enter");
    const said = strip.locator("[data-part=said]");
    await expect(said).toContainText("when: at 1");
    await dash.screenshot({ path: test.info().outputPath("wrong.png") });
    expect(await when.boundingBox()).toEqual(before);
    await strip.locator("summary").click();
    await expect(said).toBeEmpty();
    await strip.locator("summary").click();
    await when.press("Enter");
    await expect(said).toContainText("when: at 1");
    await when.press("Escape");
    await expect(strip).toBeHidden();
    await control.click();
    await expect(said).toBeEmpty();
    await control.click();
    await choose(dash, "light");
  });
}

test("by projector it is said whole before which phase an item is held, beside a breakpoint that stands", async ({
  demo,
  dash,
}) => {
  await choose(dash, "projector");
  await demo.command({ command: "break", controller: "podset", item: "default/web", phase: "apply" });
  await demo.action("five-edits", { namespace: "default", name: "web" });
  const held = dash.locator("#control .stand", { hasText: "web is held before apply" });
  await expect(held).toBeVisible();
  await expect(dash.locator("#control .stand")).toHaveCount(2);
  const text = held.locator('[data-part="text"]');
  await expect.poll(() => text.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0);
  await dash.screenshot({ path: test.info().outputPath("chips.png") });
  await demo.command({ command: "lift", controller: "podset" });
  await choose(dash, "light");
});

test("a fault of 409 is seen as a conflict", async ({ demo, dash }) => {
  await dash.getByRole("button", { name: "Control", exact: true }).click();
  const strip = dash.locator("#control");
  await strip.getByText("Break, slow, fault").click();
  await strip.getByLabel("Fault").selectOption("409");
  await strip.getByLabel("of", { exact: true }).fill("default/web");
  const before = new Set((await demo.reconciles("default/web")).map((run) => run.key));
  const faulty = async (): Promise<string | undefined> =>
    (await demo.reconciles("default/web")).find(
      (run) => !before.has(run.key) && run.writes.some((write) => write.status === 409),
    )?.key;
  await strip.getByRole("button", { name: "Inject" }).click();
  await expect(strip.locator(".stand").first()).toContainText("409");
  await demo.action("scale", { namespace: "default", name: "web", replicas: "2" });
  await expect(strip.locator(".stand")).toHaveCount(0);
  await expect.poll(faulty).toBeDefined();
  await expect(dash.locator("#details")).toContainText(/[Cc]onflict/);
  await pick(dash, (await faulty()) ?? "");
  const flag = dash.locator("#details .flags").first();
  await expect(flag).toContainText("409 Conflict, injected by a fault, on purpose");
  await expect(flag.getByRole("button")).toHaveCount(0);
  await dash.screenshot({ path: test.info().outputPath("injected.png") });
});

test("what is in force is said in the place of a hint; a lift says what it has lifted, and is said for a while", async ({
  demo,
  dash,
}) => {
  await demo.action("create", { namespace: "default", name: "forced", replicas: "1" });
  await expect.poll(async () => (await demo.reconciles("default/forced")).some((run) => run.to > 0)).toBe(true);
  await dash.getByRole("button", { name: "Control", exact: true }).click();
  const [strip, notice] = [dash.locator("#control"), dash.locator("#notice")];
  const said = strip.locator("[data-part=said]");
  await strip.getByText("Break, slow, fault").click();
  await strip.getByLabel("Fault").selectOption("hold_watch");
  await strip.getByRole("button", { name: "Inject" }).click();
  await expect(notice).toContainText(/podset: watch events held, \d(\.\d)? s left:/);
  await expect(notice).not.toContainText("Try:");
  await expect(dash.locator('tracer-lane [data-node="cache"] [data-part="note"]')).toHaveText("watch held");
  await expect(dash.locator('tracer-lane [data-edge="api-cache"]')).toHaveClass(/dashed/);
  await dash.screenshot({ path: test.info().outputPath("watch-held.png") });
  await notice.getByRole("button", { name: "Lift" }).click();
  await expect(said).toHaveText(/^presenter lifted: held back the watch events of podset's own objects for 5 s$/);
  await expect(said).toHaveText("");

  // The press on Lift has closed the form.
  await strip.getByText("Break, slow, fault").click();
  await strip.getByLabel("Slow").selectOption("1000");
  await strip.getByRole("button", { name: "Slow down" }).click();
  await expect(strip.locator(".stand")).toContainText("slowed podset down 1000×");
  await demo.action("scale", { namespace: "default", name: "forced", replicas: "2" });
  const slowed = dash.locator("tracer-lane .node.is-slowed");
  await expect(slowed.first().locator("[data-part=note]")).toContainText("slowed");
  await expect(slowed.first().locator(".hand")).toBeHidden();
  const over = (): Promise<number> =>
    slowed.first().evaluate((node) => {
      const [box, note] = [".body", "[data-part=note]"].map((part) =>
        node.querySelector(part)?.getBoundingClientRect(),
      );
      return (note?.width ?? Infinity) - (box?.width ?? 0);
    });
  await expect.poll(over, "its words stay in its box").toBeLessThan(0);
  await expect(strip.locator(".stands")).toContainText(/forced is slowed before \w+/);
  await dash.screenshot({ path: test.info().outputPath("slowed.png") });
  await strip.getByRole("button", { name: /^Lift: / }).click();
  await expect(strip.locator(".stand")).toHaveCount(0);
  await demo.action("delete", { namespace: "default", name: "forced" });
});
