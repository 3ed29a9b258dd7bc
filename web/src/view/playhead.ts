/**
 * Where in time the picture is. It follows the hub's clock, stands still, or plays what is recorded at a speed of its
 * own; the page goes on receiving all the while.
 */

/** How far the picture lags the hub's clock, in µs, so that a late announcement never makes a token jump back. */
export const lag = 250_000;

/** The speeds there are, slowest first: a log scale. */
export const speeds = [1 / 1000, 1 / 300, 1 / 100, 1 / 30, 1 / 10, 1 / 4, 1 / 2, 1, 2, 4] as const;

const normal = speeds.indexOf(1);

/** What a playhead shows, as another can show it too: it was at t when the hub's clock stood at since. */
export interface Shown {
  readonly mode: "following" | "playing" | "paused";
  readonly t: number;
  readonly since: number;
  readonly speed: number;
}

type State =
  | { readonly kind: "following" }
  /** sought: it was gone to, and is not just where the picture stopped. */
  | { readonly kind: "paused"; readonly at: number; readonly sought: boolean }
  /** It was at `at` when the hub's clock stood at `since`; from `until` on it follows what is live. */
  | { readonly kind: "playing"; readonly at: number; readonly since: number; readonly until?: number };

/** What the playhead needs to know of the connection. */
export interface HubClock {
  /** The hub's clock as far as it is known, µs. */
  readonly now: () => number;
  /** Up to when the hub has been heard: the picture goes no further while it is lost. Infinity while connected. */
  readonly heard: () => number;
  /** Where a recording ends, µs, 0 before it has come; undefined for what is live. It is played and never followed. */
  readonly end?: (() => number) | undefined;
  /** The clock by which pages tell each other what they show, µs; now where it is left out. */
  readonly shared?: () => number;
}

export class Playhead {
  private state: State = { kind: "following" };
  private chosen = normal;
  /** How often it was moved so far, by whom ever. A recording that plays as it was opened has not been. */
  moves = 0;
  private readonly hub: HubClock;
  private readonly changed: () => void;

  constructor(hub: HubClock, changed: () => void) {
    this.hub = hub;
    this.changed = changed;
  }

  get kind(): "following" | "playing" | "paused" {
    return this.state.kind;
  }

  get paused(): boolean {
    return this.state.kind === "paused";
  }

  get following(): boolean {
    return this.state.kind === "following";
  }

  /** How fast recorded time is played, 1 being as it was. */
  get speed(): number {
    return speeds[this.chosen] ?? 1;
  }

  /** The display time, µs of the hub's clock. Playing that has caught up with what is live follows it again. */
  now(): number {
    const live = this.live();
    if (this.state.kind === "paused") return this.state.at;
    if (this.state.kind === "following") return live;
    const { at, since, until = Infinity } = this.state;
    const t = at + (this.hub.now() - since) * this.speed;
    // What is live is caught up with only by what is played faster: else the hub's clock was set back, or has stopped.
    const caught = t > live + 1 && (this.hub.end !== undefined || this.speed > 1);
    if (!caught && t < until) return Math.min(t, live);
    this.arrive(live);
    return live;
  }

  /** It has come to the end of a recording. */
  get ended(): boolean {
    const { end } = this.hub;
    return end !== undefined && this.state.kind === "paused" && this.state.at >= end();
  }

  /** Plays a recording from its beginning, as it is opened: nobody has moved it. */
  begin(t: number): void {
    this.state = { kind: "playing", at: t, since: this.hub.now() };
  }

  /** Plays from t on, at the speed that was chosen; what is live is followed again from until on. */
  playFrom(t: number, until = Infinity): void {
    this.set({ kind: "playing", at: t, since: this.hub.now(), until });
  }

  /** How long ago that is, in µs; 0 while following. */
  behind(): number {
    return this.following ? 0 : Math.max(0, this.newest() - this.now());
  }

  pause(): void {
    this.stand(this.now(), !this.following);
  }

  /** Jumps to what is live, at its own speed; to the end of a recording. */
  follow(): void {
    if (this.empty) return;
    this.arrive(this.live());
    this.moves++;
    this.changed();
  }

  /** Pauses; or goes on: with what is live where that was paused, else it plays from the moment that was gone to. */
  toggle(): void {
    if (!this.paused) this.pause();
    else if (this.follows) this.follow();
    else this.playFrom(this.now());
  }

  /** Going on from here is following. */
  get follows(): boolean {
    const { state } = this;
    return state.kind === "paused" && !state.sought && this.speed === 1 && this.hub.end === undefined;
  }

  /** Plays what is recorded from here on, one speed faster or slower than it was. */
  change(direction: 1 | -1): void {
    const t = this.now();
    const next = this.chosen + direction;
    // What is live cannot be outrun.
    if (this.following && direction > 0) return;
    this.chosen = Math.max(0, Math.min(speeds.length - 1, next));
    this.playFrom(t);
  }

  /** Stands still at t. */
  seek(t: number): void {
    this.stand(t, true);
  }

  private stand(t: number, sought: boolean): void {
    this.set({ kind: "paused", at: Math.min(t, this.newest()), sought });
  }

  /** What there is ends here: it follows on, or stands still at the end of a recording. */
  private arrive(at: number): void {
    this.state = this.hub.end === undefined ? { kind: "following" } : { kind: "paused", at, sought: false };
    this.chosen = normal;
  }

  /** The latest time that can be looked at. */
  private newest(): number {
    return this.hub.end?.() ?? this.hub.now();
  }

  meaning(): Shown {
    return { mode: this.kind, t: Math.round(this.now()), since: Math.round(this.shared()), speed: this.speed };
  }

  /** Shows what another playhead shows. */
  show({ mode, t, since, speed }: Shown): void {
    const nearest = speeds.findIndex((candidate) => candidate >= speed * 0.999);
    this.chosen = nearest < 0 ? speeds.length - 1 : nearest;
    if (mode === "following") this.follow();
    else if (mode === "paused") this.seek(t);
    else this.set({ kind: "playing", at: t, since: this.hub.now() - (this.shared() - since) });
  }

  private shared(): number {
    return (this.hub.shared ?? this.hub.now)();
  }

  private live(): number {
    return this.hub.end?.() ?? Math.min(this.hub.now() - lag, this.hub.heard());
  }

  /** Nothing of a recording has come: there is no moment to go to. */
  private get empty(): boolean {
    return this.hub.end?.() === 0;
  }

  private set(state: State): void {
    if (this.empty) return;
    this.state = state;
    this.moves++;
    this.changed();
  }
}

/** speedSaid writes a speed as the page says it: 1/100 speed, 2× speed. */
export function speedSaid(speed: number): string {
  return speed < 1 ? `1/${String(Math.round(1 / speed))} speed` : `${String(speed)}× speed`;
}
