import type { Page } from "@playwright/test";

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

async function burst(demo: Demo): Promise<number> {
  await demo.action("create", { namespace: "default", name: "step", replicas: "3" });
  let n = 0;
  await expect
    .poll(async () => {
      const runs = await demo.reconciles("default/step");
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
  const n = await burst(demo);
  const runs = (await demo.reconciles("default/step")).sort((a, b) => a.from - b.from);
  await dash
    .locator(`[data-go="${runs[0]?.key ?? ""}"]`)
    .first()
    .click();
  await dash.keyboard.press(".");
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
