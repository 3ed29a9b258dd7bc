/** Draws the question of a beat: its choices, how many have answered, and what came out. */
import type { Question } from "../model/lesson.ts";
import { h } from "../view/dom.ts";
import type { Attrs } from "../view/dom.ts";
import { plural } from "../view/words.ts";

/** How this page stands to the question. */
export interface Asked {
  /** The choice of this page, -1 for none. */
  readonly mine: number;
  /** How many may answer. */
  readonly viewers: number;
  /** This page may answer. */
  readonly may: boolean;
}

/** questionOf draws the question. Choices that this page may not choose are no buttons. */
export function questionOf(question: Question, asked: Asked): readonly Node[] {
  const choices = question.choices.map((text, i) => h("li", {}, choiceOf(question, text, i, asked)));
  const said = answersSaid(question, asked);
  return [
    h("h3", {}, question.text),
    h("ol", { class: "lesson-choices" }, ...choices),
    ...(said === "" ? [] : [h("p", { class: "lesson-answers quiet" }, said)]),
  ];
}

/** "7 of 12 have answered": who has left is not counted among those who may. */
export function answersSaid({ answered, open, polled }: Question, { viewers, mine }: Asked): string {
  // Alone, one knows what one has answered.
  if (!polled || (viewers === 0 && answered <= (mine < 0 ? 0 : 1))) return "";
  if (viewers > 0 && answered <= viewers) return `${String(answered)} of ${String(viewers)} have answered`;
  return `${plural(answered, "answer", "answers")}${open ? " so far" : ""}`;
}

function choiceOf(question: Question, text: string, i: number, { mine, may }: Asked): HTMLElement {
  const { reveal, right, open } = question;
  const chosen = i === mine;
  const looks = `lesson-choice${reveal && i === right ? " is-right" : ""}${chosen ? " is-mine" : ""}`;
  const words = [
    h("span", { class: "lesson-letter", "aria-hidden": "true" }, reveal && i === right ? "✓" : letterOf(i)),
    h("span", { class: "lesson-text" }, text, ...marksOf(question, i, chosen)),
    ...tallyOf(question, i),
  ];
  const common: Attrs = { class: looks, "data-choice": i };
  if (!may || reveal) return h("div", common, ...words);
  const pressed = { type: "button", "aria-pressed": String(chosen), "aria-disabled": !open && "true" };
  return h("button", { ...common, ...pressed }, ...words);
}

function letterOf(i: number): string {
  return String.fromCodePoint("A".charCodeAt(0) + i);
}

/** What is right, and what was chosen here, in words: not by colour alone. */
function marksOf({ reveal, right }: Question, i: number, chosen: boolean): readonly HTMLElement[] {
  if (!reveal) return [];
  const words = [...(i === right ? ["right"] : []), ...(chosen ? ["your answer"] : [])].join(", ");
  return words === "" ? [] : [h("strong", { class: "lesson-mark" }, words)];
}

function tallyOf({ reveal, tally }: Question, i: number): readonly HTMLElement[] {
  const all = tally.reduce((sum, n) => sum + n, 0);
  if (!reveal || all === 0) return [];
  const n = tally[i] ?? 0;
  const percent = Math.round((100 * n) / all);
  const bar = h("span", { class: "lesson-bar" });
  bar.style.width = `${String(percent)}%`;
  return [h("span", { class: "lesson-tally" }, `${String(n)} · ${String(percent)} %`), bar];
}
