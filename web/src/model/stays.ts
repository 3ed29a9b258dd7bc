/** The stays of items in queues and waiting rooms, by controller and state, found by time. */
import { getOrInsert } from "../base/getorinsert.ts";
import { Intervals } from "../base/intervals.ts";
import type { Wait } from "../base/rows.gen.ts";
import { SECOND } from "../base/time.ts";

/** Longer stays are looked for one by one. */
const LONG = 4 * SECOND;

interface Stay {
  readonly from: number;
  readonly to: number;
  readonly row: Wait;
}

export class Stays {
  private readonly byState = new Map<string, Intervals<Stay>>();
  private readonly byKey = new Map<string, Stay>();

  /** Takes a stay in, in place of the one with its key. */
  put(row: Wait): void {
    this.remove(row.key);
    const stay = { from: row.from, to: row.to === 0 ? Infinity : row.to, row };
    getOrInsert(this.byState, stateOf(row), () => new Intervals<Stay>(LONG)).add(stay);
    this.byKey.set(row.key, stay);
  }

  remove(key: string): void {
    const stay = this.byKey.get(key);
    if (stay === undefined) return;
    this.byState.get(stateOf(stay.row))?.remove(stay);
    this.byKey.delete(key);
  }

  at(controller: string, state: string, t: number): Wait[] {
    const rows: Wait[] = [];
    this.byState.get(stateOf({ controller, state }))?.at(t, ({ row }) => rows.push(row));
    return rows;
  }

  /** Those in the waiting rooms of all controllers. */
  delayed(from: number, to: number): Wait[] {
    const rows: Wait[] = [];
    for (const [key, stays] of this.byState) {
      if (key.endsWith("\ndelayed")) stays.overlapping(from, to, ({ row }) => rows.push(row));
    }
    return rows;
  }
}

function stateOf({ controller, state }: Pick<Wait, "controller" | "state">): string {
  return `${controller}\n${state}`;
}
