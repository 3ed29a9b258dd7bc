/** A small truthful world for properties: items, workers and timers, and the rows that a hub would make of them. */
import type { Cause, Reconcile, Row, Wait, Write } from "../src/base/rows.gen.ts";
import { at, cause, pass, wait, write } from "./rows.ts";

/** One row as it is told, and when (ms). The same key is told again when it has changed. */
export interface Told {
  readonly at: number;
  readonly row: Row;
}

/** What a world has: how many items, over how many ms, how many changes a second from outside. */
export interface World {
  readonly seed: number;
  readonly items: number;
  readonly lasting: number;
  readonly perSecond: number;
  readonly errors: number;
}

/** chance is a small seeded generator (mulberry32) of numbers in [0, 1). */
export function chance(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** simulate tells what happens in a world, in the order in which a hub would tell it. */
export function simulate(world: World): Told[] {
  const told: Told[] = [];
  for (let i = 0; i < world.items; i++) told.push(...new ItemLife(world, i).live());
  return told.sort((a, b) => a.at - b.at);
}

/** last keeps of what was told the newest of each row. */
export function last(told: readonly Told[]): Row[] {
  return [...new Map(told.map(({ row }) => [`${row.row}/${row.key}`, row])).values()];
}

/** One item: changes come, one pass at a time answers all that have come, and its own writes are changes too. */
class ItemLife {
  private readonly told: Told[] = [];
  private readonly random: () => number;
  private readonly world: World;
  private readonly name: string;
  private readonly lane: string;
  private pending: Cause[] = [];
  private passes = 0;
  private made = 0;

  constructor(world: World, i: number) {
    this.world = world;
    this.random = chance(world.seed * 1000 + i);
    this.name = `default/item-${String(i)}`;
    this.lane = i % 3 === 0 ? "podset" : "other";
  }

  live(): Told[] {
    const { lasting, perSecond, items } = this.world;
    const gap = (1000 * items) / perSecond;
    let next = this.random() * gap;
    let t = 0;
    while (t < lasting) {
      while (next <= t) {
        this.pending.push(cause({ at: at(next), what: this.random() < 0.1 ? "resync" : "update", name: this.name }));
        next += this.random() * 2 * gap;
      }
      if (this.pending.length === 0) t = next;
      else t = this.pass(t);
    }
    return this.told;
  }

  /** One pass that begins at t or when its first cause comes; gives back when it is over. */
  private pass(t: number): number {
    const causes = this.pending;
    this.pending = [];
    const first = Math.min(...causes.map((c) => (c.at - at(0)) / 1000));
    const from = Math.max(t, first);
    const failed = this.random() < this.world.errors;
    const lasting = [this.len(4), this.len(1), this.len(1), this.len(12), this.len(1)];
    const key = `${this.name}#${String(this.passes++)}`;
    const row = pass(from, lasting, { key, causes, ...this.whose(), ...this.outcome(failed) });
    const over = (row.to - at(0)) / 1000;
    const writes = this.writes(row, failed);
    const done: Reconcile = { ...row, writes, writeCount: writes.length, failedWrites: failed ? 1 : 0 };
    if (over - from > 50) this.tell(from + 60, openAt(done, at(from + 50)));
    this.tell(over + 20 + this.random() * 40, done);
    return failed ? this.backOff(done, over) : over + this.random();
  }

  private writes(row: Reconcile, failed: boolean): Write[] {
    const apply = row.phases.find((phase) => phase.name === "apply");
    if (apply === undefined || (!failed && this.random() < 0.4)) return [];
    const plain = write({ span: `${row.key}/w`, from: apply.from, to: apply.to, name: this.name, status: 200 });
    if (failed) return [{ ...plain, status: 409, error: "Conflict" }];
    const many = 1 + Math.floor(this.random() * 3);
    const share = (apply.to - apply.from) / many;
    return Array.from({ length: many }, (_, i) => {
      const from = Math.round(apply.from + i * share);
      const made = { ...plain, span: `${row.key}/w${String(i)}`, from, to: Math.round(apply.from + (i + 1) * share) };
      return this.seen(row, { ...made, name: `${this.name}-${String(this.made++)}`, status: 201 });
    });
  }

  /** A Pod was made: mostly its event comes back as an own write, and then its node changes its status. */
  private seen(row: Reconcile, made: Write): Write {
    const { name = "", span } = made;
    if (this.random() < 0.3) return made;
    const seenAt = made.to + Math.round(this.random() * 3000);
    const pod: Partial<Cause> = { kind: "Pod", name };
    this.pending.push(cause({ ...pod, at: seenAt, what: "add", by: "self", write: { reconcile: row.key, span } }));
    const changes = Math.floor(this.random() * 3);
    for (let i = 0; i < changes; i++)
      this.pending.push(cause({ ...pod, at: seenAt + 100 + Math.round(this.random() * 2000) }));
    return { ...made, seenAt };
  }

  private backOff(row: Reconcile, over: number): number {
    const delay = 5 + this.random() * 400;
    const plain: Partial<Wait> = { ...this.whose(), from: row.to, until: at(over + delay), why: "backoff" };
    this.tell(over + 25, wait(plain));
    this.tell(over + delay + 25, wait({ ...plain, to: at(over + delay) }));
    this.pending.push(cause({ at: at(over + delay), what: "backoff", by: "self" }));
    return over + delay;
  }

  private whose(): { readonly item: string; readonly controller: string } {
    return { item: this.name, controller: this.lane };
  }

  private outcome(failed: boolean): Partial<Reconcile> {
    return failed ? { result: "error", error: "Conflict", next: { why: "backoff" } } : {};
  }

  /** Mostly short, sometimes twenty times as long; never nothing. */
  private len(ms: number): number {
    return 0.01 + this.random() * ms * (this.random() < 0.08 ? 20 : 1);
  }

  private tell(when: number, row: Row): void {
    this.told.push({ at: when, row });
  }
}

/** What is known of a pass at t, while it goes on. */
export function openAt(row: Reconcile, t: number): Reconcile {
  const phases = row.phases
    .filter((phase) => phase.from <= t)
    .map((phase) => (phase.to <= t ? phase : { ...phase, to: 0 }));
  const writes = row.writes
    .filter((w) => w.from <= t)
    .map((w) => (w.to <= t ? w : { ...w, to: 0, status: 0, seenAt: 0 }));
  const start = row.start <= t ? row.start : 0;
  const open: Reconcile = { ...row, start, to: 0, result: "", phases, writes, writeCount: writes.length };
  return { ...open, error: "", failedWrites: 0, next: { why: "" } };
}
