/** The dialog with which the presenter lets others watch. */
import type { Room } from "../model/room.ts";
import type { App } from "../view/app.ts";
import { say } from "../view/dom.ts";
import { plural } from "../view/words.ts";

export class Share {
  private readonly app: App;
  private readonly room: () => Room | undefined;
  private readonly dialog: HTMLDialogElement;
  /** What the hub said in the dialog, before anything was changed in it. */
  private made: string;
  /** It may have been started again, with other links, since it was asked for them. */
  private old = true;

  constructor(app: App, room: () => Room | undefined, dialog: HTMLDialogElement) {
    this.app = app;
    this.room = room;
    this.dialog = dialog;
    this.made = dialog.textContent;
    dialog.addEventListener("change", ({ target }) => {
      if (target instanceof HTMLSelectElement) this.choose(target.selectedOptions[0]);
    });
  }

  open(): void {
    this.old = true;
    this.dialog.showModal();
  }

  paint(): void {
    if (!this.dialog.open) return;
    const { state } = this.app.watch.connection();
    if (state !== "live" && state !== "restored") this.old = true;
    else if (this.old) this.renew();
    const said = this.dialog.querySelector("[data-part=viewers]");
    const room = this.room();
    if (said === null || room === undefined) return;
    const n = room.viewers;
    say(said, n === 0 ? "Nobody watches yet" : plural(n, "viewer watches", "viewers watch"));
  }

  /** Takes the dialog from the page as the hub makes it now. */
  private renew(): void {
    this.old = false;
    const request = new XMLHttpRequest(); // it alone reads HTML where the page lets no script write it
    request.responseType = "document";
    request.onload = () => {
      const now = request.responseXML?.getElementById("share");
      if (!now || now.textContent === this.made) return;
      this.made = now.textContent;
      this.dialog.replaceChildren(...now.childNodes);
      const copy = this.dialog.querySelector("[data-copy]");
      copy?.removeAttribute("hidden");
      document.getElementById("room")?.toggleAttribute("data-shared", copy !== null);
      this.dialog.querySelector<HTMLElement>("select, button")?.focus();
    };
    request.open("GET", location.pathname + location.search);
    request.send();
  }

  private choose(option: HTMLOptionElement | undefined): void {
    if (option === undefined) return;
    this.dialog.querySelector("[data-part=code]")?.setAttribute("src", option.dataset["code"] ?? "");
    const link = this.dialog.querySelector("[data-part=link]");
    if (link !== null) say(link, option.value);
    this.dialog.querySelector("[data-part=copy]")?.setAttribute("data-copy", option.value);
  }
}
