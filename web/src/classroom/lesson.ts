/** The lesson: the beat's words above the map, what it waits for, its question; the presenter moves, viewers answer. */
import type { Lesson } from "../model/lesson.ts";
import type { App } from "../view/app.ts";
import { h, part, say, show } from "../view/dom.ts";
import type { Command, Player } from "./players.ts";
import { questionOf } from "./question.ts";

const commands: readonly Command[] = ["next", "previous", "restart", "stop", "start", "start-here"];

const stillWaits = "Not yet: what is not ticked has not come. Wait, restart the beat or go back.";

export class LessonElement extends HTMLElement {
  private app: App | undefined;
  private player: Player | undefined;
  private lesson: Lesson | undefined;
  private viewers = 0;
  private words = "";
  private chosen = "";
  /** The choice of this page at the beat that is shown, -1 for none. */
  private mine = -1;

  connect(app: App, player: Player): void {
    this.app = app;
    this.player = player;
    this.addEventListener("click", ({ target }) => {
      if (!(target instanceof Element)) return;
      const asked = target.closest<HTMLElement>("[data-do]")?.dataset["do"];
      const command = commands.find((known) => known === asked);
      if (command !== undefined) this.move(command);
      const choice = target.closest<HTMLElement>("button[data-choice]")?.dataset["choice"];
      if (choice !== undefined) this.choose(Number(choice));
    });
  }

  /** Moves on or back by the keys of a presenter's remote; nothing where somebody else plays. */
  turn(direction: 1 | -1): void {
    if (this.lesson === undefined || this.querySelector("[data-do]") === null) return;
    this.move(direction > 0 ? "next" : "previous");
  }

  step(): void {
    this.player?.step();
  }

  paint(): void {
    const { app, player } = this;
    if (app === undefined || player === undefined) return;
    const [lesson, viewers] = [player.lesson(), player.viewers()];
    this.highlight(lesson);
    if (lesson === this.lesson && viewers === this.viewers) return;
    const was = this.lesson;
    [this.lesson, this.viewers] = [lesson, viewers];
    show(this, lesson !== undefined);
    if (anew(was, lesson)) this.askMine(lesson);
    if (lesson !== undefined) this.draw(lesson);
    if (lesson !== was && lesson !== undefined) this.select(lesson, app);
    // The map has another size.
    app.looks.set(app.looks.get() + 1);
  }

  private draw(lesson: Lesson): void {
    const { beat, of, state, title } = lesson;
    this.dataset["state"] = state;
    say(part(this, "title"), title);
    say(part(this, "beat"), `beat ${String(beat)} of ${String(of)}`);
    this.drawWords(lesson);
    this.drawQuestion(lesson);
    this.drawCame(lesson);
    const said = part(this, "said");
    said.classList.toggle("is-error", lesson.error !== "");
    say(said, lesson.error !== "" ? lesson.error : stateSaid(lesson));
  }

  /** The words are put there anew only when they are new: they are read aloud. */
  private drawWords(lesson: Lesson): void {
    const lines = wordsOf(lesson);
    const text = [lesson.heading, ...lines].join("\n");
    if (text === this.words) return;
    this.words = text;
    part(this, "words").replaceChildren(h("h2", {}, lesson.heading), ...lines.map((line) => h("p", {}, line)));
  }

  private drawQuestion(lesson: Lesson): void {
    const { question, recorded } = lesson;
    const box = part(this, "question");
    show(box, question !== undefined);
    if (question === undefined) return;
    const focus = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["choice"] : undefined;
    // Who teaches does not vote; who learns alone does.
    const may = !recorded && (document.body.dataset["role"] === "viewer" || this.viewers === 0);
    box.replaceChildren(...questionOf(question, { mine: this.mine, viewers: this.viewers, may, recorded }));
    if (focus !== undefined) box.querySelector<HTMLElement>(`[data-choice="${focus}"]`)?.focus();
  }

  private drawCame({ state, came }: Lesson): void {
    const waits = state === "waiting" || state === "failed" ? came : [];
    const marks = waits.map(({ condition, what, holds }) =>
      h(
        "li",
        { class: holds ? "is-come" : "" },
        h(
          "span",
          { class: "lesson-tick", role: "img", "aria-label": holds ? "has come" : "not yet" },
          holds ? "✓" : "",
        ),
        h("code", {}, condition),
        what !== "" && h("span", { class: "quiet" }, `so far: ${what}`),
      ),
    );
    part(this, "came").replaceChildren(...marks);
    show(part(this, "came"), waits.length > 0);
  }

  /** The parts of the map of which the beat speaks; lanes may come later than the beat. */
  private highlight(lesson: Lesson | undefined): void {
    const lit = new Set<Element>();
    if (lesson !== undefined) {
      const lane = document.querySelector(`tracer-lane[data-lane="${CSS.escape(lesson.controller)}"]`);
      for (const name of lesson.highlight.map((one) => CSS.escape(one))) {
        const found = lane?.querySelector(`[data-node="${name}"], [data-edge="${name}"]`);
        if (found !== null && found !== undefined) lit.add(found);
      }
    }
    for (const old of document.querySelectorAll(".is-taught")) if (!lit.has(old)) old.classList.remove("is-taught");
    for (const found of lit) found.classList.add("is-taught");
  }

  /** The page selects what the beat is about, once for each time that it changes; viewers follow the presenter's. */
  private select({ id, beat, sel, recorded }: Lesson, app: App): void {
    const chosen = [id, beat, sel.item, sel.reconcile].join();
    const follows = document.body.dataset["role"] === "viewer" && !recorded;
    if (sel.item === "" || chosen === this.chosen || follows) return;
    this.chosen = chosen;
    app.selection.set(sel);
  }

  private move(command: Command): void {
    const meant = this.lesson;
    void this.player?.move(command).then((refused) => {
      // Another presenter has moved it.
      if (this.lesson?.beat !== meant?.beat || this.lesson?.state !== meant?.state) return;
      // What is waited for stands there already.
      const waits = command === "next" && this.lesson?.state === "waiting";
      if (refused !== "") say(part(this, "said"), waits ? stillWaits : refused);
      this.app?.wake();
    });
  }

  /** What this browser has answered the hub knows, also after a reload. */
  private askMine(lesson: Lesson | undefined): void {
    this.mine = -1;
    if ((lesson?.question?.answered ?? 0) === 0) return;
    void this.player?.mine().then((mine) => {
      if (anew(lesson, this.lesson) || this.mine >= 0) return;
      this.mine = mine;
      if (this.lesson !== undefined) this.drawQuestion(this.lesson);
    });
  }

  private choose(choice: number): void {
    const { lesson } = this;
    if (lesson?.question?.open !== true) return;
    void this.player?.answer(lesson.beat, choice).then((refused) => {
      if (refused === "") this.mine = choice;
      else say(part(this, "said"), refused);
      if (this.lesson !== undefined) this.drawQuestion(this.lesson);
    });
  }
}

/** Whether a beat begins, or begins again: what was answered to it is forgotten. */
function anew(was: Lesson | undefined, now: Lesson | undefined): boolean {
  const [before, answered] = [was?.question?.answered ?? 0, now?.question?.answered ?? 0];
  return was?.id !== now?.id || was?.beat !== now?.beat || answered < before;
}

/** Once a beat is done, what came of it takes the place of what was said before: the map needs the room. */
function wordsOf({ words, after, question, state }: Lesson): readonly string[] {
  const done = state === "done" ? `${after}\n${question?.because ?? ""}` : "";
  return (done.trim() === "" ? words : done).split("\n").filter((line) => line !== "");
}

function stateSaid({ state, did, waitingFor, came, beat, of, recorded }: Lesson): string {
  const done = did.join(" · ");
  const open = came.some(({ holds }) => !holds);
  switch (state) {
    case "acting":
      if (recorded) return "";
      return waitingFor === "" ? "At work …" : `Waiting for ${waitingFor}`;
    case "waiting":
      return [...did, `Waiting for ${open ? "what is not ticked" : waitingFor}`].join(" · ");
    case "done":
      if (beat < of) return done;
      return `${done} That was the last beat.${recorded ? "" : " Next ends the lesson."}`.trim();
    default:
      return "";
  }
}
