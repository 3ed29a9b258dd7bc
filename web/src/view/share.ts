/** The dialog with which the presenter lets others watch. */
import type { App } from "./app.ts";
import { say } from "./dom.ts";
import { plural } from "./words.ts";

export class Share {
  private readonly app: App;
  private readonly dialog: HTMLDialogElement;

  constructor(app: App, dialog: HTMLDialogElement, open: HTMLButtonElement) {
    this.app = app;
    this.dialog = dialog;
    open.hidden = false;
    open.addEventListener("click", () => {
      dialog.showModal();
      app.wake();
    });
    const network = dialog.querySelector<HTMLSelectElement>("[data-part=network]");
    network?.addEventListener("change", () => {
      this.choose(network.selectedOptions[0]);
    });
  }

  paint(): void {
    const said = this.dialog.querySelector("[data-part=viewers]");
    const room = this.app.watch.room();
    if (said === null || room === undefined || !this.dialog.open) return;
    const n = room.viewers;
    say(said, n === 0 ? "Nobody watches yet" : plural(n, "viewer watches", "viewers watch"));
  }

  private choose(option: HTMLOptionElement | undefined): void {
    if (option === undefined) return;
    this.dialog.querySelector("[data-part=code]")?.setAttribute("src", option.dataset["code"] ?? "");
    const link = this.dialog.querySelector("[data-part=link]");
    if (link !== null) say(link, option.value);
    this.dialog.querySelector("[data-part=copy]")?.setAttribute("data-copy", option.value);
  }
}
