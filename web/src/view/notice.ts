/** The one line above the map that says how it stands with the connection, in words, and what one can do. */
import type { App } from "./app.ts";
import { attr, h, show } from "./dom.ts";
import { noticeOf } from "./notices.ts";
import type { Asked, Words } from "./notices.ts";

/** For how many milliseconds something is told; four times as long when it offers something. */
const toldFor = 4000;

export class NoticeElement extends HTMLElement implements Asked {
  private app: App | undefined;
  private readonly text = h("span");
  private readonly button = h("button", { class: "link", type: "button" });
  private press: (() => void) | undefined;
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
    this.append(this.text, this.button);
    this.button.addEventListener("click", () => this.press?.());
  }

  /** Says something for a while: what a key has done, what could not be done. */
  tell(text: string, button?: string, press?: () => void): void {
    const done = (): void => {
      this.told = undefined;
      press?.();
      this.app?.wake();
    };
    this.told = button === undefined ? { text, tone: "ok" } : { text, tone: "warn", button, press: done };
    clearTimeout(this.forgetting);
    this.forgetting = window.setTimeout(
      () => {
        this.told = undefined;
        this.app?.wake();
      },
      button === undefined ? toldFor : 4 * toldFor,
    );
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
    if (this.text.textContent !== words.text) this.text.textContent = words.text;
    attr(this, "data-tone", words.tone);
    show(this.button, words.button !== undefined);
    if (this.button.textContent !== (words.button ?? "")) this.button.textContent = words.button ?? "";
    this.press = words.press;
  }
}
