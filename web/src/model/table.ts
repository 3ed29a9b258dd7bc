import type { Frame, RowRef } from "../base/frames.ts";
import { getOrInsert } from "../base/getorinsert.ts";
import type {
  Beat,
  Cause,
  Control,
  Controller,
  Finding,
  Gap,
  Hold,
  Item,
  Reconcile,
  Row,
  RowKind,
  Sample,
  Wait,
  Write,
} from "../base/rows.gen.ts";
import { compareLists } from "../base/sorted.ts";
import { withElided } from "./elided.ts";
import { LookedAt } from "./looked.ts";
import { isOf, isTimer, mayHaveSet } from "./timers.ts";
import { overtakenBy } from "./overtaken.ts";
import { Reconciles } from "./reconciles.ts";
import { Related } from "./related.ts";
import { standing } from "./standing.ts";
import { Stays } from "./stays.ts";
import { Samples, addToBins, failed } from "./samples.ts";
import type { Bin, Change, Elided, Followed, Lane, Model, Nth, Overtaken, Span, WhyLink } from "./types.ts";

/** How many rows of each kind are kept; the ones that came first go first. */
export const LIMITS: Readonly<Record<RowKind, number>> = {
  reconcile: 50_000,
  wait: 50_000,
  hold: 5_000,
  control: 5_000,
  sample: 50_000,
  edge: 50_000,
  gap: 1_000,
  finding: 1_000,
  beat: 2_000,
  controller: 1_000,
  item: 20_000,
};

type Of<K extends RowKind> = Extract<Row, { row: K }>;
type Store = { readonly [K in Exclude<RowKind, "reconcile">]: Map<string, Of<K>> };
/** The rows that the page has, by kind and key, with what panels ask. One writer: apply. */
export class Table implements Model {
  version = 0;
  evicted = 0;
  related = new Related();
  private readonly limits: Readonly<Record<RowKind, number>>;
  private store = emptyStore();
  private passes = new Reconciles();
  private perSecond = new Map<string, Samples>();
  private stays = new Stays();
  private elidedList: readonly Elided[] = [];
  private heard = 0;
  private readonly looked = new LookedAt();

  constructor(limits: Partial<Record<RowKind, number>> = {}) {
    this.limits = { ...LIMITS, ...limits };
  }

  /** Takes one frame in. A snapshot replaces everything; a row replaces the one with its key. */
  apply(frame: Frame): Change {
    const change = this.take(frame);
    this.heard = Math.max(this.heard, frame.now);
    return change;
  }

  private take(frame: Frame): Change {
    switch (frame.type) {
      case "snapshot":
        this.clear();
        return this.change(true, frame.rows, []);
      case "rows":
        return this.change(false, frame.rows, frame.gone);
      case "elided":
        this.elidedList = withElided(this.elidedList, frame, this.heard);
        return this.change(false, [], []);
      default:
        return { reset: false, upserted: [], removed: [] };
    }
  }

  private change(reset: boolean, rows: readonly Row[], gone: readonly RowRef[]): Change {
    this.version++;
    for (const row of rows) this.looked.wanted(row);
    const leave = [...this.looked.free(), ...gone.filter((ref) => !this.looked.keeps(ref, this.find(ref)))];
    this.drop(leave);
    for (const row of rows) this.put(row);
    return { reset, upserted: rows, removed: [...leave, ...this.evict()] };
  }

  look(window: Span | undefined): void {
    this.looked.set(window);
  }

  get size(): number {
    return this.passes.size;
  }

  get shortened(): number {
    return this.looked.lost;
  }

  private find(ref: RowRef): Row | undefined {
    return ref.row === "reconcile" ? this.passes.get(ref.key) : this.store[ref.row].get(ref.key);
  }

  private clear(): void {
    this.store = emptyStore();
    this.related = new Related();
    this.passes = new Reconciles();
    this.perSecond = new Map();
    this.stays = new Stays();
    this.elidedList = [];
    this.evicted = 0;
    this.looked.clear();
  }

  private put(row: Row): void {
    if (row.row === "reconcile") {
      this.passes.put(row);
      return;
    }
    if (row.row === "sample") this.samplesOf(row.controller).put(row, this.store.sample.get(row.key));
    if (row.row === "wait") this.stays.put(row);
    this.related.put(row, this.store[row.row].get(row.key));
    // Every store holds the rows of its own kind; the compiler cannot follow the pairing.
    (this.store[row.row] as Map<string, Row>).set(row.key, row);
  }

  private drop(refs: readonly RowRef[]): void {
    this.passes.remove(refs.filter(({ row }) => row === "reconcile").map(({ key }) => key));
    for (const ref of refs) if (ref.row !== "reconcile") this.dropOther(ref.row, ref.key);
  }

  private dropOther(kind: Exclude<RowKind, "reconcile">, key: string): void {
    const row = this.store[kind].get(key);
    if (row?.row === "sample") this.samplesOf(row.controller).remove(row);
    if (row !== undefined) this.related.remove(row);
    if (kind === "wait") this.stays.remove(key);
    this.store[kind].delete(key);
  }

  private evict(): RowRef[] {
    const out = this.looked.over(this.passes.all(), this.passes.size, this.limits.reconcile);
    this.evicted += out.length;
    for (const [kind, rows] of Object.entries(this.store) as [Exclude<RowKind, "reconcile">, Map<string, Row>][]) {
      out.push(...this.looked.over(rows.values(), rows.size, this.limits[kind]));
    }
    this.drop(out);
    return out;
  }

  private samplesOf(controller: string): Samples {
    return getOrInsert(this.perSecond, controller, () => new Samples());
  }

  lanes(now: number): readonly Lane[] {
    const controllers = [...this.store.controller.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    return controllers.map((controller) => ({
      controller,
      name: controller.key,
      rate: this.samplesOf(controller.key).rate(now),
    }));
  }

  controller(name: string): Controller | undefined {
    return this.store.controller.get(name);
  }

  item(controller: string, item: string): Item | undefined {
    const row = this.store.item.get(`${controller}/${item}`);
    if (row?.item === item) return row;
    for (const other of this.store.item.values()) {
      if (other.controller === controller && other.item === item) return other;
    }
    return undefined;
  }

  items(controller: string): readonly Item[] {
    const rows = [...this.store.item.values()].filter((row) => controller === "" || row.controller === controller);
    return rows.sort((a, b) => (a.item < b.item ? -1 : 1));
  }

  reconcile(id: string): Reconcile | undefined {
    return this.passes.get(id);
  }

  reconcilesOf(controller: string, item: string): readonly Reconcile[] {
    return [...this.passes.list(controller, item)].reverse();
  }

  until(controller: string, item: string, t: number, limit = Infinity): readonly Reconcile[] {
    return this.passes.until(controller, item, t, limit);
  }

  recent(controller: string, limit: number): readonly Reconcile[] {
    return this.passes.list(controller, "").slice(-limit).reverse();
  }

  called(item: string): string {
    return this.passes.names.called(item);
  }

  get namesakes(): boolean {
    return this.passes.names.shared > 0;
  }

  nth(reconcile: Reconcile): Nth {
    const { controller, item } = reconcile;
    const list = this.passes.list(controller, item);
    const open = this.passes.open(controller, item);
    const counted = this.item(controller, item)?.reconciles ?? 0;
    const of = Math.max(list.length, counted + open, list.at(-1)?.nth ?? 0, reconcile.nth ?? 0);
    return { n: reconcile.nth ?? of - this.passes.newer(reconcile), of };
  }

  latestFinished(item: string): Reconcile | undefined {
    return this.passes
      .list("", "")
      .filter((run) => run.item === item && run.to > 0)
      .at(-1);
  }

  why(reconcile: Reconcile): readonly WhyLink[] {
    return reconcile.causes.map((cause) => {
      const found = cause.write ? this.passes.write(cause.write.span) : undefined;
      const from = found?.reconcile ?? (cause.write ? this.passes.get(cause.write.reconcile) : undefined);
      if (from === undefined) return this.timerOf(reconcile, cause);
      const nth = this.nth(from).n;
      return found === undefined ? { cause, reconcile: from, nth } : { cause, ...found, nth };
    });
  }

  private timerOf(reconcile: Reconcile, cause: Cause): WhyLink {
    const before = this.setter(reconcile, cause);
    return before === undefined ? { cause, nth: 0 } : { cause, reconcile: before, nth: this.nth(before).n };
  }

  /** A timer was set by an earlier reconcile of the item: the newest of which it was over. */
  private setter({ controller, item }: Reconcile, cause: Cause): Reconcile | undefined {
    if (!isTimer(cause.what)) return undefined;
    return this.passes.last(controller, item, cause.at, (run) => mayHaveSet(run, cause));
  }

  followed(reconcile: Reconcile, t: number): Followed {
    const own = this.passes.list(reconcile.controller, reconcile.item);
    const later = own.slice(own.length - this.passes.newer(reconcile)).filter(({ start }) => start <= t);
    const { why } = reconcile.next;
    const led = (run: Reconcile): boolean =>
      run.causes.some((cause) => cause.what === why && isOf(reconcile, cause, this.setter(run, cause)));
    const retry = isTimer(why) ? later.find(led) : undefined;
    return { after: later[0], retry, nth: retry === undefined ? 0 : this.nth(retry).n };
  }

  overtaken(reconcile: Reconcile, write: Write): Overtaken | undefined {
    const found = overtakenBy(this.passes.list(reconcile.controller, reconcile.item), reconcile, write);
    if (found === undefined) return undefined;
    const { cause } = found;
    const maker = cause.write === undefined ? undefined : this.passes.get(cause.write.reconcile);
    const own = maker?.writes.find(({ span }) => span === cause.write?.span);
    // What the controller itself made only afterwards is no reason; of others' writes only their events are known.
    if ((own?.to ?? (cause.by === "self" ? cause.at : 0)) > write.to) return undefined;
    const shown = maker ?? found.reconcile;
    return { cause, reconcile: shown, nth: this.nth(shown).n, made: maker !== undefined };
  }

  effectsOf(span: string): readonly Reconcile[] {
    return this.passes.effectsOf(span);
  }

  queueAt(controller: string, t: number): readonly Wait[] {
    const rank = (w: Wait): readonly number[] => [-(w.priority ?? 0), w.order ?? 0, w.from];
    return this.stays.at(controller, "ready", t).sort((a, b) => compareLists(rank(a), rank(b)));
  }

  waitingAt(controller: string, t: number): readonly Wait[] {
    const ready = (w: Wait): number => w.until ?? Infinity;
    return this.stays.at(controller, "delayed", t).sort((a, b) => compareLists([ready(a), a.from], [ready(b), b.from]));
  }

  samples(controller: string, from: number, to: number): readonly Sample[] {
    return this.perSecond.get(controller)?.between(from, to) ?? [];
  }

  timeline(controller: string, from: number, to: number, bins: number): readonly Bin[] {
    const width = (to - from) / bins;
    const out = Array.from({ length: bins }, (_, i): Bin => {
      return { from: from + i * width, to: from + (i + 1) * width, count: 0, errors: 0, refused: 0 };
    });
    for (const [name, samples] of this.perSecond) {
      if (controller === "" || controller === name) addToBins(out, samples.between(from, to), from, width);
    }
    return out;
  }

  gaps(): readonly Gap[] {
    return [...this.store.gap.values()];
  }

  elided(): readonly Elided[] {
    return this.elidedList;
  }

  counted(controller: string, from: number, to: number): number | undefined {
    if (!this.elidedList.some((one) => one.from < to && one.to >= from)) return undefined;
    return this.samples(controller, from, to).reduce((sum, sample) => sum + sample.reconciles, 0);
  }

  holdsAt(controller: string, t: number): readonly Hold[] {
    return standing(this.store.hold, t).filter((hold) => controller === "" || hold.controller === controller);
  }

  controlsAt(t: number): readonly Control[] {
    return standing(this.store.control, t);
  }

  findings(): readonly Finding[] {
    return [...this.store.finding.values()];
  }

  beats(): readonly Beat[] {
    return [...this.store.beat.values()].sort((a, b) => a.from - b.from);
  }

  holds(): readonly Hold[] {
    return [...this.store.hold.values()];
  }

  waits(from: number, to: number): readonly Wait[] {
    return this.stays.delayed(from, to);
  }

  *rows(): Iterable<Row> {
    for (const rows of Object.values(this.store) as Map<string, Row>[]) yield* rows.values();
    yield* this.passes.all();
  }

  span(): Span | undefined {
    const list = this.passes.list("", "");
    const first = list[0];
    if (first === undefined) return undefined;
    // Passes overlap: the last to start need not be the last to end.
    const to = list.slice(-100).reduce((max, r) => Math.max(max, r.to, r.start, r.from), first.from);
    return { from: first.from, to };
  }
}

export { failed };

function emptyStore(): Store {
  return Object.fromEntries(Object.keys(LIMITS).map((kind) => [kind, new Map()])) as unknown as Store;
}
