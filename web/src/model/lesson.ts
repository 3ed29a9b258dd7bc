/** A lesson at one of its beats, and what the room tells of the one that is played. Pure. */

/** A condition that is waited for, and what came for it. */
export interface Came {
  /** In plain words. */
  readonly says: string;
  readonly what: string;
  readonly holds: boolean;
}

/** A question; tally, right and because are there from its reveal on. Choices count from 0. */
export interface Question {
  readonly text: string;
  readonly choices: readonly string[];
  readonly answered: number;
  readonly open: boolean;
  /** Answers are counted. */
  readonly polled: boolean;
  readonly reveal: boolean;
  readonly tally: readonly number[];
  readonly right: number;
  readonly because: string;
}

/** A lesson at one of its beats, which count from 1. */
export interface Lesson {
  readonly id: string;
  readonly title: string;
  readonly beat: number;
  readonly of: number;
  readonly heading: string;
  readonly words: string;
  /** Said once the beat is done, "" for nothing. */
  readonly after: string;
  readonly highlight: readonly string[];
  readonly controller: string;
  readonly state: string;
  /** What Next does now, "" where it does nothing. */
  readonly next: string;
  readonly did: readonly string[];
  readonly waitingFor: string;
  readonly came: readonly Came[];
  readonly question: Question | undefined;
  /** What it needs was lifted by somebody, and what to do. */
  readonly lifted: string;
  readonly error: string;
  readonly sel: { readonly controller: string; readonly item: string; readonly reconcile: string };
  /** It was recorded: nothing is waited for. */
  readonly recorded: boolean;
}

type Json = Readonly<Record<string, unknown>>;

/** parseLesson reads what the room holds; undefined when no lesson is played. */
export function parseLesson(json: unknown): Lesson | undefined {
  if (!isObject(json) || typeof json["id"] !== "string") return undefined;
  const sel = object(json["sel"]);
  return {
    id: json["id"],
    title: text(json["title"]),
    beat: number(json["beat"]),
    of: number(json["of"]),
    heading: text(json["heading"]),
    words: text(json["words"]),
    after: text(json["then"]),
    highlight: list(json["highlight"]).map(text),
    controller: text(object(json["selectors"])["controller"]),
    state: text(json["state"]),
    next: text(json["next"]),
    did: list(json["did"]).map(text),
    waitingFor: text(json["waitingFor"]),
    came: list(json["came"]).map(object).map(cameOf),
    question: isObject(json["question"]) ? questionOf(json["question"]) : undefined,
    lifted: text(json["lifted"]),
    error: text(json["error"]),
    sel: { controller: text(sel["controller"]), item: text(sel["item"]), reconcile: text(sel["reconcile"]) },
    recorded: false,
  };
}

function cameOf({ says, what, holds }: Json): Came {
  return { says: text(says), what: text(what), holds: holds === true };
}

function questionOf(json: Json): Question {
  return {
    text: text(json["text"]),
    choices: list(json["choices"]).map(text),
    answered: number(json["answered"]),
    open: json["open"] === true,
    polled: true,
    reveal: json["reveal"] === true,
    tally: list(json["tally"]).map(number),
    right: typeof json["right"] === "number" ? json["right"] : -1,
    because: text(json["because"]),
  };
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function object(value: unknown): Json {
  return isObject(value) ? value : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function number(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
