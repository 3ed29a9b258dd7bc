import type { Page } from "@playwright/test";
import { expect } from "./demo.ts";

/**
 * All that a beat says stands on the screen in letters of 20 px at least, and the map is as wide as it has to be. Words
 * that do not fit in the smallest letters scroll.
 */
export async function fitsTheHall(page: Page): Promise<void> {
  await expect
    .poll(() =>
      page.evaluate(() => {
        const found: string[] = [];
        const below = document.querySelector(".transport")?.getBoundingClientRect().top ?? 0;
        const said = ".lesson-words h2, .lesson-words p, .lesson-choice, .lesson-answers, .lesson-said, .lesson-next";
        for (const one of document.querySelectorAll(said)) {
          const { bottom, right, height } = one.getBoundingClientRect();
          const text = one.textContent.slice(0, 40);
          if (height === 0) continue;
          if (bottom > below + 1 || right > innerWidth) found.push(`not on the screen: ${text}`);
          if (Number.parseFloat(getComputedStyle(one).fontSize) < 20) found.push(`too small: ${text}`);
        }
        for (const name of ["lesson-words", "lesson-body"]) {
          const box = document.querySelector(`.${name}`);
          const scrolls = name === "lesson-words" && box?.closest(".is-tight") !== null;
          if (!scrolls && box !== null && box.scrollHeight > box.clientHeight + 1)
            found.push(`${name} is to be scrolled`);
        }
        const map = document.querySelector("svg.map")?.getBoundingClientRect();
        const { width = 0, height = 0 } = map ?? {};
        const drawn = Math.min(width, (height * 960) / 526);
        if (drawn < 480) found.push(`the map is ${String(Math.round(drawn))} px wide`);
        return found;
      }),
    )
    .toEqual([]);
}
