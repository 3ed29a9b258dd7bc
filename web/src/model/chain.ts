/** What led to a reconcile and what its writes set off: a tree, told as lines in order. Pure. */
import type { Cause, Reconcile, Write } from "../base/rows.gen.ts";
import { asOf } from "./known.ts";
import type { Model } from "./types.ts";

/** One line: a reconcile and how it came about. */
export interface ChainLine {
  readonly reconcile: Reconcile;
  /** How many lines above it lead to it. */
  readonly depth: number;
  /** The write that set it off; undefined for the first line and for timers. */
  readonly write?: Write;
  /** How many writes of that reconcile did; 0 for a timer. */
  readonly writes: number;
  /** When the write was sent, or the reconcile that set the timer was done. */
  readonly since: number;
  /** The controller comes back to an item that this line already goes through. */
  readonly loop: boolean;
}

export interface Chain {
  /** Why the first line ran: the first cause of all that is known. */
  readonly first: Cause | undefined;
  readonly lines: readonly ChainLine[];
  /** The line of the reconcile that was asked for. */
  readonly here: number;
  /** There is more than the bound allows. */
  readonly cut: boolean;
}

/** As many lines are told, and as many steps gone back. */
export const chainLimit = 200;

type Asked = Pick<Model, "why" | "related" | "reconcile" | "followed" | "effectsOf">;

/** chainOf tells the chain of a reconcile as it was known at t (µs): nothing that began later is in it, and what ran then runs. */
export function chainOf(model: Asked, run: Reconcile, t: number): Chain {
  const walk = new Walk(model, t);
  const back = walk.back(run);
  back.forEach((line) => walk.add(line));
  const here = back.length - 1;
  walk.on(run, here);
  return { first: firstCause(back[0]?.reconcile ?? run), lines: walk.lines, here, cut: walk.cut };
}

function firstCause(run: Reconcile): Cause | undefined {
  return [...run.causes].sort((a, b) => a.at - b.at)[0];
}

class Walk {
  readonly lines: ChainLine[] = [];
  cut = false;
  private readonly seen = new Set<string>();
  private readonly model: Asked;
  private readonly t: number;

  constructor(model: Asked, t: number) {
    this.model = model;
    this.t = t;
  }

  add(line: ChainLine): void {
    this.lines.push({ ...line, reconcile: asOf(line.reconcile, this.t, []) });
    this.seen.add(line.reconcile.key);
  }

  /** From the first reconcile that is known to the one asked for, which is the last line. */
  back(run: Reconcile): ChainLine[] {
    const path: Omit<ChainLine, "depth" | "loop">[] = [];
    const been = new Set<string>();
    for (let at: Reconcile | undefined = run; at !== undefined && !been.has(at.key);) {
      been.add(at.key);
      if ((this.cut = path.length >= chainLimit / 2)) break;
      const { from, ...how } = this.cameFrom(at);
      path.unshift({ reconcile: at, ...how });
      at = from;
    }
    return path.map((line, depth) => ({ ...line, depth, loop: passes(path.slice(0, depth), line.reconcile) }));
  }

  /** The first of the causes decides: it put the item into the queue, the others only joined it. */
  private cameFrom(run: Reconcile): { from?: Reconcile; write?: Write; writes: number; since: number } {
    const [link] = [...this.model.why(run)].sort((a, b) => a.cause.at - b.cause.at);
    const from = link?.reconcile;
    if (from === undefined) return { writes: 0, since: run.from };
    if (link?.write === undefined) return { from, writes: 0, since: from.to };
    const writes = run.causes.filter((cause) => cause.write?.reconcile === from.key).length;
    return { from, write: link.write, writes, since: link.write.from };
  }

  /** Adds what a reconcile set off, and what that did; path are the lines that lead to it. */
  on(run: Reconcile, above: number): void {
    for (const effect of this.effects(run)) {
      if (this.seen.has(effect.reconcile.key)) continue;
      if ((this.cut = this.cut || this.lines.length >= chainLimit)) return;
      const depth = (this.lines[above]?.depth ?? 0) + 1;
      this.add({ ...effect, depth, loop: passes(this.ancestors(above), effect.reconcile) });
      this.on(effect.reconcile, this.lines.length - 1);
    }
  }

  /** The line above and those that lead to it. */
  private ancestors(above: number): ChainLine[] {
    const path: ChainLine[] = [];
    for (let i = above, depth = Infinity; i >= 0; i--) {
      const line = this.lines[i];
      if (line === undefined || line.depth >= depth) continue;
      path.push(line);
      depth = line.depth;
    }
    return path;
  }

  private effects(run: Reconcile): Omit<ChainLine, "depth" | "loop">[] {
    const found = new Map<string, { reconcile: Reconcile; write?: Write; writes: number; since: number }>();
    const add = (reconcile: Reconcile | undefined, write: Write): void => {
      if (reconcile === undefined || reconcile.from > this.t) return;
      const known = found.get(reconcile.key);
      if (known === undefined) found.set(reconcile.key, { reconcile, write, writes: 1, since: write.from });
      else known.writes++;
    };
    const told = new Map(
      this.model.related.effects(run.key).map((edge) => [`${edge.write.span} ${edge.reconcile}`, edge]),
    );
    const spans = new Map(run.writes.map((write) => [write.span, write]));
    for (const edge of told.values()) {
      const write = spans.get(edge.write.span);
      if (write !== undefined) add(this.model.reconcile(edge.reconcile), write);
    }
    for (const write of run.writes)
      for (const effect of this.model.effectsOf(write.span))
        if (!told.has(`${write.span} ${effect.key}`)) add(effect, write);
    const next = this.model.followed(run, this.t).retry;
    if (next !== undefined && !found.has(next.key)) found.set(next.key, { reconcile: next, writes: 0, since: run.to });
    return [...found.values()].sort((a, b) => a.reconcile.from - b.reconcile.from);
  }
}

function passes(path: readonly { readonly reconcile: Reconcile }[], { controller, item }: Reconcile): boolean {
  return path.some(({ reconcile }) => reconcile.controller === controller && reconcile.item === item);
}
