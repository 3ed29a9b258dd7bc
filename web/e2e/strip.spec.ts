import { turnTo } from "./common.ts";
import { choose } from "./demo.ts";
import { expect, open, test } from "./hub.ts";

test.use({ viewport: { width: 390, height: 844 } });

test("on a narrow page the strip has the frame of what the beat speaks of, and the line that a beat speaks of", async ({
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
  /** The frame is around a mark, or a name in a row: it reaches nothing else. */
  const frames = (): Promise<string[]> =>
    framed.evaluateAll((all) =>
      all.map((it) => {
        const name = it.querySelector(".station-name");
        const row = it.classList.contains("is-row") && name !== null;
        return (row ? getComputedStyle(name) : getComputedStyle(it, "::after")).outlineStyle;
      }),
    );
  expect(await frames()).toEqual(["dashed", "dashed", "dashed"]);
  await expect(framed.first()).toHaveCSS("outline-style", "none");
  await page.screenshot({ path: "test-results/strip-light.png" });
  await choose(page, "projector");
  await page.screenshot({ path: "test-results/strip-projector.png" });
  await choose(page, "light");
  await turnTo(page, "text=beat 3 of 8", 300);
  await expect.poll(names).toEqual(["dequeue", "fetch", "cache"]);
  // Of events, as on the map, the line is lit and no station.
  const line = (): Promise<string> =>
    page.locator("#twin .stations").evaluate((it) => getComputedStyle(it, "::after").borderBottomColor);
  /** The line comes back to the queue, and closes no box. */
  const top = (): Promise<string> =>
    page.locator("#twin .stations").evaluate((it) => getComputedStyle(it, "::after").borderTopWidth);
  const quiet = await line();
  await turnTo(page, "text=beat 6 of 8", 300);
  await expect.poll(names).toEqual([]);
  expect(await line()).not.toBe(quiet);
  expect(await top()).toBe("0px");
  await page.screenshot({ path: "test-results/strip-line.png" });
  // On a wide page it is the map that has it.
  await page.setViewportSize({ width: 1280, height: 720 });
  await expect(page.locator(".node.is-taught, .edge.is-taught").first()).toBeVisible();
  await expect(framed.first()).not.toBeInViewport();
});
