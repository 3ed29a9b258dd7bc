import { Groups } from "../base/groups.ts";
import { getOrInsert } from "../base/getorinsert.ts";
import type { Reconcile, Write } from "../base/rows.gen.ts";
import { insertSorted, lowerBound, removeAllSorted } from "../base/sorted.ts";
import { Names } from "./names.ts";

const byStart = (r: Reconcile): number => r.from;

/** Reconciles by id, and in order for each controller and item. Not bounded: its owner evicts. */
export class Reconciles {
  private readonly byID = new Map<string, Reconcile>();
  private readonly lists = new Map<string, Reconcile[]>();
  /** Which reconciles a write (its span) set off. */
  private readonly effects = new Groups<Reconcile>(({ causes }) => causes.flatMap(({ write }) => write?.span ?? []));
  private readonly writes = new Map<string, string>();
  readonly names = new Names();
  /** How many of an item are under way. */
  private readonly running = new Map<string, number>();

  get size(): number {
    return this.byID.size;
  }

  get(id: string): Reconcile | undefined {
    return this.byID.get(id);
  }

  all(): Iterable<Reconcile> {
    return this.byID.values();
  }

  put(row: Reconcile): void {
    const before = this.byID.get(row.key);
    if (before !== undefined) this.unlink([before]);
    this.byID.set(row.key, row);
    for (const key of listKeys(row)) insertSorted(this.listOf(key), row, byStart);
    this.count(row, 1);
    this.effects.add(row);
    for (const write of row.writes) this.writes.set(write.span, row.key);
  }

  remove(ids: readonly string[]): void {
    const rows = new Set(ids.flatMap((id) => this.byID.get(id) ?? []));
    this.unlink(rows);
    for (const row of rows) this.byID.delete(row.key);
  }

  /** Ascending by start; the list itself, not to be changed. controller and item "" mean any. */
  list(controller: string, item: string): readonly Reconcile[] {
    return this.lists.get(listKey(controller, item)) ?? [];
  }

  /** Those that had begun at t, ascending, the newest of them at most limit. */
  until(controller: string, item: string, t: number, limit: number): readonly Reconcile[] {
    const list = this.list(controller, item);
    const end = lowerBound(list, t + 1, byStart);
    // What waited in the queue at t had not begun.
    return list.slice(Math.max(0, end - limit), end).filter((row) => row.start <= t);
  }

  /** The last that was ready before t and is like that. */
  last(controller: string, item: string, t: number, like: (row: Reconcile) => boolean): Reconcile | undefined {
    const list = this.list(controller, item);
    for (let i = lowerBound(list, t, byStart) - 1; i >= 0; i--) {
      const row = list[i];
      if (row !== undefined && like(row)) return row;
    }
    return undefined;
  }

  /** How many of an item are under way. */
  open(controller: string, item: string): number {
    return this.running.get(listKey(controller, item)) ?? 0;
  }

  /** How many of the same item started later. */
  newer(row: Reconcile): number {
    const list = this.list(row.controller, row.item);
    let i = lowerBound(list, row.from, byStart);
    while (i < list.length && list[i]?.key !== row.key) i++;
    return Math.max(0, list.length - 1 - i);
  }

  effectsOf(span: string): readonly Reconcile[] {
    return [...this.effects.get(span)].sort((a, b) => a.from - b.from);
  }

  /** The write with this span, and its reconcile. */
  write(span: string): { readonly write: Write; readonly reconcile: Reconcile } | undefined {
    const reconcile = this.byID.get(this.writes.get(span) ?? "");
    const write = reconcile?.writes.find((w) => w.span === span);
    return reconcile !== undefined && write !== undefined ? { write, reconcile } : undefined;
  }

  private count(row: Reconcile, by: number): void {
    if (row.to !== 0) return;
    const key = listKey(row.controller, row.item);
    const running = (this.running.get(key) ?? 0) + by;
    if (running === 0) this.running.delete(key);
    else this.running.set(key, running);
  }

  private unlink(rows: Iterable<Reconcile>): void {
    const gone = new Map<string, Reconcile[]>();
    for (const row of rows) {
      this.count(row, -1);
      this.effects.remove(row);
      for (const write of row.writes) this.writes.delete(write.span);
      for (const key of listKeys(row)) getOrInsert(gone, key, noRows).push(row);
    }
    for (const [key, out] of gone) {
      const list = this.listOf(key);
      removeAllSorted(list, out, byStart);
      if (list.length > 0) continue;
      this.lists.delete(key);
      this.named(key, -1);
    }
  }

  private listOf(key: string): Reconcile[] {
    return getOrInsert(this.lists, key, () => {
      this.named(key, 1);
      return [];
    });
  }

  /** A list has come, or has gone. */
  private named(key: string, by: 1 | -1): void {
    const item = key.slice(key.indexOf("\n") + 1);
    if (item !== "") this.names.count(item, by);
  }
}

const noRows = (): Reconcile[] => [];

function listKeys(row: Reconcile): readonly string[] {
  return [listKey(row.controller, row.item), listKey(row.controller, ""), listKey("", "")];
}

function listKey(controller: string, item: string): string {
  return `${controller}\n${item}`;
}
