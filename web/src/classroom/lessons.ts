/** The list of lessons: given on a cluster, or played as they were recorded. */
import type { App } from "../view/app.ts";
import { h, part, say } from "../view/dom.ts";
import { plural } from "../view/words.ts";
import { ask } from "./ask.ts";
import type { Info, RecordingInfo } from "./ask.ts";

export class Lessons {
  private readonly app: App;
  private readonly dialog: HTMLDialogElement;

  constructor(app: App, dialog: HTMLDialogElement) {
    this.app = app;
    this.dialog = dialog;
    dialog.addEventListener("click", ({ target }) => {
      const id =
        target instanceof Element ? target.closest<HTMLElement>("[data-lesson]")?.dataset["lesson"] : undefined;
      if (id === undefined) return;
      void ask(`lessons/${id}/start`, {}, this.say).then(({ refused }) => {
        if (refused !== "") return this.say(refused);
        dialog.close();
        // The keys of a remote are not to be those of the button that opened the list.
        document.querySelector<HTMLElement>('#lesson [data-part="body"]')?.focus();
      });
    });
  }

  open(): void {
    // The focus is not to be on a row that is replaced.
    part(this.dialog, "list").replaceChildren();
    this.dialog.showModal();
    void this.list();
  }

  /** Without a cluster there are the recorded ones. */
  private async list(): Promise<void> {
    const [{ lessons = [], note = "", refused }, { recordings = [] }] = await Promise.all([
      ask("lessons", undefined, this.say),
      ask("recordings"),
    ]);
    const recorded = recordings.filter(({ name }) => name.startsWith("lesson-"));
    const why = refused === "" ? note : refused;
    this.say(why !== "" && recorded.length > 0 ? `Live lessons are not offered: ${why}.` : why);
    const entries =
      lessons.length > 0
        ? lessons.map((info) =>
            entry(info, {
              recorded: recorded.some(({ name }) => name === info.id),
              controlled: this.app.model.lanes(0).some(({ controller }) => controller.control === true),
            }),
          )
        : recorded.map(recordedEntry);
    part(this.dialog, "list").replaceChildren(...entries);
  }

  private readonly say = (text: string): void => {
    say(part(this.dialog, "said"), text);
  };
}

/** What there is for a lesson. */
interface There {
  readonly recorded: boolean;
  readonly controlled: boolean;
}

function entry({ id, title, about, minutes, beats, needs = [] }: Info, { recorded, controlled }: There): HTMLElement {
  const start = { class: "button primary", type: "button", "data-lesson": id, "aria-label": `Start ${title}` };
  const more = [
    `${String(minutes)} min`,
    plural(beats, "beat", "beats"),
    ...needs.map((need) => needSaid(need, controlled)),
  ];
  return h(
    "li",
    {},
    h("button", start, "Start"),
    h("div", {}, h("strong", {}, numbered(id, title)), h("p", { class: "quiet" }, about)),
    h("div", { class: "lessons-more quiet" }, h("span", {}, more.join(" · ")), recorded && watchLink(id, title)),
  );
}

/** "4. Conflict": lessons are spoken of by their numbers. */
function numbered(id: string, title: string): string {
  const n = /^lesson-(\d+)$/.exec(id)?.[1];
  return n === undefined ? title : `${n}. ${title}`;
}

/** Whether what a lesson needs is there. */
function needSaid(need: string, controlled: boolean): string {
  if (need !== "control") return `needs ${need}`;
  return controlled ? "holds the controller" : "needs a controller that takes commands: there is none";
}

function recordedEntry({ name, title }: RecordingInfo): HTMLElement {
  return h("li", {}, watchLink(name, title), h("strong", {}, title));
}

function watchLink(name: string, title: string): HTMLElement {
  return h("a", { href: `/?recording=${name}`, "aria-label": `Watch the recording: ${title}` }, "Watch the recording");
}
