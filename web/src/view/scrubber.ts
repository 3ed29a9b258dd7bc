/** The line of time: density, zoom, pan, and the press that goes to what happened. */
import { SECOND, clock, clockMs, count, duration } from "../base/time.ts";
import { density, singly, union } from "../model/density.ts";
import type { Bar } from "../model/density.ts";
import type { Span } from "../model/types.ts";
import type { App } from "./app.ts";
import { attr, part } from "./dom.ts";
import { markAt } from "./linemarks.ts";
import type { LineMark } from "./linemarks.ts";
import { LineTip } from "./linetip.ts";
import { pans } from "./pans.ts";
import { speedSaid } from "./playhead.ts";
import { readPalette } from "./shapes.ts";
import type { Palette } from "./shapes.ts";
import { momentOf, select, selectAt } from "./steps.ts";
import { Stretch, bucketOf } from "./stretch.ts";
import { axisHeight, barsRoom, drawTimeline } from "./timeline.ts";
import type { TimelineDrawing } from "./timeline.ts";
import { failed, isBad, keptSaid, plural } from "./words.ts";

/** Reconciles are drawn one by one while there are at most so many and a bar stands for less than so much time (µs). */
const few = 120;
const short = SECOND / 10;

/** How much closer one step of the zoom goes. */
const closer = 1.6;

export class Scrubber {
  private readonly app: App;
  private readonly line: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly stretch = new Stretch();
  private palette: Palette | undefined;
  private bars: readonly Bar[] = [];
  private marks: readonly LineMark[] = [];
  private readonly tip: LineTip;
  /** Where the pointer rests, in the page and in the line's height; undefined while it is elsewhere. */
  private pointer: { readonly x: number; readonly y: number } | undefined;
  /** What the line was drawn from last. */
  private drawn = "";

  /** root holds the line and its buttons. */
  constructor(app: App, root: HTMLElement) {
    this.app = app;
    this.line = part(root, "line");
    this.canvas = part<HTMLCanvasElement>(root, "bars");
    for (const direction of [1, -1] as const) {
      part(root, direction > 0 ? "closer" : "wider").addEventListener("click", () => {
        this.zoom(direction);
      });
    }
    pans(this.line, {
      isAxis: (y) => this.isAxis(y),
      press: (x, y) => {
        this.press(x, y);
      },
      hover: (x, y) => {
        this.pointer = { x, y };
        this.point();
      },
      drag: (x) => {
        app.playhead.seek(this.timeAt(x));
      },
      dragged: () => {
        selectAt(app, app.playhead.now());
      },
      pan: (px) => {
        this.stretch.pan((-px / barsRoom(this.line.clientWidth).width) * this.stretch.length);
        app.wake();
      },
      zoom: (factor, x) => {
        this.stretch.zoom(factor, this.timeAt(x));
        app.wake();
      },
    });
    this.tip = new LineTip(this.line, app);
    for (const over of ["pointerleave", "pointerdown"])
      this.line.addEventListener(over, () => {
        this.pointer = undefined;
        this.point();
      });
    this.line.addEventListener("keydown", (event) => {
      this.key(event);
    });
    app.looks.subscribe(() => {
      this.palette = undefined;
    });
  }

  /** Whether the line stands elsewhere than at what is live. */
  get away(): boolean {
    return this.stretch.free;
  }

  live(): void {
    this.stretch.live();
    this.app.playhead.follow();
  }

  /** Closer (1) or wider (−1) round the moment shown. */
  zoom(direction: 1 | -1): void {
    this.stretch.zoom(direction > 0 ? 1 / closer : closer, this.app.playhead.now());
    this.app.wake();
  }

  /** Makes what is selected fill the line, or goes back; false when nothing is selected. */
  frame(): boolean {
    const span = this.stretch.framed ? undefined : this.selected();
    if (span !== undefined) this.stretch.frame(span);
    else if (!this.stretch.unframe()) return false;
    this.app.wake();
    return true;
  }

  unframe(): boolean {
    const was = this.stretch.unframe();
    if (was) this.app.wake();
    return was;
  }

  paint(): void {
    const { app, stretch } = this;
    const { model, playhead } = app;
    const t = playhead.now();
    stretch.keep(
      t,
      playhead.following,
      app.watch.hubNow(),
      app.recording === undefined ? undefined : model.span()?.from,
    );
    const { from, to } = stretch;
    // Somebody looks at it: it stays as it is.
    model.look(playhead.following && !stretch.free ? undefined : { from: Math.min(from, t), to: Math.max(to, t) });
    const at = playhead.following ? Math.floor(t / SECOND) : t;
    const sign = [model.version, from, to, at, app.looks.get(), app.filter.get().text, app.selection.get()?.reconcile];
    if (sign.join() === this.drawn) return;
    this.drawn = sign.join();
    const drawing = this.drawing(t);
    this.bars = drawing.bars;
    this.marks = drawTimeline(this.canvas, drawing);
    this.point();
    this.say(t);
  }

  private drawing(at: number): TimelineDrawing {
    const { app, stretch } = this;
    const { model, playhead } = app;
    const { from, to } = stretch;
    const filter = app.filter.get();
    const span: Span = { from, to };
    const inside = <T extends Span>(list: readonly T[]): T[] =>
      list.filter((one) => one.from <= to && (one.to === 0 || one.to >= from));
    const runs = bucketOf(span) < short ? singly(model, span, few) : [];
    return {
      span,
      bars: density(model, filter, span, bucketOf(span)),
      runs: runs.map((run) => ({ run, shown: filter.matches(run) })),
      selected: app.selection.get()?.reconcile ?? "",
      gaps: inside([
        ...model
          .gaps()
          .flatMap((gap) =>
            gap.closed === true ? [] : { ...gap, said: plural(gap.count, "span lost", "spans lost") },
          ),
        ...model.elided().map((one) => ({ ...one, said: `${count(one.reconciles)} left out` })),
      ]),
      waits: union(model.waits(from, to), Math.max(at, from)),
      holds: inside(model.holds()),
      findings: inside(model.findings()),
      kept: this.kept(),
      at,
      following: playhead.following,
      palette: this.colours(),
      zone: app.zone(),
    };
  }

  /** What is known to have been before the oldest that is kept. */
  private kept(): TimelineDrawing["kept"] {
    const { model, watch } = this.app;
    const span = model.span();
    const all = model.lanes(watch.hubNow()).reduce((sum, { controller }) => sum + controller.reconciles, 0);
    if (span === undefined || all <= model.size) return undefined;
    return { from: span.from, text: keptSaid(model, watch.whole()) };
  }

  /** The slider's value in words: where the picture is, what happened there, and what the line shows. */
  private say(t: number): void {
    const { app, line, bars, stretch } = this;
    const { playhead } = app;
    const { from, to } = stretch;
    const where = Math.max(0, Math.min(100, Math.round((100 * (t - from)) / (to - from))));
    attr(line, "aria-valuenow", String(where));
    const at = (playhead.following ? clock : clockMs)(t, app.zone());
    const doing = {
      following: `live, ${at}`,
      paused: `paused at ${at}`,
      playing: `${speedSaid(playhead.speed)}, ${at}`,
    };
    const bar = bars.find((one) => t >= one.from && t < one.to);
    const here = bar === undefined || bar.count === 0 ? "nothing ended" : this.barSaid(bar);
    const kept = this.kept();
    const said = [
      `${doing[playhead.kind]}: ${here} in these ${duration(bucketOf(stretch))}`,
      `the line shows ${duration(to - from)} from ${clock(from, app.zone())}`,
    ];
    if (kept !== undefined && kept.from > from) said.push(kept.text);
    attr(line, "aria-valuetext", said.join("; "));
  }

  private barSaid({ count: n, shown, errors, shownErrors }: Bar): string {
    const { on } = this.app.filter.get();
    const all = `${plural(n, "reconcile", "reconciles")}, ${plural(errors, "error", "errors")}`;
    return on ? `${all}, of which ${String(shown)} match with ${plural(shownErrors, "error", "errors")}` : all;
  }

  private colours(): Palette {
    return (this.palette ??= readPalette(document.documentElement));
  }

  /** How long what is selected lasted: a reconcile with its wait in the queue, or all of an item's that are kept. */
  private selected(): Span | undefined {
    const { model, selection, playhead } = this.app;
    const chosen = selection.get();
    const run = model.reconcile(chosen?.reconcile ?? "");
    const runs =
      run !== undefined ? [run] : chosen === undefined ? [] : model.reconcilesOf(chosen.controller, chosen.item);
    const oldest = runs.at(-1);
    if (oldest === undefined) return undefined;
    return {
      from: oldest.from,
      to: Math.max(...runs.map(({ to, start }) => (to === 0 ? Math.max(start, playhead.now()) : to))),
    };
  }

  private timeAt(clientX: number): number {
    const { left, width } = this.line.getBoundingClientRect();
    const room = barsRoom(width);
    const part = Math.max(0, Math.min(1, (clientX - left - room.left) / room.width));
    return this.stretch.from + part * this.stretch.length;
  }

  /** The mark that is under a place, of the page across and of the line in height. */
  private markAt({ x, y }: { readonly x: number; readonly y: number }): LineMark | undefined {
    // Without a mark there is nothing to be measured.
    if (this.marks.length === 0) return undefined;
    return markAt(this.marks, x - this.line.getBoundingClientRect().left, y);
  }

  /** What the pointer is over says what it is. */
  private point(): void {
    const { pointer, line } = this;
    const mark = pointer && this.markAt(pointer);
    const axis = pointer !== undefined && mark === undefined && this.isAxis(pointer.y);
    line.style.cursor = axis ? "ew-resize" : "";
    this.tip.show(mark);
  }

  private isAxis(y: number): boolean {
    return y > this.line.clientHeight - axisHeight(this.colours());
  }

  private press(x: number, y: number): void {
    const { app } = this;
    const of = this.markAt({ x, y })?.of;
    if (of === undefined) {
      if (!this.isAxis(y)) this.goTo(this.timeAt(x));
    } else if ("count" in of) this.goTo((of.from + of.to) / 2);
    else {
      select(app, of);
      app.playhead.seek(momentOf(app, of, "apply"));
    }
  }

  /** Goes to a bar's time and selects what is most worth a look there: an error, else the last reconcile. */
  private goTo(at: number): void {
    const { app } = this;
    const width = bucketOf(this.stretch);
    const from = Math.floor(at / width) * width;
    const inside = app.filter
      .get()
      .recent(app.model, Infinity)
      .filter((run) => run.to >= from && run.to < from + width);
    const run = inside.find(failed) ?? inside.find(isBad) ?? inside[0];
    if (run === undefined) return app.playhead.seek(at);
    select(app, run);
    app.playhead.seek(momentOf(app, run, "apply"));
  }

  /** The slider's own keys, which work also where the page's are switched off. */
  private key(event: KeyboardEvent): void {
    if (event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    const { app, stretch } = this;
    const bar = bucketOf(stretch);
    const by: Readonly<Record<string, number>> = {
      ArrowLeft: -bar,
      ArrowDown: -bar,
      ArrowRight: bar,
      ArrowUp: bar,
      PageDown: -stretch.length / 10,
      PageUp: stretch.length / 10,
      Home: -Infinity,
      End: Infinity,
    };
    const us = by[event.key];
    if (us === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (us === Infinity) this.live();
    else app.playhead.seek(Math.max(app.playhead.now() + us, app.model.span()?.from ?? 0));
  }
}
