import { chromium } from "@playwright/test";
import { Hub } from "./e2e/hub.ts";
const hub = await Hub.serve("--share=127.0.0.1:0");
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const ctx = await browser.newContext({ viewport: { width: 1280, height: 720 } });
const page = await ctx.newPage();
page.on("pageerror", (e) => console.log("ERR", String(e)));
const shot = (n: string) => page.screenshot({ path: `/tmp/t4/${n}.png` });
try {
  await page.goto(hub.login);
  await page.locator("#keys-open:not([hidden])").waitFor({ state: "attached" });
  const what = process.argv[2] ?? "all";
  if (what === "all" || what === "keys") {
    await page.keyboard.press("?");
    await page.locator("#keys[open]").waitFor();
    await shot("keys-light");
    await page.keyboard.press("Escape");
    await page.keyboard.press("p");
    await page.keyboard.press("?");
    await shot("keys-proj");
    await page.keyboard.press("Escape");
    await page.keyboard.press("p");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.keyboard.press("?");
    await shot("keys-390");
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 1280, height: 720 });
  }
  if (what === "all" || what === "try") {
    await page.goto(`${new URL(hub.login).origin}/?recording=sample`);
    await page.locator(".run").first().waitFor();
    await page.keyboard.press("End");
    const fake = (said: string, more: string) => page.evaluate(([said, more]) => {
      const t = document.querySelector<HTMLElement>("#tryit")!;
      if (t === null) return "no tryit";
      t.hidden = false;
      t.parentElement!.classList.add("has-tryit");
      t.querySelector(".tryit-no")?.remove();
      t.querySelector("fieldset")!.disabled = false;
      const o = document.createElement("option"); o.textContent = "default/web";
      t.querySelector("[data-part=item]")!.replaceChildren(o);
      t.querySelector("[data-part=now]")!.textContent = "12 →";
      t.querySelector("[data-part=replicas]")!.textContent = "13";
      const s = t.querySelector("[data-part=said]")!;
      s.textContent = "";
      if (said !== "") { const p = document.createElement("span"); p.textContent = said; s.append(p); }
      if (more !== "") { const b = document.createElement("button"); b.className = "link"; b.textContent = more; s.append(b); }
      return "";
    }, [said, more]);
    const long = "a write on resourceVersion 322 was answered 409 Conflict; then scaled PodSet default/web from 3 to 4 amid quick edits";
    console.log(await fake("", ""));
    await shot("try-light-0");
    await fake("scaled PodSet default/shop-1 from 2 to 3", "");
    await shot("try-light-1");
    await fake(long, "The controller met a conflict too");
    await shot("try-light-2");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator("#tryit").scrollIntoViewIfNeeded();
    await shot("try-390");
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.keyboard.press("p");
    await fake("", "");
    await shot("try-proj-0");
    await fake(long, "The controller met a conflict too");
    await shot("try-proj-2");
    await page.keyboard.press("p");
  }
  if (what === "all" || what === "lesson") {
    for (let i = 0; i < 2; i++) { const v = await browser.newContext(); const p = await v.newPage(); await p.goto(hub.viewersLink); await p.locator("#room:not([hidden])").waitFor(); }
    for (const [name, beat] of [["lesson-4", 4], ["lesson-2", 4], ["lesson-6", 4]] as const) {
      await page.goto(`${new URL(hub.login).origin}/?recording=${name}`);
      await page.locator("#lesson h2").waitFor();
      for (let n = 0; n < 60; n++) {
        const at = await page.locator("#lesson").innerText();
        if (at.includes(`beat ${beat} of`)) break;
        await page.keyboard.press("PageDown");
        await page.waitForTimeout(400);
      }
      await page.waitForTimeout(500);
      await shot(`q-${name}`);
      console.log(name, await page.evaluate(() => [...document.querySelectorAll(".lesson, .lesson-body, .lesson-words, .lesson-question")].map((e) => `${e.className} ${e.scrollHeight} ${e.clientHeight}`)));
    }
  }
} finally { await browser.close(); await hub.stop(); }
