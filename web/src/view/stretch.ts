/** Which stretch of time the line shows: it goes with what is live, stands where it was put, or frames something. */
import { SECOND } from "../base/time.ts";
import type { Span } from "../model/types.ts";

/** How much time the line shows at first, and the least and the most of it, in µs. */
export const usual = 180 * SECOND;
const least = 1_000;
const most = 4 * 3600 * SECOND;

/** There are no more bars than this. */
const bars = 200;

/** Round lengths of time, in µs, for bars and for the times below them. */
const round = [
  ...[10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((ms) => ms * 1_000),
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600].map((s) => s * SECOND),
];

/** bucketOf is how much time one bar stands for, in µs: a round length. */
export function bucketOf({ from, to }: Span): number {
  return roundUp((to - from) / bars);
}

/** roundUp is the least round length that is as long as a time, in µs; an hour at most. */
export function roundUp(us: number): number {
  return round.find((length) => length >= us) ?? 3600 * SECOND;
}

export class Stretch implements Span {
  from = 0;
  to = 1;
  /** It does not go with what is live, though the picture may. */
  free = false;
  private before: { readonly from: number; readonly to: number; readonly free: boolean } | undefined;
  private t = NaN;
  private following = false;

  get length(): number {
    return this.to - this.from;
  }

  get framed(): boolean {
    return this.before !== undefined;
  }

  /**
   * Keeps the time shown, t, in sight: goes with it while it follows what is live, else only when it leaves. There is
   * nothing to be shown after end, nor before begin.
   */
  keep(t: number, following: boolean, end = Infinity, begin = -Infinity): void {
    const length = this.to === 1 ? usual : this.length;
    if (following && !this.following) this.live();
    const step = bucketOf({ from: 0, to: length });
    const upTo = (live: number): number => Math.ceil(live / step) * step + step;
    if (following && !this.free) {
      this.set(upTo(t) - length, upTo(t));
    } else if (t !== this.t && !following && (t < this.from || t > this.to)) {
      const before = (at: number): number => Math.floor(at / SECOND) * SECOND - Math.floor(length / 18);
      const from = Math.max(Math.min(before(t), upTo(Math.max(t, end)) - length), Math.min(before(begin), before(t)));
      this.set(from, Math.max(from + length, t));
    }
    this.t = t;
    this.following = following;
  }

  /** Goes with what is live again. */
  live(): void {
    if (this.framed) this.set(0, usual);
    this.free = false;
    this.before = undefined;
  }

  /** Shows factor times as much time, with what stands at the time `at` staying where it is. */
  zoom(factor: number, at: number): void {
    const length = Math.max(least, Math.min(most, this.length * factor));
    // What goes with the live end is held there.
    const held = this.following && !this.free ? this.to : Math.max(this.from, Math.min(this.to, at));
    const from = held - ((held - this.from) / this.length) * length;
    this.set(from, from + length);
  }

  /** Moves it on by µs. */
  pan(us: number): void {
    this.free = true;
    this.set(this.from + us, this.to + us);
  }

  /** Shows what lasts from from to to, and a little room on both sides. */
  frame({ from, to }: Span): void {
    this.before ??= { from: this.from, to: this.to, free: this.free };
    const room = Math.max(least / 2, (to - from) * 0.08);
    this.free = true;
    this.set(from - room, to + room);
  }

  /** Goes back to where it was before the frame; false when there is none. */
  unframe(): boolean {
    const { before } = this;
    if (before === undefined) return false;
    this.set(before.from, before.to);
    this.free = before.free;
    this.before = undefined;
    return true;
  }

  private set(from: number, to: number): void {
    this.from = from;
    this.to = to;
  }
}
