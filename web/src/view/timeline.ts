/** Draws the density of what happened over time, and marks what is worth a look. */
import { getOrInsert } from "../base/getorinsert.ts";
import type { Reconcile } from "../base/rows.gen.ts";
import { SECOND, clock, clockMs } from "../base/time.ts";
import type { Bar } from "../model/density.ts";
import type { Span } from "../model/types.ts";
import type { LineMark } from "./linemarks.ts";
import type { Palette } from "./shapes.ts";
import { roundUp } from "./stretch.ts";
import { failed, isBad, lookOf } from "./words.ts";

export interface TimelineDrawing {
  readonly span: Span;
  readonly bars: readonly Bar[];
  /** Instead of bars, where they are few: the reconciles themselves, with whether the filter shows them. */
  readonly runs: readonly { readonly run: Reconcile; readonly shown: boolean }[];
  readonly selected: string;
  /** Stretches of which something is only counted, hatched: spans that were lost, reconciles that were left out. */
  readonly gaps: readonly (Span & { readonly said: string })[];
  /** Stretches in which something was in the waiting room. */
  readonly waits: readonly Span[];
  readonly holds: readonly Span[];
  readonly findings: readonly Span[];
  /** Before this nothing is kept, and what to say about it; undefined where all is. */
  readonly kept: { readonly from: number; readonly text: string } | undefined;
  /** The time of the picture. */
  readonly at: number;
  readonly following: boolean;
  readonly palette: Palette;
  readonly zone: number;
}

/** barsRoom is where the bars lie in a line of that width, in CSS pixels. */
export function barsRoom(width: number): { readonly left: number; readonly width: number } {
  return { left: 2, width: Math.max(1, width - 4) };
}

/** axisHeight is the height of the line's lower part, where the times stand, in CSS pixels. */
export function axisHeight(palette: Palette): number {
  return palette.small + 9;
}

/** What the parts draw with. */
interface Pen {
  readonly c: CanvasRenderingContext2D;
  readonly palette: Palette;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly base: number;
  readonly letters: number;
  readonly x: (t: number) => number;
  readonly marks: LineMark[];
}

/** drawTimeline paints everything anew; it is small. It answers the marks that can be pressed. */
export function drawTimeline(canvas: HTMLCanvasElement, drawing: TimelineDrawing): readonly LineMark[] {
  const { w, h } = sizeOf(canvas);
  const page = canvas.getContext("2d");
  const c = sheetOf(canvas).getContext("2d");
  if (page === null || c === null || w === 0) return [];
  const dpr = devicePixelRatio;
  for (const one of [canvas, c.canvas]) {
    if (one.width !== Math.round(w * dpr)) one.width = Math.round(w * dpr);
    if (one.height !== Math.round(h * dpr)) one.height = Math.round(h * dpr);
  }
  c.setTransform(dpr, 0, 0, dpr, 0, 0);
  c.clearRect(0, 0, w, h);
  const { palette, span } = drawing;
  const axis = axisHeight(palette);
  const { left, width } = barsRoom(w);
  const x = (t: number): number => left + ((t - span.from) / (span.to - span.from)) * width;
  const pen: Pen = { c, palette, left, right: left + width, top: 11, base: h - axis, letters: axis - 9, x, marks: [] };
  c.font = `400 ${String(pen.letters)}px ${palette.sans}`;
  drawKept(pen, drawing);
  for (const gap of drawing.gaps) hatch(pen, gap, gap.said);
  if (drawing.runs.length > 0) drawRuns(pen, drawing);
  else drawBars(pen, drawing);
  c.fillStyle = palette.line;
  c.fillRect(left, pen.base, width, 1);
  drawMarks(pen, drawing);
  drawTimes(pen, drawing);
  drawMarker(pen, drawing);
  page.clearRect(0, 0, canvas.width, canvas.height);
  page.drawImage(c.canvas, 0, 0);
  return pen.marks;
}

const sheets = new WeakMap<Element, HTMLCanvasElement>();

/** A sheet outside of the page: to choose letters on a canvas in it makes the browser work out the page's style anew. */
function sheetOf(canvas: Element): HTMLCanvasElement {
  return getOrInsert(sheets, canvas, () => document.createElement("canvas"));
}

const sizes = new WeakMap<Element, { w: number; h: number }>();
const resized = new ResizeObserver((entries) => {
  for (const { target } of entries) sizes.set(target, { w: target.clientWidth, h: target.clientHeight });
});

/** The size of a canvas in the page. It is read when it changes only: each reading would make the browser lay out the page. */
function sizeOf(canvas: Element): { w: number; h: number } {
  return getOrInsert(sizes, canvas, () => {
    resized.observe(canvas);
    return { w: canvas.clientWidth, h: canvas.clientHeight };
  });
}

/** What the filter leaves out stands pale behind what it shows; errors have their part of a bar whatever it counts. */
function drawBars(pen: Pen, { bars }: TimelineDrawing): void {
  const { c, palette, base, top, x } = pen;
  const most = Math.max(3, ...bars.map((bar) => bar.count));
  // The root lets single reconciles be seen beside a burst of them.
  const tall = (n: number): number => (n === 0 ? 0 : Math.max(3, Math.sqrt(n / most) * (base - top)));
  for (const bar of bars) {
    const { from, to, count, errors, refused, shown, shownErrors, shownRefused } = bar;
    if (count === 0) continue;
    const at = x(from);
    const step = x(to) - at;
    const wide = Math.max(1, step >= 4 ? Math.floor(step) - 1.5 : step * 0.8);
    const column = (height: number, colour: string): void => {
      c.fillStyle = colour;
      c.beginPath();
      c.roundRect(at, base - height, wide, height, [1.5, 1.5, 0, 0]);
      c.fill();
    };
    column(tall(count), palette.line);
    if (shown > 0) column(tall(shown), palette.quiet);
    if (shownErrors > 0) column(Math.max(5, (tall(shown) * shownErrors) / shown), palette.tone.error);
    const bad = errors > 0;
    const colour = (bad ? shownErrors : shownRefused) > 0 ? palette.tone[bad ? "error" : "warn"] : palette.line;
    if (bad || refused > 0) mark(pen, bar, at + wide / 2, colour, bad);
  }
}

/**
 * Below the line errors are told by shape as well: a triangle; a refused write that is no error by a dot. They are as
 * large as the times beside them allow.
 */
function mark({ c, base, letters, marks }: Pen, of: LineMark["of"], x: number, colour: string, error: boolean): void {
  const half = 0.4 * letters;
  const top = base + 2;
  c.fillStyle = colour;
  c.beginPath();
  if (error) {
    c.moveTo(x, top);
    c.lineTo(x + half, top + 1.7 * half);
    c.lineTo(x - half, top + 1.7 * half);
  } else c.arc(x, top + 0.8 * half, 0.8 * half, 0, 2 * Math.PI);
  c.fill();
  marks.push({ x, y: top + 0.85 * half, error, of });
}

/** Reconciles one by one: how long they were in the queue, how long they took, beneath each other by their worker. */
function drawRuns(pen: Pen, { runs, selected, at }: TimelineDrawing): void {
  const { c, palette, base, top, x, right } = pen;
  const lanes = 1 + Math.min(5, Math.max(...runs.map(({ run }) => run.worker)));
  const pitch = (base - top) / lanes;
  const high = Math.min(16, pitch - 2);
  for (const { run, shown } of runs) {
    const y = top + ((run.worker % lanes) + 0.5) * pitch;
    const start = x(run.start);
    const end = Math.max(start + 3, Math.min(right, x(run.to === 0 ? at : run.to)));
    const colour = shown ? palette.tone[lookOf(run).tone] : palette.line;
    c.fillStyle = colour;
    c.fillRect(x(run.from), y - 1, start - x(run.from), 2);
    c.beginPath();
    c.roundRect(start, y - high / 2, end - start, high, Math.min(3, high / 2));
    c.fill();
    if (run.key === selected) {
      c.strokeStyle = palette.ink;
      c.lineWidth = 2;
      c.stroke();
    }
    if (isBad(run)) mark(pen, run, (start + end) / 2, colour, failed(run));
  }
}

/** Above the bars: a diamond for a finding, two bars for a worker that is held; on their foot a line for the waiting room. */
function drawMarks({ c, palette, base, x }: Pen, { waits, holds, findings, at }: TimelineDrawing): void {
  c.fillStyle = palette.tone.warn;
  for (const { from, to } of waits) c.fillRect(x(from), base, Math.max(1, x(to) - x(from)), 2);
  for (const { from, to } of holds) {
    const start = x(from);
    c.fillRect(start, 5, Math.max(6, x(to === 0 ? at : to) - start), 1.5);
    c.fillRect(start, 2, 2, 7);
    c.fillRect(start + 4, 2, 2, 7);
  }
  for (const { from } of findings) {
    c.beginPath();
    for (const [dx, dy] of [
      [0, -4.5],
      [4.5, 0],
      [0, 4.5],
      [-4.5, 0],
    ] as const)
      c.lineTo(x(from) + dx, 5.5 + dy);
    c.closePath();
    c.fill();
  }
}

/** The times below are a round number of seconds or of parts of one apart, as the room allows. */
function drawTimes({ c, palette, left, right, base, letters, x }: Pen, { span, zone }: TimelineDrawing): void {
  c.fillStyle = palette.quiet;
  c.textAlign = "center";
  const wide = c.measureText("00:00:00.000").width;
  const every = roundUp(((span.to - span.from) / (right - left)) * wide * 1.5);
  const said = every < SECOND ? clockMs : clock;
  const half = c.measureText(said(span.from, zone)).width / 2;
  for (let t = Math.ceil(span.from / every) * every; t <= span.to; t += every) {
    if (x(t) < left + half || x(t) > right - half) continue;
    c.fillText(said(t, zone), x(t), base + letters + 7);
  }
}

function hatch({ c, palette, left, right, top, base, letters, x }: Pen, gap: Span, said: string): void {
  const from = Math.max(left, x(gap.from));
  const to = Math.min(right, Math.max(x(gap.to), x(gap.from) + 3));
  if (to <= from) return;
  c.save();
  c.beginPath();
  c.rect(from, top, to - from, base - top);
  c.clip();
  c.strokeStyle = palette.tone.warn;
  c.lineWidth = 1.5;
  c.beginPath();
  for (let at = from - base; at < to; at += 6) {
    c.moveTo(at, base);
    c.lineTo(at + base - top, top);
  }
  c.stroke();
  c.restore();
  const wide = c.measureText(said).width + 6;
  if (said === "" || to - from < wide) return;
  const middle = (from + to) / 2;
  c.fillStyle = palette.surface;
  c.fillRect(middle - wide / 2, (top + base - letters) / 2 - 2, wide, letters + 4);
  c.fillStyle = palette.ink;
  c.textAlign = "center";
  c.fillText(said, middle, (top + base + letters) / 2 - 1);
}

/** What is not kept any more is a plain surface that says so. */
function drawKept({ c, palette, left, right, top, base, letters, x }: Pen, { kept }: TimelineDrawing): void {
  if (kept === undefined || x(kept.from) <= left) return;
  const end = Math.min(right, x(kept.from));
  c.fillStyle = palette.paper;
  c.fillRect(left, top, end - left, base - top);
  c.fillStyle = palette.line;
  c.fillRect(end - 1, top, 1, base - top);
  c.fillStyle = palette.quiet;
  c.textAlign = "right";
  if (c.measureText(kept.text).width + 12 < end - left) c.fillText(kept.text, end - 8, (top + base + letters) / 2 - 1);
}

function drawMarker({ c, palette, right, base, x }: Pen, { at, following, span }: TimelineDrawing): void {
  if (at < span.from || at > span.to) return;
  const middle = Math.min(right - 1, x(at));
  c.fillStyle = following ? palette.quiet : palette.tone.accent;
  c.fillRect(middle - 1, 2, 2, base + 3);
  c.beginPath();
  c.moveTo(middle - 6, 0);
  c.lineTo(middle + 6, 0);
  c.lineTo(middle, 8);
  c.closePath();
  c.fill();
}
