/** Draws the density of what happened over time. */
import { SECOND, clock } from "../base/time.ts";
import type { Bin } from "../model/types.ts";
import type { Palette } from "./shapes.ts";

export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

export interface TimelineDrawing {
  readonly window: TimeWindow;
  readonly bins: readonly Bin[];
  /** Stretches of which something is missing: hatched. */
  readonly gaps: readonly TimeWindow[];
  /** The time at which the picture stands, undefined while it follows. */
  readonly at: number | undefined;
  readonly palette: Palette;
  readonly zone: number;
}

/** barsRoom is where the bars lie in a line of that width, in CSS pixels. */
export function barsRoom(width: number): { readonly left: number; readonly width: number } {
  return { left: 2, width: Math.max(1, width - 4) };
}

/** drawTimeline paints everything anew; it is small. */
export function drawTimeline(canvas: HTMLCanvasElement, drawing: TimelineDrawing): void {
  const { w, h } = sizeOf(canvas);
  const page = canvas.getContext("2d");
  const c = sheetOf(canvas).getContext("2d");
  if (page === null || c === null || w === 0) return;
  const dpr = devicePixelRatio;
  for (const one of [canvas, c.canvas]) {
    if (one.width !== Math.round(w * dpr)) one.width = Math.round(w * dpr);
    if (one.height !== Math.round(h * dpr)) one.height = Math.round(h * dpr);
  }
  c.setTransform(dpr, 0, 0, dpr, 0, 0);
  c.clearRect(0, 0, w, h);
  const letters = Math.max(12, Math.min(20, drawing.palette.label - 1));
  const room = { ...barsRoom(w), top: 8, base: h - letters - 9 };
  drawGaps(c, drawing, room);
  drawBars(c, drawing, room);
  drawTimes(c, drawing, room, letters);
  drawMarker(c, drawing, room);
  page.clearRect(0, 0, canvas.width, canvas.height);
  page.drawImage(c.canvas, 0, 0);
}

const sheets = new WeakMap<Element, HTMLCanvasElement>();

/** A sheet outside of the page: to choose letters on a canvas in it makes the browser work out the page's style anew. */
function sheetOf(canvas: Element): HTMLCanvasElement {
  const sheet = sheets.get(canvas) ?? document.createElement("canvas");
  sheets.set(canvas, sheet);
  return sheet;
}

const sizes = new WeakMap<Element, { w: number; h: number }>();
const resized = new ResizeObserver((entries) => {
  for (const { target } of entries) sizes.set(target, { w: target.clientWidth, h: target.clientHeight });
});

/** The size of a canvas in the page. It is read when it changes only: each reading would make the browser lay out the page. */
function sizeOf(canvas: Element): { w: number; h: number } {
  let size = sizes.get(canvas);
  if (size === undefined) {
    size = { w: canvas.clientWidth, h: canvas.clientHeight };
    sizes.set(canvas, size);
    resized.observe(canvas);
  }
  return size;
}

interface Room {
  readonly left: number;
  readonly width: number;
  readonly top: number;
  readonly base: number;
}

function drawBars(c: CanvasRenderingContext2D, { bins, palette }: TimelineDrawing, room: Room): void {
  const most = Math.max(3, ...bins.map((bin) => bin.count));
  const step = room.width / Math.max(1, bins.length);
  const wide = Math.max(1, step >= 4 ? Math.floor(step) - 1.5 : step * 0.8);
  for (const [i, bin] of bins.entries()) {
    if (bin.count === 0) continue;
    // The root lets single reconciles be seen beside a burst of them.
    const tall = Math.max(3, Math.sqrt(bin.count / most) * (room.base - room.top));
    c.fillStyle = bin.errors > 0 ? palette.tone.error : palette.line;
    const x = room.left + i * step;
    c.beginPath();
    c.roundRect(x, room.base - tall, wide, tall, [1.5, 1.5, 0, 0]);
    c.fill();
    if (bin.errors > 0) errorMark(c, x + wide / 2, room.base + 2);
  }
  c.fillStyle = palette.rule;
  c.fillRect(room.left, room.base, room.width, 1);
}

/** Errors are told by shape as well: a small triangle below the line. */
function errorMark(c: CanvasRenderingContext2D, x: number, y: number): void {
  c.beginPath();
  c.moveTo(x, y);
  c.lineTo(x + 3.2, y + 5.5);
  c.lineTo(x - 3.2, y + 5.5);
  c.closePath();
  c.fill();
}

function drawTimes(
  c: CanvasRenderingContext2D,
  { window, palette, zone }: TimelineDrawing,
  room: Room,
  letters: number,
): void {
  c.fillStyle = palette.quiet;
  c.font = `400 ${String(letters)}px ${palette.sans}`;
  c.textBaseline = "alphabetic";
  const every = room.width > 520 ? 30 * SECOND : 60 * SECOND;
  const half = c.measureText("00:00:00").width / 2;
  for (let t = Math.ceil(window.from / every) * every; t <= window.to; t += every) {
    const x = room.left + ((t - window.from) / (window.to - window.from)) * room.width;
    if (x < half || x > room.left + room.width - half) continue;
    c.textAlign = "center";
    c.fillText(clock(t, zone), x, room.base + letters + 7);
  }
}

function drawGaps(c: CanvasRenderingContext2D, { gaps, window, palette }: TimelineDrawing, room: Room): void {
  const x = (t: number): number => room.left + ((t - window.from) / (window.to - window.from)) * room.width;
  for (const gap of gaps) {
    const from = Math.max(room.left, x(gap.from));
    const to = Math.min(room.left + room.width, Math.max(x(gap.to), x(gap.from) + 3));
    if (to <= from) continue;
    c.save();
    c.beginPath();
    c.rect(from, room.top, to - from, room.base - room.top);
    c.clip();
    c.strokeStyle = palette.tone.warn;
    c.lineWidth = 1.5;
    c.beginPath();
    for (let at = from - room.base; at < to; at += 6) {
      c.moveTo(at, room.base);
      c.lineTo(at + room.base - room.top, room.top);
    }
    c.stroke();
    c.restore();
  }
}

function drawMarker(c: CanvasRenderingContext2D, { at, window, palette }: TimelineDrawing, room: Room): void {
  const t = at ?? window.to;
  if (t < window.from || t > window.to) return;
  const x = Math.min(
    room.left + room.width - 1,
    room.left + ((t - window.from) / (window.to - window.from)) * room.width,
  );
  c.fillStyle = at === undefined ? palette.quiet : palette.tone.accent;
  c.fillRect(x - 1, 2, 2, room.base + 3);
  c.beginPath();
  c.moveTo(x - 6, 0);
  c.lineTo(x + 6, 0);
  c.lineTo(x, 8);
  c.closePath();
  c.fill();
}
