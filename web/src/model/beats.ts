/** A lesson that was recorded: how it stood at a moment, and where its pages turn. Pure. */
import type { Beat } from "../base/rows.gen.ts";
import { SECOND } from "../base/time.ts";
import type { Lesson, Question } from "./lesson.ts";
import type { Poll } from "./room.ts";

/** What happens is shown from a little before it, µs. */
const before = SECOND / 2;
/** The picture may be so far behind what has happened: when a beat is done it is seen to its end, µs. */
const behind = 4 * SECOND;

/** Where a turned page leads. until is where playing from there ends; undefined stands still. */
export interface Turn {
  readonly at: number;
  readonly until?: number;
}

/** beatAt is the beat shown at t: of those that are, the newest. Beats are in the order of their beginning. */
export function beatAt(beats: readonly Beat[], t: number): Beat | undefined {
  return beats.filter(({ from, to }) => from <= t && (t < to || to === 0)).at(-1);
}

/**
 * turned is where the next page leads, as Next does in a lesson that is given: what the beat is about is played, then
 * comes the beat after it. While it plays, the next page is its end. Undefined where there is no page.
 */
export function turned(beats: readonly Beat[], t: number, direction: 1 | -1, playing: boolean): Turn | undefined {
  const beat = beatAt(beats, t);
  if (direction < 0) return back(beats, beat, t);
  if (beat === undefined || (isDone(beat, t) && !playing)) return startOf(beats.find(({ from }) => from > t));
  const { from, acted = from } = beat;
  const until = seenAt(beat);
  return playing ? { at: until } : { at: Math.max(t, acted - before), until };
}

/** One page back is the beginning of the beat, and there the one before. */
function back(beats: readonly Beat[], beat: Beat | undefined, t: number): Turn | undefined {
  if (beat !== undefined && t > beat.from) return startOf(beat);
  return startOf(beats.filter(({ from }) => from < t).at(-1));
}

function startOf(beat: Beat | undefined): Turn | undefined {
  return beat === undefined ? undefined : { at: beat.from };
}

/** A beat that was left before it was done has no more than its words. */
function isDone(beat: Beat, t: number): boolean {
  return (beat.done ?? 0) === 0 || t >= seenAt(beat);
}

/** When the picture has got to the end of the beat. One that only speaks is done at once. */
function seenAt({ from, acted = 0, done = from, to }: Beat): number {
  if (acted === 0 && done <= from) return done;
  return Math.max(done, Math.min(done + behind, to === 0 ? Infinity : to - before / 10));
}

/** lessonAt is the lesson as it stood at t, in the words of one that is given. */
export function lessonAt(beat: Beat, t: number): Lesson {
  const done = isDone(beat, t);
  const { acted = 0, controller, item } = beat;
  return {
    id: beat.lesson,
    title: beat.title,
    beat: beat.n,
    of: beat.of,
    heading: beat.heading,
    words: beat.words,
    after: done ? (beat.then ?? "") : "",
    highlight: beat.highlight ?? [],
    controller,
    state: done ? "done" : acted > 0 && t >= acted ? "acting" : "ready",
    next: done
      ? beat.n < beat.of
        ? "Next beat"
        : "The end"
      : beat.question
        ? "Next: show the answer"
        : "Next: play it",
    did: [],
    waitingFor: "",
    came: [],
    question: questionAt(beat, done),
    lifted: "",
    error: "",
    sel: { controller, item, reconcile: done ? (beat.reconcile ?? "") : "" },
    recorded: true,
  };
}

function questionAt(
  { question = "", choices = [], right = 0, because = "" }: Beat,
  reveal: boolean,
): Question | undefined {
  if (question === "") return undefined;
  const told = reveal ? { right, because } : { right: -1, because: "" };
  return { text: question, choices, answered: 0, open: false, polled: false, reveal, tally: [], ...told };
}

/** asked is what the presenter of a recorded lesson asks the viewers, undefined where it asks nothing. */
export function asked(
  lesson: Lesson | undefined,
): { readonly beat: number; readonly choices: number; readonly open: boolean } | undefined {
  if (lesson?.question === undefined || lesson.question.choices.length < 2) return undefined;
  return { beat: lesson.beat, choices: lesson.question.choices.length, open: lesson.state === "ready" };
}

/** polled is the recorded lesson with what viewers answer to the question of its beat. */
export function polled(lesson: Lesson, poll: Poll | undefined): Lesson {
  const { question } = lesson;
  if (question === undefined || poll?.beat !== lesson.beat) return lesson;
  const { open, answered, tally } = poll;
  return { ...lesson, question: { ...question, open, answered, tally: question.reveal ? tally : [], polled: true } };
}
