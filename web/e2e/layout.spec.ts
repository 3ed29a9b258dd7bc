import { readFile } from "node:fs/promises";

import type { Page } from "@playwright/test";

import { turnTo } from "./common.ts";
import { choose } from "./demo.ts";
import { Hub, expect, open, test as base } from "./hub.ts";
import { multiply } from "./lanes.ts";

/** A hub to which some reconciles have been sent, which lets others embed its map. */
const test = base.extend<object, { hub: Hub }>({
  hub: [
    async ({}, use) => {
      const hub = await Hub.serve("--embed-ancestor", "https://course.example");
      await hub.send(10, 1, "-items", "3");
      await use(hub);
      await hub.stop();
    },
    { scope: "worker" },
  ],
});

/** Where each map is drawn: its scale and its place, in CSS pixels. */
function mapsAt(page: Page): Promise<{ scale: number; left: number; top: number; right: number; bottom: number }[]> {
  return page.locator("svg.map").evaluateAll((maps) =>
    maps.map((map) => {
      const { a = 0, e = 0, f = 0 } = (map as SVGSVGElement).getScreenCTM() ?? {};
      return { scale: a, left: e, top: f, right: e + 960 * a, bottom: f + 526 * a };
    }),
  );
}

for (const [theme, width, height] of [
  ["light", 1280, 720],
  ["projector", 1280, 720],
  ["dark", 1920, 1080],
] as const) {
  test(`the line of news covers no map, and its links stand still: ${theme}, ${String(width)} px wide`, async ({
    page,
    hub,
  }) => {
    await page.setViewportSize({ width, height });
    await multiply(page, ["a-controller-with-a-long-name"], true);
    await open(page, hub);
    await choose(page, theme);
    const notice = page.locator("#notice");
    await expect(notice).toContainText("No reconciles for", { timeout: 20_000 });
    const found = await page.evaluate(() => {
      const line = document.querySelector("#notice");
      const links = (): number[] =>
        [...(line?.querySelectorAll(".link:not([hidden])") ?? [])].flatMap((link) => {
          const { left, right } = link.getBoundingClientRect();
          return [left, right];
        });
      const says = ["8 s", "12 s", "2 min 21 s", "59 min 59 s"].map((long) => {
        const text = line?.querySelector(".notice-text");
        if (text !== null && text !== undefined) text.textContent = `No reconciles for ${long}. `;
        return { links: links(), cut: (text?.scrollWidth ?? 0) > (text?.clientWidth ?? 0) };
      });
      return {
        says,
        height: line?.getBoundingClientRect().height ?? 0,
        right: line?.getBoundingClientRect().right ?? 0,
      };
    });
    expect(found.height).toBeLessThanOrEqual(36);
    for (const { links, cut } of found.says) {
      expect(links).toEqual(found.says[0]?.links);
      expect(Math.max(...links)).toBeLessThanOrEqual(found.right);
      expect(cut).toBe(false);
    }
    const lane = page.locator("tracer-lane").last();
    await lane.evaluate((it) => {
      it.scrollIntoView({ block: "end" });
    });
    const { y = 0 } = (await notice.boundingBox()) ?? {};
    const before = await mapsAt(page);
    expect(before.at(-1)?.bottom).toBeLessThanOrEqual(y + 1);
    // The map is the same without it.
    await notice.evaluate((it) => {
      it.toggleAttribute("hidden", true);
    });
    expect(await mapsAt(page)).toEqual(before);
  });
}

for (const [theme, width, height, lesson, beats] of [
  ["projector", 1280, 720, "lesson-2", 7],
  ["light", 1280, 720, "lesson-4", 9],
  ["projector", 1920, 1080, "lesson-2", 7],
  ["light", 1000, 700, "lesson-2", 7],
] as const) {
  test(`in ${lesson} map and buttons stand still from beat to beat: ${theme}, ${String(width)} px wide`, async ({
    page,
    hub,
  }) => {
    test.setTimeout(90_000);
    await page.setViewportSize({ width, height });
    await open(page, hub);
    await choose(page, theme);
    await page.goto(`${hub.origin}/?recording=${lesson}`);
    await expect(page.locator("#lesson")).toContainText(`beat 1 of ${String(beats)}`);
    const buttons = page.locator(".lesson-moves:not(.when-failed) .button:visible");
    const stands = async (): Promise<unknown> => {
      const lefts = await buttons.evaluateAll((all) => all.map((button) => button.getBoundingClientRect().left));
      return { maps: await mapsAt(page), lefts };
    };
    const first = await stands();
    for (let beat = 1; beat <= beats; beat++) {
      await turnTo(page, `text=beat ${String(beat)} of ${String(beats)}`, 300);
      expect(await stands(), `beat ${String(beat)}`).toEqual(first);
      const question = page.locator(".lesson-question");
      if (!(await question.isVisible())) continue;
      await expect(page.locator(".lesson-choice").last()).toBeInViewport({ ratio: 1 });
      expect(await stands(), `beat ${String(beat)}, its question`).toEqual(first);
    }
  });
}

test("the name of an item that is held leaves the bars of the pause to be seen", async ({ page, hub }) => {
  for (const theme of ["light", "projector"]) {
    await open(page, hub);
    await choose(page, theme);
    await page.goto(`${hub.origin}/?recording=lesson-2`);
    await turnTo(page, "text=beat 4 of 7", 300);
    await expect(page.locator('[data-node="compute"]')).toHaveClass(/is-held/);
    await page.locator("#lesson [data-part=body]").focus();
    const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("s")]);
    const source = (await readFile(await download.path())).toString();
    // In a page without the hub's policy, which lets no text become a document.
    const blank = await page.context().newPage();
    await blank.setContent(source);
    const covered = await blank.evaluate(() => {
      const badge = document.querySelector('[data-node="compute"] circle')?.getBoundingClientRect();
      const names = [...document.querySelectorAll("[data-tokens] > text")].map((one) => one.getBoundingClientRect());
      const on = names.filter(
        ({ left, right, top, bottom }) =>
          badge !== undefined &&
          left < badge.right - 1 &&
          right > badge.left + 1 &&
          top < badge.bottom - 3 &&
          bottom > badge.top + 3,
      );
      return { badge: badge !== undefined, names: names.length, on: on.length };
    });
    expect(covered).toEqual({ badge: true, names: 1, on: 0 });
    await blank.close();
  }
});

for (const [width, height, legend] of [
  [1280, 720, true],
  [960, 640, true],
  [640, 360, false],
  [390, 300, false],
] as const) {
  test(`in a frame of ${String(width)}×${String(height)} the whole map is seen`, async ({ page, hub }) => {
    await page.setViewportSize({ width, height });
    await multiply(page, [], true);
    await page.goto(await hub.embedLink());
    await expect(page.locator("tracer-lane")).toHaveCount(1);
    await expect(page.locator("#notice")).toContainText("No reconciles for", { timeout: 20_000 });
    const [map] = await mapsAt(page);
    const below = await page
      .locator("#notice, .legend, .transport")
      .evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().top));
    expect(map?.bottom).toBeLessThanOrEqual(Math.min(...below) + 1);
    expect(map?.top).toBeGreaterThanOrEqual(0);
    expect(map?.right).toBeLessThanOrEqual(width);
    // It fills most of the width, or of the height.
    expect(Math.max((map?.scale ?? 0) * (960 / width), (map?.scale ?? 0) * (526 / height))).toBeGreaterThan(0.69);
    await expect(page.locator(".legend")).toBeVisible({ visible: legend });
    if (legend) {
      const boxes = await page
        .locator("#notice, .legend, .transport")
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON() as DOMRect));
      for (const [i, box] of boxes.slice(1).entries())
        expect(box.top).toBeGreaterThanOrEqual((boxes[i]?.bottom ?? 0) - 1);
    }
  });
}

test("two lanes use a large screen; where the second does not fit, that it is there is told", async ({ page, hub }) => {
  await multiply(page, ["jobset"]);
  await page.setViewportSize({ width: 1920, height: 1080 });
  await open(page, hub);
  await expect(page.locator("tracer-lane")).toHaveCount(2);
  const least = await page.locator("svg.map").evaluateAll((maps) =>
    Math.min(
      ...maps.flatMap((map) => {
        const scale = (map as SVGSVGElement).getScreenCTM()?.a ?? 0;
        return [...map.querySelectorAll(".title, .note, .way")].map(
          (text) => scale * Number.parseFloat(getComputedStyle(text).fontSize),
        );
      }),
    ),
  );
  expect(least).toBeGreaterThan(15);
  for (const map of await mapsAt(page)) expect(map.bottom).toBeLessThanOrEqual(1080 - 104);
  const told = (): Promise<string> =>
    page.locator(".left").evaluate((left) => getComputedStyle(left, "::after").getPropertyValue("content"));
  expect(await told()).not.toContain("more below");
  await page.setViewportSize({ width: 1280, height: 720 });
  await expect.poll(told).toContain("more below");
  await page.locator("#map").evaluate((map) => {
    map.scrollTop = map.scrollHeight;
  });
  await expect.poll(told).not.toContain("more below");
});

test("boxes, lines and the axis of time stand out at 3:1, in light and dark", async ({ page, hub }) => {
  await open(page, hub);
  for (const theme of ["light", "dark"]) {
    await choose(page, theme);
    const least = await page.evaluate(() => {
      const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
      const lightness = (colour: string): number => {
        if (pen === null) return 0;
        pen.fillStyle = colour;
        pen.fillRect(0, 0, 1, 1);
        const part = (v: number): number => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
        const [r = 0, g = 0, b = 0] = pen.getImageData(0, 0, 1, 1).data;
        return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
      };
      const ratio = (a: string, b: string): number => {
        const [x = 0, y = 0] = [lightness(a), lightness(b)].sort((p, q) => q - p);
        return (x + 0.05) / (y + 0.05);
      };
      const root = getComputedStyle(document.documentElement);
      const grounds = ["--paper", "--surface"].map((name) => root.getPropertyValue(name));
      const drawn = [".node:not(.is-lit, .done) .body", ".edge:not(.is-flow, .is-own) .line"].map(
        (what) => getComputedStyle(document.querySelector(what) ?? document.body).stroke,
      );
      return Math.min(
        ...[...drawn, root.getPropertyValue("--line")].flatMap((one) => grounds.map((on) => ratio(one, on))),
      );
    });
    expect(least, theme).toBeGreaterThanOrEqual(3);
  }
});

test("on a large screen a name heads its map, and by projector the times of the line have 18 px", async ({
  page,
  hub,
}) => {
  await page.addInitScript(() => {
    const write = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (this: CanvasRenderingContext2D, text, ...more) {
      if (/^\d\d:\d\d:\d\d$/.test(text)) document.documentElement.dataset["times"] = this.font;
      write.call(this, text, ...more);
    };
  });
  await page.setViewportSize({ width: 1920, height: 1080 });
  await open(page, hub);
  for (const theme of ["light", "projector"]) {
    await choose(page, theme);
    const [name, box] = await page.evaluate(() => {
      const scale = document.querySelector<SVGSVGElement>("svg.map")?.getScreenCTM()?.a ?? 1;
      const sizeOf = (what: string): number =>
        Number.parseFloat(getComputedStyle(document.querySelector(what) ?? document.body).fontSize);
      return [sizeOf(".lane-name"), scale * sizeOf(".map .title")] as const;
    });
    expect(name, theme).toBeGreaterThan(box);
  }
  const times = (): Promise<number> =>
    page.evaluate(() => Number(/([\d.]+)px/.exec(document.documentElement.dataset["times"] ?? "")?.[1] ?? 0));
  await expect.poll(times).toBeGreaterThanOrEqual(18);
});
