/** Which rows stay because somebody looks at their time: while one reads, nothing is taken away under one's eyes. */
import type { RowRef } from "../base/frames.ts";
import type { Row } from "../base/rows.gen.ts";
import type { Span } from "./types.ts";

/** How far over a bound the window looked at may bring a kind of rows: memory stays bounded. */
const ROOM = 1.25;

export class LookedAt {
  /** How many reconciles inside the window had to be let go. */
  lost = 0;
  private span: Span | undefined;
  /** What the hub has let go of meanwhile, in that order. */
  private readonly owed = new Map<string, RowRef>();
  private left = false;

  set(span: Span | undefined): void {
    const { span: before } = this;
    if (before?.from === span?.from && before?.to === span?.to) return;
    this.span = span;
    this.left = true;
    if (span === undefined) this.lost = 0;
  }

  clear(): void {
    this.owed.clear();
    this.lost = 0;
  }

  /** A row that comes again is not gone. */
  wanted(row: Row): void {
    if (this.owed.size > 0) this.owed.delete(nameOf(row));
  }

  /** Whether a row that the hub has let go of is to stay for now. */
  keeps(ref: RowRef, row: Row | undefined): boolean {
    if (row === undefined || !this.holds(row)) return false;
    this.owed.set(nameOf(ref), ref);
    return true;
  }

  /** What had stayed for a window that nobody looks at any more. The hub's bound counts too: it goes as soon as it may. */
  free(): readonly RowRef[] {
    if (!this.left) return [];
    this.left = false;
    const refs = [...this.owed.values()];
    this.owed.clear();
    return refs;
  }

  /** The rows that are too many, the ones that came first first: those looked at only when there is no room for them. */
  over(rows: Iterable<Row>, size: number, limit: number): RowRef[] {
    const out: RowRef[] = [];
    if (size <= limit) return out;
    const held: Row[] = [];
    for (const row of rows) {
      if (size - out.length <= limit) break;
      if (this.holds(row)) held.push(row);
      else out.push(row);
    }
    for (const row of held) {
      if (size - out.length <= limit * ROOM) break;
      out.push(row);
      if (row.row === "reconcile") this.lost++;
    }
    return out.map(({ row, key }) => ({ row, key }));
  }

  /** What is open is of all times to come. */
  private holds(row: Row): boolean {
    const { span } = this;
    return span !== undefined && "from" in row && row.from <= span.to && (row.to === 0 || row.to >= span.from);
  }
}

function nameOf({ row, key }: RowRef): string {
  return `${row}\n${key}`;
}
