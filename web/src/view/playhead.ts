/** Where in time the picture is: it follows the hub's clock, or stands still while the page goes on receiving. */

/** How far the picture lags the hub's clock, in µs, so that a late announcement never makes a token jump back. */
export const lag = 250_000;

export class Playhead {
  private held: number | undefined;
  private readonly hubNow: () => number;
  private readonly changed: () => void;

  constructor(hubNow: () => number, changed: () => void) {
    this.hubNow = hubNow;
    this.changed = changed;
  }

  get paused(): boolean {
    return this.held !== undefined;
  }

  /** The display time, µs of the hub's clock. */
  now(): number {
    return this.held ?? this.hubNow() - lag;
  }

  /** How long ago that is, in µs; 0 while following. */
  behind(): number {
    return this.held === undefined ? 0 : Math.max(0, this.hubNow() - this.held);
  }

  pause(): void {
    this.seek(this.now());
  }

  follow(): void {
    this.held = undefined;
    this.changed();
  }

  toggle(): void {
    if (this.paused) this.follow();
    else this.pause();
  }

  /** Stands still at t. */
  seek(t: number): void {
    this.held = Math.min(t, this.hubNow());
    this.changed();
  }
}
