/** The lesson: the beat's words above the map, what it waits for, its question; the presenter moves, viewers answer. */
import type { Lesson } from "../model/lesson.ts";
import type { App } from "../view/app.ts";
import { attr, h, part, say, show } from "../view/dom.ts";
import type { Given } from "../view/classroom.ts";
import { writeFailed } from "../view/words.ts";
import type { Command, Player } from "./players.ts";
import { questionOf } from "./question.ts";

const commands: readonly Command[] = ["next", "previous", "restart", "stop", "start", "start-here"];

const nobody = "Nobody has answered. Press Next again to show the answer.";

/** The sizes of the words' letters: the first in which all of a beat fits beside the map is taken. */
const sizes = [1.4, 1.25, 1.1, 1];

export class LessonElement extends HTMLElement {
  private given: Given | undefined;
  private player: Player | undefined;
  private lesson: Lesson | undefined;
  /** The presenter moves this page, and not who looks at it. */
  private led: () => boolean = () => false;
  private wasLed = false;
  private viewers = 0;
  private looks = -1;
  private words = "";
  /** The reconcile that the words call selected. */
  private named = "";
  private chosen = "";
  /** The choice of this page at the beat that is shown, -1 for none. */
  private mine = -1;
  /** The hub is there. */
  private heard = true;
  /** A command is on its way. */
  private moving = false;
  private news = "";
  /** The beat of which it was said that nobody has answered, and the one in which the presenter has used the panel. */
  private nudged = "";
  private touched = "";
  /** This selects, and not the presenter; then the write that it is about comes into sight. */
  private selects = false;
  private seeking = false;

  connect(given: Given, player: Player, led: () => boolean): void {
    const { app } = given;
    this.led = led;
    this.given = given;
    this.player = player;
    for (const kind of ["pointerdown", "keydown"]) {
      document.getElementById("panel")?.addEventListener(kind, (event) => {
        // The keys of a remote come to where the focus is.
        const turns = event instanceof KeyboardEvent && event.key.startsWith("Page");
        if (this.lesson !== undefined && !turns) this.touched = beatOf(this.lesson);
      });
    }
    this.querySelector('[data-part="details"]')?.addEventListener("click", ({ currentTarget }) => {
      this.openDetails(currentTarget instanceof Element && currentTarget.getAttribute("aria-expanded") !== "true");
    });
    app.selection.subscribe(() => {
      const here = this.lesson !== undefined && !this.selects && !led();
      if (here && app.selection.get() !== undefined) this.openDetails(true);
    });
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
    if (this.lesson === undefined || this.led() || this.querySelector("[data-do]") === null) return;
    this.move(direction > 0 ? "next" : "previous");
  }

  step(): void {
    this.player?.step();
  }

  paint(): void {
    const { given, player } = this;
    if (given === undefined || player === undefined) return;
    const { app } = given;
    const [lesson, viewers, led] = [player.lesson(), player.viewers(), this.led()];
    this.highlight(lesson);
    this.paintRest(lesson, player);
    this.seek();
    const [was, held] = [this.lesson, document.activeElement];
    const { state } = app.watch.connection();
    const [heard, heardBefore] = [state === "live" || state === "restored", this.heard];
    this.heard = heard;
    const back = heard && !heardBefore;
    const named = nameOf(lesson, app);
    const same = lesson === was && viewers === this.viewers && led === this.wasLed && named === this.named;
    if (same && app.looks.get() === this.looks && !back) return;
    [this.lesson, this.viewers, this.wasLed, this.named] = [lesson, viewers, led, named];
    const moves = this.querySelector<HTMLElement>(".lesson-moves");
    if (moves !== null) show(moves, !led);
    if (beatOf(was) !== beatOf(lesson)) this.openDetails(false);
    document.body.classList.toggle("has-lesson", lesson !== undefined);
    show(this, lesson !== undefined);
    if (was !== undefined && lesson === undefined && !was.recorded) this.end(was, given);
    if (anew(was, lesson)) this.askMine(lesson);
    if (lesson !== undefined) this.draw(lesson);
    this.refocus(held, was, lesson);
    this.fit();
    if (lesson !== was && lesson !== undefined) this.select(lesson, given);
    // The map has another size, and its letters may have one.
    given.relaid();
    this.looks = app.looks.get();
  }

  /**
   * What had the focus goes with a beat or a lesson; where the lesson comes only after its list is closed, it is on the
   * list's button. After a lesson it is on the map, where Space pauses.
   */
  private refocus(held: Element | null, was: Lesson | undefined, now: Lesson | undefined): void {
    // A choice that is drawn anew has it already.
    const gone = held?.checkVisibility() === false && !document.activeElement?.hasAttribute("data-choice");
    if (gone || (was === undefined && held?.id === "lessons-open"))
      document.querySelector<HTMLElement>(now === undefined ? "#map" : '#lesson [data-part="body"]')?.focus();
  }

  /** Where the words stand beside the map, their letters are as large as their column allows. */
  private fit(): void {
    const [body, words] = [part(this, "body"), part(this, "words")];
    this.shrink(body, words);
    // What scrolls must scroll by the keyboard too.
    body.tabIndex = over(body) ? 0 : -1;
  }

  private shrink(body: Element, words: Element): void {
    const { style } = document.documentElement;
    if (getComputedStyle(this).display !== "contents") return;
    for (const size of sizes) {
      style.setProperty("--lesson-size", String(size));
      this.classList.toggle("is-tight", size === sizes.at(-1));
      if (!over(body) && !over(words)) return;
    }
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
    const next = this.querySelector('[data-part="next"]');
    if (next !== null) say(next, lesson.next === "" ? "Next" : lesson.next);
    said.classList.toggle("is-error", lesson.error !== "");
    said.classList.toggle("is-lifted", lesson.lifted !== "");
    const stated = [lesson.error, lesson.lifted, stateSaid(lesson)].find((text) => text !== "") ?? "";
    // What a press was answered stands until there is news.
    const news = [beatOf(lesson), state, stated].join();
    if (news !== this.news) say(said, stated);
    this.news = news;
  }

  /** Next does nothing while the beat acts or waits, or has just come to its end. */
  private rests(lesson: Lesson | undefined, player: Player): boolean {
    const busy = lesson?.state === "acting" || lesson?.state === "waiting";
    return (busy && !lesson.recorded) || this.moving || player.rests();
  }

  private paintRest(lesson: Lesson | undefined, player: Player): void {
    const next = this.querySelector('[data-part="next"]');
    if (next !== null) attr(next, "aria-disabled", String(this.rests(lesson, player)));
  }

  /** The words are put there anew only when they are new: they are read aloud. */
  private drawWords(lesson: Lesson): void {
    const name = this.named === "" ? "" : `${this.named}, `;
    const lines = wordsOf(lesson).map((line) => line.replace(selected, name + selected));
    const text = [lesson.heading, ...lines].join("\n");
    if (text === this.words) return;
    this.words = text;
    part(this, "words").replaceChildren(h("h2", {}, lesson.heading), ...lines.map((line) => h("p", {}, line)));
  }

  private drawQuestion(lesson: Lesson): void {
    const { question } = lesson;
    const box = part(this, "question");
    show(box, question !== undefined);
    if (question === undefined) return;
    const focus = document.activeElement?.getAttribute("data-choice") ?? "";
    // Who teaches does not vote; who learns alone does.
    const may = question.polled && (document.body.dataset["role"] === "viewer" || this.viewers === 0);
    box.replaceChildren(...questionOf(question, { mine: this.mine, viewers: this.viewers, may }));
    box.querySelector<HTMLElement>(`[data-choice="${focus}"]`)?.focus();
  }

  private drawCame({ state, came }: Lesson): void {
    const waits = state === "waiting" || state === "failed" ? came : [];
    const marks = waits.map(({ says, what, holds }) =>
      h(
        "li",
        { class: holds ? "is-come" : "" },
        h(
          "span",
          { class: "lesson-tick", role: "img", "aria-label": holds ? "has come" : "not yet" },
          holds ? "✓" : "",
        ),
        h("span", {}, says),
        what !== "" && what !== "0" && !holds && h("span", { class: "quiet" }, `${what} so far`),
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
      const strip = document.querySelector<HTMLElement>(`#twin [data-of="${CSS.escape(lesson.controller)}"]`);
      // Where the map is a strip, its style knows its lines.
      if (strip !== null) strip.dataset["taught"] = lesson.highlight.join(" ");
      for (const name of lesson.highlight.map((one) => CSS.escape(one)))
        for (const found of [
          strip,
          strip?.querySelector(`[data-station="${name}"]`),
          lane?.querySelector(`[data-node="${name}"], [data-edge="${name}"]`),
        ])
          if (found !== null && found !== undefined) lit.add(found);
    }
    for (const old of document.querySelectorAll(".is-taught")) if (!lit.has(old)) old.classList.remove("is-taught");
    for (const found of lit) found.classList.add("is-taught");
  }

  /** The page selects what the beat is about, once for each time that it changes; viewers follow the presenter's. */
  private select(lesson: Lesson, { app, go }: Given): void {
    const { id, beat, sel } = lesson;
    const chosen = [id, beat, sel.item, sel.reconcile].join();
    if (sel.item === "" || chosen === this.chosen || this.led()) return;
    this.chosen = chosen;
    this.selects = true;
    if (sel.reconcile === "" || this.touched === beatOf(lesson) || !this.showWrite(sel.reconcile, app, go))
      app.selection.set(sel);
    this.selects = false;
  }

  /** The panel goes to what the beat spoke of: the reconcile, which says first what failed, or its last write. */
  private showWrite(key: string, app: App, go: Given["go"]): boolean {
    const run = app.model.reconcile(key);
    if (run === undefined) return false;
    const write = run.writes.some(writeFailed) ? undefined : run.writes.at(-1);
    go(key, write?.span ?? "");
    this.seeking = write !== undefined;
    return true;
  }

  private seek(): void {
    const lit = this.seeking ? document.querySelector("#details .fall-lit") : null;
    if (lit === null) return;
    this.seeking = false;
    lit.scrollIntoView({ block: "center" });
  }

  /** Where the panel has no room beside the lesson, it comes in the place of the words. */
  private openDetails(wanted: boolean): void {
    const button = this.querySelector('[data-part="details"]');
    if (button === null) return;
    attr(button, "aria-expanded", String(wanted));
    document.getElementById("stage")?.classList.toggle("is-detailed", wanted);
    this.seeking = wanted;
    this.looks = -1;
    this.given?.app.wake();
  }

  /** The panel is in sight again: what is hidden cannot be scrolled. */
  private end({ id, title, sel }: Lesson, { app, tell }: Given): void {
    this.seeking = false;
    const name = /^lesson-(\d+)$/.exec(id)?.[1];
    const [namespace = ""] = sel.item.split("/");
    tell(`${name === undefined ? title : `Lesson ${name}`} has ended. Namespace ${namespace} is removed.`);
    if (document.body.dataset["role"] !== "viewer") app.selection.set(undefined);
    document.getElementById("details")?.scrollTo(0, 0);
  }

  private move(command: Command): void {
    const { lesson, player } = this;
    if (player === undefined) return;
    if (command === "next" && lesson?.question?.open === true && this.viewers > 0 && lesson.question.answered === 0) {
      const first = this.nudged !== beatOf(lesson);
      this.nudged = beatOf(lesson);
      if (first) return this.answer(nobody);
    }
    if (command === "next" && this.rests(lesson, player)) {
      if (lesson?.state === "waiting" && !lesson.recorded) this.answer(stillWaits(lesson));
      return;
    }
    this.moving = true;
    this.paintRest(lesson, player);
    void player.move(command, this.answer).then((refused) => {
      this.moving = false;
      this.given?.app.wake();
      // Another presenter has moved it.
      if (this.lesson?.beat !== lesson?.beat || this.lesson?.state !== lesson?.state) return;
      if (refused !== "") this.answer(refused);
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

  private readonly answer = (text: string): void => {
    say(part(this, "said"), text);
    this.fit();
  };

  private choose(choice: number): void {
    const { lesson } = this;
    if (lesson?.question?.open !== true) return;
    void this.player?.answer(lesson.beat, choice, this.answer).then((refused) => {
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

function over({ scrollHeight, clientHeight }: Element): boolean {
  return scrollHeight > clientHeight;
}

function beatOf(lesson: Lesson | undefined): string {
  return lesson === undefined ? "" : `${lesson.id}/${String(lesson.beat)}`;
}

const selected = "the reconcile that is selected";

/** "web #2", the reconcile of which a beat says that it is selected; "" where it says so of none, or it is not there. */
function nameOf(lesson: Lesson | undefined, { model }: App): string {
  if (lesson === undefined || !wordsOf(lesson).some((line) => line.includes(selected))) return "";
  const run = model.reconcile(lesson.sel.reconcile);
  return run === undefined ? "" : `${model.called(run.item)} #${String(model.nth(run).n)}`;
}

/** Once a beat is done, what came of it takes the place of what was said before: the map needs the room. */
function wordsOf({ words, after, question, state }: Lesson): readonly string[] {
  const done = state === "done" ? `${after}\n${question?.because ?? ""}` : "";
  return (done.trim() === "" ? words : done).split("\n").filter((line) => line !== "");
}

/** What Next says while the beat waits. */
function stillWaits({ came, lifted, waitingFor }: Lesson): string {
  if (lifted !== "") return lifted;
  const listed = came.some(({ holds }) => !holds);
  const what = listed ? "what is not ticked has not come" : `the beat still waits for ${waitingFor}`;
  return `Not yet: ${what}. Wait, restart the beat or go back.`;
}

function stateSaid({ state, did, waitingFor, came, beat, of, recorded }: Lesson): string {
  // What is held stands above the map.
  const deeds = did
    .filter((text) => !text.startsWith("presenter paused"))
    .map((text) => text.replace(/^presenter /, ""));
  const done = deeds.join(" · ");
  const open = came.some(({ holds }) => !holds);
  switch (state) {
    case "acting":
      if (recorded) return "";
      return waitingFor === "" ? "At work …" : `Waiting for ${waitingFor}`;
    case "waiting":
      return [...deeds, `Waiting for ${open ? "what is not ticked" : waitingFor}`].join(" · ");
    case "done":
      if (beat < of) return done;
      return `${done} That was the last beat.${recorded ? "" : " Next ends the lesson."}`.trim();
    default:
      return "";
  }
}
