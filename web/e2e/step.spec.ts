import type { Page } from "@playwright/test";

import { pick, stepTo, stopAfter } from "./common.ts";
import { type Demo, expect, test } from "./demo.ts";

interface Moment {
  /** Which reconcile the panel speaks of: the n of "reconcile n of m". The m may grow while the test steps. */
  nth: number;
  /** Where the token with the ring is. */
  at: string;
  /** The picture's time, µs. */
  time: number;
}

/** The moment shown: the panel's reconcile, the ringed token's place, and the time that a link to it would hold. */
async function moment(dash: Page): Promise<Moment> {
  const said = (await dash.locator("#details .panel-sub").textContent()) ?? "";
  const nth = Number(/reconcile (\d+) of/.exec(said)?.[1]);
  const at = (await dash.locator("tracer-lane").first().getAttribute("data-selected-at")) ?? "";
  await dash.locator('[data-take="link"]').click();
  const link = await dash.evaluate(() => navigator.clipboard.readText());
  return { nth, at, time: Number(/at=(\d+)/.exec(link)?.[1]) };
}

async function burst(demo: Demo, name: string): Promise<number> {
  await demo.action("create", { namespace: "default", name, replicas: "3" });
  let n = 0;
  await expect
    .poll(async () => {
      const runs = await demo.reconciles(`default/${name}`);
      const before = n;
      n = runs.length;
      return n > 2 && n === before && runs.every((run) => run.to > 0);
    })
    .toBe(true);
  return n;
}

test("every step shows one phase of the reconcile that the panel speaks of, forwards and back", async ({
  demo,
  dash,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const n = await burst(demo, "step");
  const runs = (await demo.reconciles("default/step")).sort((a, b) => a.from - b.from);
  await pick(dash, runs[0]?.key ?? "");
  await stopAfter(dash, runs[0]);
  const wanted = runs.slice(0, 4).flatMap((run, i) => run.phases.map((phase) => ({ n: i + 1, at: phase.name })));
  const seen: Moment[] = [];
  for (const { n: nth, at } of wanted) {
    await dash.keyboard.press("ArrowRight");
    await expect(dash.locator("tracer-lane").first()).toHaveAttribute("data-selected-at", at);
    await expect(dash.locator("#details .panel-sub")).toContainText(`reconcile ${String(nth)} of`);
    seen.push(await moment(dash));
  }
  expect(n).toBeGreaterThan(3);
  const times = seen.map((one) => one.time);
  expect(times, "each step goes on in time").toEqual([...new Set(times)].sort((a, b) => a - b));
  for (const was of [...seen].reverse().slice(1)) {
    await dash.keyboard.press("ArrowLeft");
    await expect(dash.locator("tracer-lane").first()).toHaveAttribute("data-selected-at", was.at);
    await expect(dash.locator("#details .panel-sub")).toContainText(`reconcile ${String(was.nth)} of`);
    expect(await moment(dash)).toEqual(was);
  }
});

const notes = (page: Page): Promise<string[]> =>
  page
    .locator('tracer-lane [data-node] > [data-part="note"]')
    .evaluateAll((all) =>
      all
        .filter((note) => note.closest('[data-node="api"], [data-node="cache"]') === null)
        .map((note) => note.textContent),
    );

test("Escape leaves the picture as it stands, and after End no box speaks of what was stepped through", async ({
  demo,
  dash,
  context,
}) => {
  await burst(demo, "still");
  const first = (await demo.reconciles("default/still")).sort((a, b) => a.from - b.from)[0];
  const fresh = await context.newPage();
  await fresh.goto(demo.origin);
  await pick(dash, first?.key ?? "");
  await stepTo(dash, first, "apply");
  const lit = dash.locator("tracer-lane .node.is-lit");
  await expect(lit.and(dash.locator('[data-node="apply"]'))).toBeAttached();
  const places = (): Promise<string> => lit.evaluateAll((all) => all.map((g) => g.dataset["node"]).join());
  const before = [await places(), ...(await notes(dash))];
  await dash.keyboard.press("Escape");
  await expect(dash.locator("tracer-lane")).toHaveAttribute("data-selected-at", "");
  expect([await places(), ...(await notes(dash))]).toEqual(before);
  await dash.keyboard.press("End");
  // A page that has just come shows the last reconcile in every box.
  await fresh.reload();
  await expect(async () => {
    expect(await notes(dash)).toEqual(await notes(fresh));
  }).toPass({ timeout: 10_000 });
  await fresh.close();
});

test("each step marks its part of the panel, brings it into sight and is read out", async ({ demo, dash }) => {
  await burst(demo, "marked");
  const made = (await demo.reconciles("default/marked")).find(({ plan }) => plan[0]?.summary.startsWith("create"));
  await dash.setViewportSize({ width: 1280, height: 520 });
  await pick(dash, made?.key ?? "");
  await stopAfter(dash, made);
  const panel = dash.locator("#details");
  const voice = dash.locator("#voice");
  const parts = {
    dequeue: "Why it ran",
    fetch: "read PodSet",
    compute: "create",
    apply: "POST pod",
    requeue: "Done until something changes",
  };
  for (const [phase, text] of Object.entries(parts)) {
    await dash.keyboard.press("ArrowRight");
    const marked = panel.locator(".is-step");
    // Where not all of it has room, it is the end that is seen.
    await expect(marked.filter({ hasText: text }).last()).toBeInViewport({ ratio: 0.9 });
    await expect(panel.locator(`[data-step]:not([data-step="${phase}"]).is-step`)).toHaveCount(0);
    await expect(voice).toContainText(new RegExp(`^marked, reconcile \\d+, ${phase}`));
    await dash.screenshot({ path: test.info().outputPath(`${phase}.png`) });
  }
  await dash.keyboard.press("End");
  await expect(panel.locator(".is-step")).toHaveCount(0);
});
