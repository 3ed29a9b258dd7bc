/** What stands for the controllers, in words: commands, and workers that are held. Pure. */
import type { Control, Hold } from "../base/rows.gen.ts";
import { SECOND, countdown } from "../base/time.ts";
import type { Model } from "../model/types.ts";
import { heldWhere } from "../view/words.ts";

/** How long before its end it is said that a command ends by itself. */
const warnBefore = 60 * SECOND;

/** One line of what stands: a command, or a worker that is held. */
export interface Chip {
  readonly key: string;
  readonly text: string;
  readonly from: number;
  readonly until: number;
  readonly lift: Control | undefined;
}

/** chipsOf has one chip for each command, and for each worker that is held by none of them; a pause tells what it holds. */
export function chipsOf(
  holds: readonly Hold[],
  controls: readonly Control[],
  model: Pick<Model, "called" | "reconcile">,
): readonly Chip[] {
  const told = new Set<Hold>();
  const chips = controls.map((row): Chip => {
    const own = row.command === "pause" ? holds.filter((hold) => holdsIt(row, hold)) : [];
    for (const hold of own) told.add(hold);
    const text = own.length > 0 ? heldWhere(own, model) : row.text;
    return { key: row.key, text, from: row.from, until: row.until ?? 0, lift: row };
  });
  const others = holds.filter((hold) => !told.has(hold));
  return [
    ...others.map((hold): Chip => {
      const { key, from, until = 0 } = hold;
      return { key: `hold ${key}`, text: heldWhere([hold], model), from, until, lift: undefined };
    }),
    ...chips,
  ];
}

function holdsIt({ controller, item = "", phase = "" }: Control, hold: Hold): boolean {
  return (
    controller === hold.controller && (item === "" || item === hold.item) && (phase === "" || phase === hold.phase)
  );
}

/** warningOf says that what has stood for long ends soon, "" as long as there is nothing to say. */
export function warningOf({ text, from, until }: Pick<Chip, "text" | "from" | "until">, now: number): string {
  const left = until - now;
  if (until === 0 || left <= 0 || left > warnBefore || until - from <= warnBefore) return "";
  return `Ends by itself in ${countdown(left)}: ${text}. Give the command again to go on.`;
}
