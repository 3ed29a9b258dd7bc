/** The one line above the map that says how it stands with the connection, in words, and what one can do. */
import type { App } from "./app.ts";
import { attr, h, say, show } from "./dom.ts";
import { noticeOf, partsOf } from "./notices.ts";
import type { Asked, Words } from "./notices.ts";

/** For how many milliseconds something is told; four times as long when it offers something. */
export const toldFor = 4000;

export class NoticeElement extends HTMLElement implements Asked {
  private app: App | undefined;
  private readonly spans = ["notice-lead", "notice-text", "notice-ask"].map((name) => h("span", { class: name }));
  private readonly button = h("button", { class: "link", type: "button" });
  private readonly other = h("button", { class: "link", type: "button" });
  private words: Words | undefined;
  tryIt: Asked["tryIt"];
  lift: Asked["lift"];
  told: Words | undefined;
  private forgetting = 0;
  /** How many rows that could not be read have been taken note of. */
  noted = 0;

  /** A lesson is on: it says itself what to do. */
  get lesson(): boolean {
    return document.body.classList.contains("has-lesson");
  }

  /** tryIt opens the panel of actions, and lift lifts a command; undefined when there is no such thing. */
  connect(app: App, tryIt?: Asked["tryIt"], lift?: Asked["lift"]): void {
    this.app = app;
    this.tryIt = tryIt;
    this.lift = lift;
    this.append(...this.spans, this.button, this.other);
    this.button.addEventListener("click", () => this.words?.press?.());
    this.other.addEventListener("click", () => this.words?.also?.press());
  }

  /** Says something for a while: what a key has done, what could not be done. */
  tell(text: string, button?: string, press?: () => void): void {
    const forget = (): void => {
      this.hush();
    };
    const done = (): void => {
      forget();
      press?.();
    };
    this.told = button === undefined ? { text, tone: "ok" } : { text, tone: "warn", button, press: done };
    clearTimeout(this.forgetting);
    this.forgetting = window.setTimeout(forget, button === undefined ? toldFor : 4 * toldFor);
    this.app?.wake();
  }

  /** Says no more what does not hold any longer. */
  hush(): void {
    this.told = undefined;
    this.app?.wake();
  }

  paint(): void {
    const app = this.app;
    if (app === undefined) return;
    const words = noticeOf(app, this);
    show(this, words !== undefined);
    if (words === undefined) return;
    this.words = words;
    for (const [i, said] of partsOf(words.text).entries()) if (this.spans[i] !== undefined) say(this.spans[i], said);
    attr(this, "title", words.text);
    attr(this, "data-tone", words.tone);
    for (const [button, text = ""] of [
      [this.button, words.button],
      [this.other, words.also?.button],
    ] as const) {
      show(button, text !== "");
      say(button, text);
    }
  }
}
