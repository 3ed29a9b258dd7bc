/** Who plays a lesson: the hub, for a class, or this page, from a recording. */
import type { Beat } from "../base/rows.gen.ts";
import { SECOND } from "../base/time.ts";
import { beatAt, lessonAt, polled, turned } from "../model/beats.ts";
import { parseLesson } from "../model/lesson.ts";
import type { Lesson } from "../model/lesson.ts";
import type { Poll, Room } from "../model/room.ts";
import type { App } from "../view/app.ts";
import { ask } from "./ask.ts";
import { Pace } from "./pace.ts";

/** The commands there are; start begins the lesson that has failed again, start-here at the beat where it did. */
export type Command = "next" | "previous" | "restart" | "stop" | "start" | "start-here";

export interface Player {
  /** The lesson as it is; the same object until it changes, undefined while none is shown. */
  lesson(): Lesson | undefined;
  /** How many watch. */
  viewers(): number;
  /** Answers why it was not done, "" when it was; late is told that no answer has come yet. */
  move(command: Command, late: (text: string) => void): Promise<string>;
  /** Predicts; answers why that was not taken, "" when it was. */
  answer(beat: number, choice: number, late: (text: string) => void): Promise<string>;
  /** What this browser has answered to the question of the beat, -1 for nothing. */
  mine(): Promise<number>;
  /** A page turned now is not turned: the end of the one before is to be seen first. */
  rests(): boolean;
  /** It is called before each picture. */
  step(): void;
}

/** The hub plays it, and tells the room. */
export class HubPlayer implements Player {
  private readonly room: () => Room | undefined;
  private readonly pace: Pace;
  private told: unknown;
  private read: Lesson | undefined;

  constructor(app: App, room: () => Room | undefined) {
    this.room = room;
    this.pace = new Pace(app);
  }

  lesson(): Lesson | undefined {
    const told = this.room()?.lesson;
    if (told !== this.told) this.read = parseLesson(told);
    this.told = told;
    return this.pace.of(this.read);
  }

  viewers(): number {
    return this.room()?.viewers ?? 0;
  }

  async move(command: Command, late: (text: string) => void): Promise<string> {
    const { refused } = await ask(
      command.startsWith("start") ? `lessons/${this.read?.id ?? ""}/start` : `lesson/${command}`,
      command === "start" ? {} : { beat: this.read?.beat, state: this.read?.state },
      late,
    );
    return refused;
  }

  answer(beat: number, choice: number, late: (text: string) => void): Promise<string> {
    return answered("lesson/answer", beat, choice, late);
  }

  async mine(): Promise<number> {
    return (await ask("lesson")).mine ?? -1;
  }

  rests(): boolean {
    return false;
  }

  step(): void {
    // The hub does that.
  }
}

async function answered(path: string, beat: number, choice: number, late: (text: string) => void): Promise<string> {
  return (await ask(path, { beat, choice }, late)).refused;
}

/** A recording that begins with a lesson, but for so long (µs), was made of it. */
const prelude = 20 * SECOND;

/** For how long the end of a play is to be seen before the page is turned, ms. */
const seeFor = 1_000;

/** This page plays it: a page turned moves the playhead. The room counts what viewers answer. */
export class RecordingPlayer implements Player {
  private readonly app: App;
  private readonly room: () => Room | undefined;
  private readonly led: () => boolean;
  private shown = "";
  private read: Lesson | undefined;
  private opened = false;
  /** The recording is of something else too, and the lesson in it is shown only to who goes there. */
  private aside = false;
  /** Where playing ends, and how often the playhead had been moved when it began. */
  private until: { readonly t: number; readonly moves: number } | undefined;
  /** When a play came to its end by itself, ms. */
  private ended = -Infinity;

  /** led says that the presenter moves the time here, and not this page. */
  constructor(app: App, room: () => Room | undefined, led: () => boolean) {
    this.app = app;
    this.room = room;
    this.led = led;
  }

  /** A lesson that is left aside, or that was gone to all the same: its title, and whether it is shown. */
  offer(): { readonly title: string; readonly shown: boolean } | undefined {
    const [first] = this.app.model.beats();
    return first === undefined || !this.hasMore(first) ? undefined : { title: first.title, shown: !this.aside };
  }

  /** Goes to the lesson's first beat, or leaves it, where the picture stands. */
  enter(wanted: boolean): void {
    const [first] = this.app.model.beats();
    this.until = undefined;
    this.aside = !wanted;
    if (wanted && first !== undefined) this.app.playhead.seek(first.from);
    else this.app.selection.set(undefined);
  }

  private hasMore({ from }: Beat): boolean {
    return from - (this.app.model.span()?.from ?? from) > prelude;
  }

  lesson(): Lesson | undefined {
    if (this.aside && !this.led()) return undefined;
    const t = this.app.playhead.now();
    const beat = beatAt(this.app.model.beats(), t);
    const lesson = beat === undefined ? undefined : lessonAt(beat, t);
    const plays = this.until !== undefined;
    const poll = this.poll();
    const shown = JSON.stringify([beat?.key, lesson?.state, plays, poll]);
    if (shown !== this.shown && lesson !== undefined)
      this.read = polled(plays ? { ...lesson, next: "Next: go to its end" } : lesson, poll);
    else if (lesson === undefined) this.read = undefined;
    this.shown = shown;
    return this.read;
  }

  viewers(): number {
    return this.room()?.viewers ?? 0;
  }

  /** What viewers answer, where there are some and the presenter shows this recording. */
  private poll(): Poll | undefined {
    const room = this.room();
    const here = room?.presenter.here === true && room.presenter.recording === this.app.recording;
    return here && room.viewers > 0 ? room.poll : undefined;
  }

  move(command: Command): Promise<string> {
    const { model, playhead } = this.app;
    const direction = command === "previous" ? -1 : 1;
    // Who pressed to see the end sees it, although it came just before the press.
    if (direction > 0 && this.rests()) return Promise.resolve("");
    const turn = turned(model.beats(), playhead.now(), direction, this.until !== undefined);
    this.until = undefined;
    if (turn === undefined)
      return Promise.resolve(direction > 0 ? "That was the last beat." : "This is the first beat.");
    if (turn.until === undefined) playhead.seek(turn.at);
    else {
      playhead.playFrom(turn.at);
      this.until = { t: turn.until, moves: playhead.moves };
    }
    return Promise.resolve("");
  }

  answer(beat: number, choice: number, late: (text: string) => void): Promise<string> {
    return answered("room/answer", beat, choice, late);
  }

  async mine(): Promise<number> {
    return (await ask("room/answer")).mine ?? -1;
  }

  rests(): boolean {
    return performance.now() - this.ended < seeFor;
  }

  /** It begins at its first beat, and stands still where one is done, unless somebody else moves the time. */
  step(): void {
    const { playhead } = this.app;
    if (this.led()) return;
    if (!this.opened) this.open();
    const { until } = this;
    if (until === undefined) return;
    if (playhead.moves !== until.moves) this.until = undefined;
    else if (playhead.now() >= until.t) {
      this.until = undefined;
      this.ended = performance.now();
      setTimeout(() => {
        this.app.wake();
      }, seeFor);
      playhead.seek(until.t);
    }
  }

  /** A link to a moment leads there; what nobody has moved yet stands at the first beat, where that is its beginning. */
  private open(): void {
    const { model, playhead } = this.app;
    const [first] = model.beats();
    if (first === undefined) return;
    this.opened = true;
    this.aside = this.hasMore(first);
    if (playhead.moves === 0 && !this.aside) playhead.seek(first.from);
  }
}
