/** What the page shows of all: a query that is known to be right, and what of the rows matches it. */
import { getOrInsert } from "../base/getorinsert.ts";
import type { Reconcile } from "../base/rows.gen.ts";
import { insertSorted, removeSorted } from "../base/sorted.ts";
import { isError, matches, parse } from "./query.ts";
import type { Query, QueryError } from "./query.ts";
import type { Change, Model } from "./types.ts";

export class Filter {
  readonly text: string;
  readonly query: Query;
  /** Rows are replaced, never changed: what was found out about one holds as long as there is that row. */
  private readonly known = new WeakMap<Reconcile, boolean>();
  /** What matches, by its start; undefined until it is asked for. */
  private found: Reconcile[] | undefined;
  private readonly byKey = new Map<string, Reconcile>();

  constructor(text: string, query: Query) {
    this.text = text;
    this.query = query;
  }

  /** Whether it leaves anything out. */
  get on(): boolean {
    return this.query.length > 0;
  }

  matches(row: Reconcile): boolean {
    return getOrInsert(this.known, row, () => matches(this.query, row));
  }

  /** Whether a token of an item is of what matches; reconcile "" is an item that no worker has taken yet. */
  shows(model: Pick<Model, "reconcile">, controller: string, item: string, reconcile: string): boolean {
    const row = model.reconcile(reconcile);
    return row === undefined ? matches(this.query, { controller, item }) : this.matches(row);
  }

  /** Takes in what the model's apply gave back, so that with many reconciles only those that are new are read. */
  take({ reset, upserted, removed }: Change): void {
    if (reset) this.found = undefined;
    if (this.found === undefined) return;
    for (const { key } of removed) this.drop(key);
    for (const row of upserted) if (row.row === "reconcile") this.put(row, this.found);
  }

  /** The reconciles that match, newest first, at most limit. */
  recent(model: Model, limit: number): readonly Reconcile[] {
    if (!this.on) return model.recent("", limit);
    return this.all(model).slice(-limit).reverse();
  }

  /** How many reconciles match. */
  count(model: Model): number {
    return this.on ? this.all(model).length : model.size;
  }

  private all(model: Model): readonly Reconcile[] {
    if (this.found !== undefined) return this.found;
    this.byKey.clear();
    const found: Reconcile[] = (this.found = []);
    for (const row of [...model.recent("", Infinity)].reverse()) this.put(row, found);
    return found;
  }

  private put(row: Reconcile, found: Reconcile[]): void {
    this.drop(row.key);
    if (!this.matches(row)) return;
    insertSorted(found, row, byStart);
    this.byKey.set(row.key, row);
  }

  private drop(key: string): void {
    const row = this.byKey.get(key);
    if (row === undefined || this.found === undefined) return;
    removeSorted(this.found, row, byStart);
    this.byKey.delete(key);
  }
}

const byStart = (row: Reconcile): number => row.from;

/** filterOf makes the filter of a text, or says what is wrong with it. */
export function filterOf(text: string): Filter | QueryError {
  const parsed = parse(text);
  return isError(parsed) ? parsed : new Filter(text.trim(), parsed);
}
