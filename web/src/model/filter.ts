/** What the page shows of all: a query that is known to be right, and what of the rows matches it. */
import type { Reconcile } from "../base/rows.gen.ts";
import { isError, matches, parse } from "./query.ts";
import type { Query, QueryError } from "./query.ts";
import type { Model } from "./types.ts";

/** Rows are replaced, never changed: what was found out about one holds as long as there is that row. */
export class Filter {
  readonly text: string;
  readonly query: Query;
  private readonly known = new WeakMap<Reconcile, boolean>();
  private found: readonly Reconcile[] = [];
  private foundOf = -1;

  constructor(text: string, query: Query) {
    this.text = text;
    this.query = query;
  }

  /** Whether it leaves anything out. */
  get on(): boolean {
    return this.query.length > 0;
  }

  matches(row: Reconcile): boolean {
    let is = this.known.get(row);
    if (is === undefined) this.known.set(row, (is = matches(this.query, row)));
    return is;
  }

  /** Whether a token of an item is of what matches; reconcile "" is an item that no worker has taken yet. */
  shows(model: Pick<Model, "reconcile">, controller: string, item: string, reconcile: string): boolean {
    const row = model.reconcile(reconcile);
    return row === undefined ? matches(this.query, { controller, item }) : this.matches(row);
  }

  /** The reconciles that match, newest first, at most limit. */
  recent(model: Model, limit: number): readonly Reconcile[] {
    if (!this.on) return model.recent("", limit);
    if (this.foundOf !== model.version) {
      this.found = model.recent("", Infinity).filter((row) => this.matches(row));
      this.foundOf = model.version;
    }
    return this.found.slice(0, limit);
  }
}

/** filterOf makes the filter of a text, or says what is wrong with it. */
export function filterOf(text: string): Filter | QueryError {
  const parsed = parse(text);
  return isError(parsed) ? parsed : new Filter(text.trim(), parsed);
}
