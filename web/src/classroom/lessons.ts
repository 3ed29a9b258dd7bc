/** The list of lessons: given on a cluster, or played as they were recorded. */
import { h, part, say } from "../view/dom.ts";
import { plural } from "../view/words.ts";
import { ask } from "./ask.ts";
import type { Info, RecordingInfo } from "./ask.ts";

export class Lessons {
  private readonly dialog: HTMLDialogElement;

  constructor(dialog: HTMLDialogElement) {
    this.dialog = dialog;
    dialog.addEventListener("click", ({ target }) => {
      const id =
        target instanceof Element ? target.closest<HTMLElement>("[data-lesson]")?.dataset["lesson"] : undefined;
      if (id === undefined) return;
      void ask(`lessons/${id}/start`, {}).then(({ refused }) => {
        if (refused === "") dialog.close();
        else this.say(refused);
      });
    });
  }

  open(): void {
    this.dialog.showModal();
    void this.list();
  }

  /** Without a cluster there are the recorded ones. */
  private async list(): Promise<void> {
    const [{ lessons = [], refused }, { recordings = [] }] = await Promise.all([ask("lessons"), ask("recordings")]);
    this.say(refused);
    const recorded = recordings.filter(({ name }) => name.startsWith("lesson-"));
    const entries =
      lessons.length > 0
        ? lessons.map((info) =>
            entry(
              info,
              recorded.some(({ name }) => name === info.id),
            ),
          )
        : recorded.map(recordedEntry);
    part(this.dialog, "list").replaceChildren(...entries);
  }

  private say(text: string): void {
    say(part(this.dialog, "said"), text);
  }
}

function entry({ id, title, about, minutes, beats, needs = [] }: Info, recorded: boolean): HTMLElement {
  const start = { class: "button primary", type: "button", "data-lesson": id, "aria-label": `Start ${title}` };
  const more = [`${String(minutes)} min`, plural(beats, "beat", "beats"), ...needs.map((need) => `needs ${need}`)];
  return h(
    "li",
    {},
    h("button", start, "Start"),
    h("div", {}, h("strong", {}, title), h("p", { class: "quiet" }, about)),
    h("div", { class: "lessons-more quiet" }, h("span", {}, more.join(" · ")), recorded && watchLink(id, title)),
  );
}

function recordedEntry({ name, title }: RecordingInfo): HTMLElement {
  return h("li", {}, watchLink(name, title), h("strong", {}, title));
}

function watchLink(name: string, title: string): HTMLElement {
  return h("a", { href: `/?recording=${name}`, "aria-label": `Watch the recording: ${title}` }, "Watch the recording");
}
