/** The lesson: the beat's words above the map, what it waits for, its question; the presenter moves, viewers answer. */
import { parseLesson } from "../model/lesson.ts";
import type { Lesson, Question } from "../model/lesson.ts";
import type { Room } from "../model/room.ts";
import type { App } from "../view/app.ts";
import { h, part, say, show } from "../view/dom.ts";
import { plural } from "../view/words.ts";

interface Info {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly minutes: number;
  readonly beats: number;
}

/** call asks the hub; answers what it said, and whether it did it. */
async function call(path: string, body?: unknown): Promise<{ readonly ok: boolean; readonly json: Answer }> {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body ?? {}) };
  try {
    const response = await fetch(`/api/v1/${path}`, body === undefined ? {} : post);
    const json = (await response.json().catch(() => ({}))) as Answer;
    return { ok: response.ok, json };
  } catch {
    return { ok: false, json: { error: "The hub cannot be reached. Wait until the page is connected again." } };
  }
}

interface Answer {
  readonly error?: string;
  readonly lessons?: readonly Info[];
}

export class LessonElement extends HTMLElement {
  private app: App | undefined;
  private room: () => Room | undefined = () => undefined;
  private lesson: Lesson | undefined;
  /** What is drawn, as text. */
  private drawn = "";
  private words = "";
  private chosen = "";
  /** The choice of this page, by lesson and beat. */
  private readonly mine = new Map<string, number>();

  connect(app: App, room: () => Room | undefined): void {
    this.app = app;
    this.room = room;
    this.addEventListener("click", ({ target }) => {
      if (!(target instanceof Element)) return;
      const command = target.closest<HTMLElement>("[data-do]")?.dataset["do"];
      if (command !== undefined) this.move(command);
      const choice = target.closest<HTMLElement>("[data-choice]")?.dataset["choice"];
      if (choice !== undefined) this.choose(Number(choice));
    });
  }

  /** Moves on or back by the keys of a presenter's remote; false where no lesson is played, or by somebody else. */
  turn(direction: 1 | -1): boolean {
    if (this.lesson === undefined || this.querySelector("[data-do]") === null) return false;
    this.move(direction > 0 ? "next" : "previous");
    return true;
  }

  paint(): void {
    const { app } = this;
    const told = this.room()?.lesson;
    const text = told === undefined ? "" : JSON.stringify(told);
    if (app === undefined || text === this.drawn) return;
    this.drawn = text;
    const lesson = parseLesson(told);
    this.lesson = lesson;
    show(this, lesson !== undefined);
    this.highlight(lesson);
    app.looks.set(app.looks.get() + 1);
    if (lesson !== undefined) this.draw(lesson, app);
  }

  private draw(lesson: Lesson, app: App): void {
    say(part(this, "title"), lesson.title);
    say(part(this, "beat"), `beat ${String(lesson.beat)} of ${String(lesson.of)}`);
    this.drawWords(lesson);
    this.drawQuestion(lesson);
    const waits = lesson.state === "waiting" ? lesson.came : [];
    const marks = waits.map(({ what, holds }) =>
      h("li", { class: holds ? "is-come" : "" }, `${holds ? "✓" : "…"} ${what}`),
    );
    part(this, "came").replaceChildren(...marks);
    show(part(this, "came"), waits.length > 0);
    const said = part(this, "said");
    said.classList.toggle("is-error", lesson.error !== "");
    say(said, lesson.error !== "" ? lesson.error : stateSaid(lesson));
    this.select(lesson, app);
  }

  /** The words are put there anew only when they are new: they are read aloud. */
  private drawWords({ heading, words, after, state }: Lesson): void {
    // Once it is done, what came of it takes the place of what was said before: the map needs the room.
    const text = state === "done" && after !== "" ? after : words;
    if (text + heading === this.words) return;
    this.words = text + heading;
    const lines = text.split("\n").filter((line) => line !== "");
    part(this, "words").replaceChildren(h("h2", {}, heading), ...lines.map((line) => h("p", {}, line)));
  }

  private drawQuestion(lesson: Lesson): void {
    const { question } = lesson;
    const box = part(this, "question");
    show(box, question !== undefined);
    if (question === undefined) return;
    const focus = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["choice"] : undefined;
    const mine = this.mine.get(beatOf(lesson)) ?? -1;
    const choices = question.choices.map((text, i) => choiceOf(question, text, i, i === mine));
    const answers = `${plural(question.answered, "answer", "answers")}${question.open ? " so far" : ""}`;
    const because = question.reveal ? h("p", { class: "lesson-because" }, question.because) : undefined;
    box.replaceChildren(
      h("h3", {}, question.text),
      h("div", { class: "lesson-choices" }, ...choices),
      h("p", { class: "quiet" }, answers),
      ...(because === undefined ? [] : [because]),
    );
    if (focus !== undefined) box.querySelector<HTMLElement>(`[data-choice="${focus}"]`)?.focus();
  }

  /** The parts of the map of which the beat speaks. */
  private highlight(lesson: Lesson | undefined): void {
    for (const lit of document.querySelectorAll(".is-taught")) lit.classList.remove("is-taught");
    if (lesson === undefined) return;
    const lane = document.querySelector(`tracer-lane[data-lane="${CSS.escape(lesson.controller)}"]`);
    for (const name of lesson.highlight) {
      const found = lane?.querySelector(`[data-node="${CSS.escape(name)}"], [data-edge="${CSS.escape(name)}"]`);
      found?.classList.add("is-taught");
    }
  }

  /** The presenter's page selects what the beat is about, once for each time that it changes; viewers follow it. */
  private select({ id, beat, sel }: Lesson, app: App): void {
    const chosen = [id, beat, sel.item, sel.reconcile].join();
    if (sel.item === "" || chosen === this.chosen || document.body.dataset["role"] === "viewer") return;
    this.chosen = chosen;
    app.selection.set(sel);
  }

  private move(command: string): void {
    void call(`lesson/${command}`, {}).then(({ ok, json }) => {
      if (!ok) say(part(this, "said"), json.error ?? "The hub did not do it.");
    });
  }

  private choose(choice: number): void {
    const { lesson } = this;
    if (lesson === undefined) return;
    void call("lesson/answer", { beat: lesson.beat, choice }).then(({ ok, json }) => {
      if (ok) this.mine.set(beatOf(lesson), choice);
      else say(part(this, "said"), json.error ?? "The answer was not taken.");
      if (this.lesson !== undefined) this.drawQuestion(this.lesson);
    });
  }
}

function beatOf({ id, beat }: Lesson): string {
  return `${id}/${String(beat)}`;
}

function stateSaid({ state, did, waitingFor, beat, of }: Lesson): string {
  const done = did.join(" · ");
  switch (state) {
    case "acting":
      return "At work …";
    case "waiting":
      return `${done}${done === "" ? "" : " · "}Waiting: ${waitingFor}`;
    case "done":
      return beat === of ? `${done} That was the last beat. Next ends the lesson.`.trim() : done;
    default:
      return "";
  }
}

function choiceOf(question: Question, text: string, i: number, mine: boolean): HTMLElement {
  const { reveal, right, tally, open } = question;
  const all = tally.reduce((sum, n) => sum + n, 0);
  const mark = reveal && i === right ? "✓ " : "";
  const button = h(
    "button",
    {
      class: `button lesson-choice${reveal && i === right ? " is-right" : ""}`,
      type: "button",
      "data-choice": String(i),
    },
    `${mark}${text}`,
  );
  button.setAttribute("aria-pressed", String(mine));
  button.disabled = !open;
  if (!reveal) return button;
  const n = tally[i] ?? 0;
  const bar = h("span", { class: "lesson-bar" });
  bar.style.width = all === 0 ? "0" : `${String(Math.round((100 * n) / all))}%`;
  button.append(h("span", { class: "lesson-tally" }, ` ${String(n)}`), bar);
  return button;
}

/** The list from which the presenter starts a lesson. */
export class Lessons {
  private readonly dialog: HTMLDialogElement;

  constructor(dialog: HTMLDialogElement) {
    this.dialog = dialog;
    dialog.addEventListener("click", ({ target }) => {
      const id =
        target instanceof Element ? target.closest<HTMLElement>("[data-lesson]")?.dataset["lesson"] : undefined;
      if (id === undefined) return;
      void call(`lessons/${id}/start`, {}).then(({ ok, json }) => {
        if (ok) dialog.close();
        else this.say(json.error ?? "The lesson cannot be started.");
      });
    });
  }

  open(): void {
    this.dialog.showModal();
    void call("lessons").then(({ ok, json }) => {
      this.say(ok ? "" : (json.error ?? "The lessons cannot be listed."));
      part(this.dialog, "list").replaceChildren(...(json.lessons ?? []).map(entry));
    });
  }

  private say(text: string): void {
    say(part(this.dialog, "said"), text);
  }
}

function entry({ id, title, about, minutes, beats }: Info): HTMLElement {
  const start = { class: "button primary", type: "button", "data-lesson": id, "aria-label": `Start ${title}` };
  return h(
    "li",
    {},
    h("button", start, "Start"),
    h("div", {}, h("strong", {}, title), h("p", { class: "quiet" }, about)),
    h("span", { class: "quiet" }, `${String(minutes)} min · ${plural(beats, "beat", "beats")}`),
  );
}
