import assert from "node:assert/strict";
import { test } from "node:test";

import type { Question } from "../model/lesson.ts";
import { answersSaid } from "./question.ts";

const asked: Question = {
  text: "How many?",
  choices: ["One", "Five"],
  answered: 0,
  open: true,
  polled: true,
  reveal: false,
  tally: [],
  right: -1,
  because: "",
};

test("how many have answered is said where others may answer", () => {
  const said = (answered: number, viewers: number, mine = -1): string =>
    answersSaid({ ...asked, answered }, { viewers, mine, may: true });
  assert.equal(said(0, 0), "", "nothing is shared");
  assert.equal(said(1, 0, 1), "", "one's own answer");
  assert.equal(said(1, 0), "1 answer so far", "of a viewer who has left");
  assert.equal(said(0, 2), "0 of 2 have answered");
});
