/** The dialog with which the presenter lets others watch. */
import type { Room } from "../model/room.ts";
import { say } from "../view/dom.ts";
import { plural } from "../view/words.ts";

export class Share {
  private readonly room: () => Room | undefined;
  private readonly dialog: HTMLDialogElement;

  constructor(room: () => Room | undefined, dialog: HTMLDialogElement) {
    this.room = room;
    this.dialog = dialog;
    const network = dialog.querySelector<HTMLSelectElement>("[data-part=network]");
    network?.addEventListener("change", () => {
      this.choose(network.selectedOptions[0]);
    });
  }

  open(): void {
    this.dialog.showModal();
  }

  paint(): void {
    const said = this.dialog.querySelector("[data-part=viewers]");
    const room = this.room();
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
