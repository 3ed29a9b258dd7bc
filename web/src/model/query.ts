/** The language of the search: controller:podset item:shop/* result:error,panic -cause:resync dur:>200ms and free text. */
import { fields, textOf, units } from "./fields.ts";
import type { NumberField, Subject, WordField } from "./fields.ts";

/** One part of a query; all of them must hold. */
export interface Term {
  /** As it was written. */
  readonly text: string;
  readonly holds: (row: Subject) => boolean;
}

export type Query = readonly Term[];

/** What is wrong with a text, and where: at counts letters from 1. */
export interface QueryError {
  readonly error: string;
  readonly at: number;
  readonly length: number;
}

/** A piece of the text with its place. */
interface Piece {
  readonly text: string;
  readonly at: number;
}

type Holds = Term["holds"];

/** parse reads a query, or says where it has an error. "" is the query that everything matches. */
export function parse(text: string): Query | QueryError {
  const terms: Term[] = [];
  for (const piece of pieces(text, /(?:[^\s"]|"[^"]*"?)+/g, 1)) {
    const holds = termOf(piece);
    if (typeof holds !== "function") return holds;
    terms.push({ text: piece.text, holds });
  }
  return terms;
}

/** isError tells an error from a query. */
export function isError(parsed: Query | QueryError): parsed is QueryError {
  return "error" in parsed;
}

/** matches says whether every term of a query holds for a row. */
export function matches(query: Query, row: Subject): boolean {
  return query.every((term) => term.holds(row));
}

/** having counts the rows that a query matches, 0 for one with an error. */
export function having<T extends Subject>(text: string, rows: readonly T[]): number {
  const query = parse(text);
  return isError(query) ? 0 : rows.filter((row) => matches(query, row)).length;
}

/** quoted writes a value so that parse reads it as one. */
export function quoted(value: string): string {
  return /^[^\s",:-][^\s",]*$/.test(value) ? value : `"${value.replaceAll('"', "")}"`;
}

function termOf({ text, at }: Piece): Holds | QueryError {
  if (text.split('"').length % 2 === 0) {
    const open = at + text.lastIndexOf('"');
    return { error: `the quotation mark at ${String(open)} is not closed`, at: open, length: 1 };
  }
  const [, minus = "", name, rest = ""] = /^(-?)(?:([a-z]\w*):)?(.*)$/is.exec(text) ?? [];
  const from = at + minus.length;
  const valueAt = name === undefined ? from : from + name.length + 1;
  const holds =
    name === undefined ? textHolds(rest) : fieldHolds({ text: name, at: from }, { text: rest, at: valueAt });
  if (typeof holds !== "function" || minus === "") return holds;
  return (row) => !holds(row);
}

/** What stands for itself is looked for anywhere, in quotation marks too. */
function textHolds(text: string): Holds {
  const bare = text.replaceAll('"', "");
  if (bare.includes("*")) {
    const like = glob(`*${bare}*`);
    return (row) => like.test(textOf(row));
  }
  const wanted = bare.toLowerCase();
  return (row) => textOf(row).toLowerCase().includes(wanted);
}

function fieldHolds(name: Piece, rest: Piece): Holds | QueryError {
  const known = name.text.toLowerCase();
  const field = Object.hasOwn(fields, known) ? fields[known] : undefined;
  if (field === undefined) return unknown("field", name, Object.keys(fields));
  const values = pieces(rest.text, /(?:"[^"]*"|[^,"])+/g, rest.at);
  const example = "number" in field ? (field.offer[0] ?? "") : (field.words?.[0] ?? "…");
  if (values.length === 0) {
    const error = `${known} needs a value at ${String(rest.at)}, as in ${known}:${example}`;
    return { error, at: name.at, length: rest.at - name.at };
  }
  const any: Holds[] = [];
  for (const value of values) {
    const holds = "number" in field ? numberHolds(field, known, value) : wordHolds(field, known, value);
    if (typeof holds !== "function") return holds;
    any.push(holds);
  }
  return (row) => any.some((holds) => holds(row));
}

function wordHolds({ of, words }: WordField, name: string, value: Piece): Holds | QueryError {
  const bare = value.text.replaceAll('"', "");
  if (words !== undefined && !bare.includes("*") && !words.includes(bare.toLowerCase())) {
    return unknown(name, { text: bare, at: value.at }, words);
  }
  const like = glob(bare);
  return (row) => of(row).some((word) => like.test(word));
}

function numberHolds(field: NumberField, name: string, value: Piece): Holds | QueryError {
  const found = /^(>=|<=|>|<|=)?(\d+(?:\.\d+)?)(\p{L}*)(?:\.\.(\d+(?:\.\d+)?)(\p{L}*))?$/u.exec(value.text);
  const [, sign = "", low = "", unit = "", high, highUnit = ""] = found ?? [];
  const from = amount(low, unit, field.time);
  const to = high === undefined ? from : amount(high, highUnit, field.time);
  const missing = field.time ? sign === "" && high === undefined : sign !== "" && high !== undefined;
  if (Number.isNaN(from + to) || missing) {
    const example = field.time
      ? `${name}:>200ms, ${name}:<1s or ${name}:50ms..1s`
      : `${name}:>2, ${name}:0 or ${name}:1..5`;
    const error = `${name} cannot be ${value.text} at ${String(value.at)}; write ${example}`;
    return { error, at: value.at, length: value.text.length };
  }
  return (row) => compare(field.number(row), sign, from, to);
}

function compare(n: number, sign: string, from: number, to: number): boolean {
  switch (sign) {
    case ">":
      return n > from;
    case "<":
      return n < from;
    case ">=":
      return n >= from;
    case "<=":
      return n <= from;
    default:
      return n >= from && n <= to;
  }
}

function amount(digits: string, unit: string, time: boolean): number {
  if (digits === "" || (!time && unit !== "")) return NaN;
  return Number(digits) * (time ? (units[unit] ?? NaN) : 1);
}

function unknown(what: string, { text, at }: Piece, words: readonly string[]): QueryError {
  const near = nearest(text.toLowerCase(), words);
  const hint = near === undefined ? `; there are ${words.join(", ")}` : ` – did you mean ${near}?`;
  return { error: `unknown ${what} ${text} at ${String(at)}${hint}`, at, length: Math.max(1, text.length) };
}

/** The word that is fewest letters away, when that is not many. */
function nearest(text: string, words: readonly string[]): string | undefined {
  const ranked = words.map((word) => ({ word, far: distance(text, word) })).sort((a, b) => a.far - b.far);
  return ranked.find(({ word, far }) => far <= 2 || (text.length > 2 && word.startsWith(text)))?.word;
}

/** How many letters are to be put in, taken out or changed to make b of a. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

function glob(text: string): RegExp {
  const parts = text.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "is");
}

function pieces(text: string, like: RegExp, at: number): Piece[] {
  return [...text.matchAll(like)].map((found) => ({ text: found[0], at: at + found.index }));
}
