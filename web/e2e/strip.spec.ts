import { turnTo } from "./common.ts";
import { choose } from "./demo.ts";
import { expect, open, test } from "./hub.ts";

test.use({ viewport: { width: 390, height: 844 } });

test("on a narrow page the strip has the frame of what the beat speaks of, a line at its ends", async ({
  page,
  hub,
}) => {
  await open(page, hub);
  await page.goto(`${hub.origin}/?recording=lesson-1`);
  const framed = page.locator(".station.is-taught");
  const names = (): Promise<(string | undefined)[]> =>
    framed.evaluateAll((all: HTMLElement[]) => all.map(({ dataset }) => dataset["station"]));
  await expect(framed.first()).toBeVisible();
  expect(await names()).toEqual(["queue", "api", "cache"]);
  for (const station of await framed.all()) await expect(station).toHaveCSS("outline-style", "dashed");
  await page.screenshot({ path: "test-results/strip-light.png" });
  await choose(page, "projector");
  await page.screenshot({ path: "test-results/strip-projector.png" });
  await choose(page, "light");
  await turnTo(page, "text=beat 3 of 8", 300);
  // The line from the cache to fetch has its ends.
  await expect.poll(names).toEqual(["dequeue", "fetch", "cache"]);
  // On a wide page it is the map that has it.
  await page.setViewportSize({ width: 1280, height: 720 });
  await expect(page.locator(".node.is-taught, .edge.is-taught").first()).toBeVisible();
  await expect(framed.first()).not.toBeInViewport();
});
