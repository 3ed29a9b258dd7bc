import assert from "node:assert/strict";
import test from "node:test";

import { parseLesson } from "./lesson.ts";

test("a lesson is read as the hub tells it, and what is none is none", () => {
  const lesson = parseLesson({
    id: "lesson-2",
    title: "Level, not edge",
    beat: 3,
    of: 7,
    words: "One.\nTwo.",
    then: "So it was.",
    highlight: ["queue"],
    selectors: { controller: "podset", namespace: "lesson-2", item: "lesson-2/web" },
    state: "question",
    next: "Next: scale PodSet/web to 2",
    came: [{ condition: "reconcile", says: "a reconcile", what: "1 of 1", holds: true }],
    question: { text: "How many?", choices: ["One", "Five"], answered: 2, open: true, reveal: false },
    sel: { controller: "podset", item: "lesson-2/web" },
  });
  assert.equal(lesson?.beat, 3);
  assert.equal(lesson.after, "So it was.");
  assert.equal(lesson.controller, "podset");
  assert.deepEqual(lesson.came, [{ says: "a reconcile", what: "1 of 1", holds: true }]);
  assert.equal(lesson.next, "Next: scale PodSet/web to 2");
  assert.equal(lesson.question?.right, -1, "what is right is not known before the reveal");
  assert.deepEqual(lesson.question.tally, []);
  for (const none of [null, undefined, 3, [], {}]) assert.equal(parseLesson(none), undefined);
});
