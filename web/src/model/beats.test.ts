import assert from "node:assert/strict";
import test from "node:test";

import type { Beat } from "../base/rows.gen.ts";
import type { Lesson } from "./lesson.ts";
import { asked, beatAt, lessonAt, polled, turned } from "./beats.ts";

const S = 1_000_000;

function beat(n: number, more: Partial<Beat>): Beat {
  return {
    row: "beat",
    key: String(n),
    lesson: "lesson-1",
    run: "lesson-1",
    n,
    of: 3,
    title: "The loop",
    heading: `Beat ${String(n)}`,
    words: "One.",
    controller: "podset",
    item: "lesson-1/web",
    from: 0,
    to: 0,
    ...more,
  };
}

const beats: readonly Beat[] = [
  beat(1, { from: 10 * S, done: 10 * S, to: 15 * S }),
  beat(2, {
    from: 15 * S,
    acted: 18 * S,
    done: 20 * S,
    to: 25 * S,
    then: "So it was.",
    reconcile: "abc",
    question: "How many?",
    choices: ["One", "Five"],
    right: 1,
    because: "Counted.",
  }),
  beat(3, { from: 25 * S, to: 30 * S }),
];

test("the beat at a moment is the newest that is shown then, from its first moment to before its last", () => {
  assert.equal(beatAt(beats, 9 * S), undefined);
  assert.equal(beatAt(beats, 10 * S)?.n, 1);
  assert.equal(beatAt(beats, 15 * S)?.n, 2);
  assert.equal(beatAt(beats, 30 * S), undefined);
  assert.equal(beatAt([...beats, beat(4, { from: 29 * S })], 99 * S)?.n, 4, "one without an end is shown still");
});

test("what is right, what came of it and the reconcile are known from when the picture has got there", () => {
  const [, second] = beats;
  assert.ok(second);
  const early = lessonAt(second, 21 * S);
  assert.equal(early.state, "acting");
  assert.equal(early.after, "");
  assert.equal(early.sel.reconcile, "");
  assert.equal(early.question?.reveal, false);
  assert.equal(early.question.right, -1);
  assert.equal(early.question.because, "");
  assert.equal(lessonAt(second, 23.9 * S).state, "acting", "the picture is not there yet");
  const late = lessonAt(second, 24 * S);
  assert.equal(late.state, "done");
  assert.equal(late.after, "So it was.");
  assert.equal(late.sel.reconcile, "abc");
  assert.equal(late.question?.right, 1);
  assert.equal(lessonAt(second, 16 * S).state, "ready");
});

test("the pages turn from beat to beat, and play what one is about until it is done", () => {
  const steps: unknown[] = [];
  let t = 0;
  for (let i = 0; i < 6; i++) {
    const turn = turned(beats, t, 1, false);
    steps.push(turn);
    t = turn?.until ?? turn?.at ?? t;
  }
  assert.deepEqual(steps, [
    { at: 10 * S },
    { at: 15 * S },
    { at: 17.5 * S, until: 24 * S },
    { at: 25 * S },
    undefined,
    undefined,
  ]);
});

test("while it plays the next page is the end of the beat; back is its beginning, then the one before", () => {
  assert.deepEqual(turned(beats, 20.5 * S, 1, true), { at: 24 * S });
  assert.deepEqual(turned(beats, 23 * S, 1, true), { at: 24 * S }, "what is done is seen to its end");
  const short = [beat(1, { from: 0, acted: S, done: 2 * S, to: 3 * S })];
  assert.deepEqual(turned(short, S, 1, true), { at: 2.95 * S }, "but no further than its page goes");
  assert.deepEqual(turned(beats, 20.5 * S, 1, false), { at: 20.5 * S, until: 24 * S });
  assert.deepEqual(turned(beats, 22 * S, -1, false), { at: 15 * S });
  assert.deepEqual(turned(beats, 15 * S, -1, false), { at: 10 * S });
  assert.equal(turned(beats, 10 * S, -1, false), undefined);
  assert.deepEqual(turned(beats, 99 * S, -1, false), { at: 25 * S }, "behind the lesson, back is its last beat");
});

test("what a recorded beat asks is open until it is played, and has the answers of its own beat", () => {
  const [first, second] = beats;
  assert.ok(first && second);
  const at = (t: number): Lesson => lessonAt(second, t);
  const ask = asked(at(16 * S));
  assert.deepEqual(ask, { beat: second.n, choices: second.choices?.length, open: true });
  assert.equal(asked(at(20.5 * S))?.open, false);
  assert.equal(asked(lessonAt(first, 10 * S)), undefined);
  assert.equal(asked(undefined), undefined);

  const poll = { beat: second.n, open: true, answered: 3, tally: [] };
  const { question } = polled(at(16 * S), poll);
  assert.deepEqual([question?.polled, question?.open, question?.answered], [true, true, 3]);
  const closed = { ...poll, open: false, tally: [1, 2] };
  assert.deepEqual(polled(at(20.5 * S), closed).question?.tally, [], "not before the reveal");
  assert.deepEqual(polled(at(24 * S), closed).question?.tally, [1, 2]);
  for (const other of [undefined, { ...poll, beat: 99 }])
    assert.equal(polled(at(16 * S), other).question?.polled, false);
});
