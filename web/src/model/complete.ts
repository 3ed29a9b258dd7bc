/** What the search offers while one types: fields, then the values that are there, with how many reconciles have them. */
import type { Reconcile } from "../base/rows.gen.ts";
import type { fields } from "./fields.ts";
import type { having, quoted } from "./query.ts";

/** What queries are made of: it is in the page's own script, which needs it from the first. */
export interface Language {
  readonly fields: typeof fields;
  readonly having: typeof having;
  readonly quoted: typeof quoted;
}

/** One thing to choose. */
export interface Option {
  /** What stands in the place of what was typed: "result:", "result:error ". */
  readonly text: string;
  readonly label: string;
  /** What a field is about, "" for a value. */
  readonly about: string;
  /** How many reconciles have the value, -1 for a field. */
  readonly count: number;
  /** It begins otherwise than what was typed: it is offered, and taken only when it is chosen. */
  readonly loose?: true;
}

export interface Completion {
  /** The part of the text that an option replaces. */
  readonly from: number;
  readonly to: number;
  readonly options: readonly Option[];
}

const most = 8;

/** complete offers what may follow at the caret. rows are those whose values are counted. */
export function complete(text: string, caret: number, rows: readonly Reconcile[], language: Language): Completion {
  const from = caret - (/(?:[^\s"]|"[^"]*"?)*$/.exec(text.slice(0, caret))?.[0].length ?? 0);
  const to = caret + (/^(?:[^\s"]|"[^"]*"?)*/.exec(text.slice(caret))?.[0].length ?? 0);
  const [, minus = "", name, typed = ""] = /^(-?)(?:([a-z]\w*):)?(.*)$/is.exec(text.slice(from, caret)) ?? [];
  const options =
    name === undefined
      ? [...named(minus, typed, language), ...anywhere(minus, typed, rows, language)]
      : valued(minus, name.toLowerCase(), typed, rows, language);
  return { from, to, options };
}

function named(minus: string, typed: string, { fields }: Language): Option[] {
  const fitting = Object.entries(fields).filter(([name]) => name.startsWith(typed.toLowerCase()));
  return fitting.map(([name, { about }]) => ({ text: `${minus}${name}:`, label: `${name}:`, about, count: -1 }));
}

/** Of what is typed without a field: the fields' values that have it in them. */
function anywhere(minus: string, typed: string, rows: readonly Reconcile[], language: Language): Option[] {
  if (typed.length < 2) return [];
  const found = ["error", "result", "cause", "by", "item"].flatMap((name) =>
    valued(minus, name, typed, rows, language).map((option) => ({
      ...option,
      label: `${name}:${option.label}`,
      loose: true as const,
    })),
  );
  return found.slice(0, most);
}

function valued(
  minus: string,
  name: string,
  typed: string,
  rows: readonly Reconcile[],
  { fields, having, quoted }: Language,
): Option[] {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field === undefined) return [];
  // Of several values it is the last that is being typed.
  const comma = typed.lastIndexOf(",") + 1;
  const before = `${minus}${name}:${typed.slice(0, comma)}`;
  const wanted = typed.slice(comma).replaceAll('"', "").toLowerCase();
  const option = (value: string, count: number): Option => {
    const written = "number" in field ? value : quoted(value);
    return { text: `${before}${written} `, label: value, about: "", count };
  };
  if ("number" in field)
    return typed === "" ? field.offer.map((value) => option(value, having(`${name}:${value}`, rows))) : [];
  const counts = new Map<string, number>();
  for (const row of rows) {
    const [first, ...more] = field.of(row);
    // Of an item and its name, of a failure and its kind, the first says it all.
    const values = name === "item" || name === "result" ? [first] : new Set([first, ...more]);
    for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .filter(([value]) => value.toLowerCase().includes(wanted))
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, most)
    .map(([value, count]) => option(value, count));
}
