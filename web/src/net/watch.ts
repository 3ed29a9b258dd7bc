import type { Frame, RoomFrame } from "../base/frames.ts";
import { parseFrame } from "../base/guards.ts";
import { HubClock } from "./clock.ts";
import type { Connection, Restored, Socket, Watch, WatchOptions } from "./types.ts";

const MAX_PENDING = 5_000;
/** So many rows that wait take longer to read in than a snapshot of the newest. */
const MAX_BEHIND = 10_000;
/** How many reconciles the page holds at most. */
const MOST = 50_000;
const FIRST_RETRY = 500;
const LAST_RETRY = 15_000;
/** How long "Caught up with 318 changes" stands before it is simply live again. */
const RESTORED_FOR = 5_000;

/** The hub says something every 2 or 3 s: after so long without a word it is stuck, or cut off. */
const SILENT = 5_000;
/** After so long a socket is given up: a connection that is cut off without a word is not told to be closed. */
const DEAD = 15_000;
/** WebSocket.OPEN. */
const OPEN = 1;

const NO_PIN = pinSaid("", "");

/** Where the stream has been read to. */
interface Position {
  readonly epoch: string;
  readonly offset: number;
}

/** What was missed, as far as frames tell, since the socket that is now open was asked for. */
interface Comeback {
  readonly asOf: number;
  /** The hub's time when it spoke again, 0 before. Frames stamped later are news, not what was missed. */
  resumed: number;
  how: Restored;
}

/** WatchClient keeps one watch of the hub open and stores what it says until drain. */
export class WatchClient implements Watch {
  private readonly options: WatchOptions;
  private readonly clock = new HubClock();
  private socket: Socket | undefined;
  private state: Connection = { state: "connecting", attempt: 1 };
  private frames: Frame[] = [];
  private shared: RoomFrame["room"] | undefined;
  private position: Position | undefined;
  private comeback: Comeback | undefined;
  private attempt = 1;
  private asOf = 0;
  private heardAt = 0;
  private lostSince = 0;
  private bad = 0;
  private newestProblem = "";
  private stopped = true;
  private deep = false;
  private pinned = NO_PIN;
  /** What the hub has been told over the socket that is open, undefined as long as none is. */
  private told: string | undefined;
  private cancelTimer: () => void = () => undefined;

  constructor(options: WatchOptions) {
    this.options = options;
  }

  start(): void {
    if (!this.stopped) return;
    this.stopped = false;
    this.connect();
  }

  stop(): void {
    this.stopped = true;
    this.cancelTimer();
    this.release(1000, "the page has no more use for it");
  }

  tryNow(): void {
    if (this.state.state !== "lost" || this.stopped) return;
    this.cancelTimer();
    this.connect();
  }

  drain(): Frame[] {
    const frames = this.frames;
    this.frames = [];
    return frames;
  }

  hurry(): void {
    const behind = this.frames.reduce((n, frame) => n + (frame.type === "rows" ? frame.rows.length : 0), 0);
    if (behind <= MAX_BEHIND) return;
    this.deep = false;
    this.overflow();
  }

  whole(): boolean {
    return this.deep;
  }

  deepen(): boolean {
    const { state } = this.state;
    if (this.deep || (state !== "live" && state !== "restored")) return false;
    this.deep = true;
    this.anew("all that is kept is asked for");
    return true;
  }

  pin(controller: string, item: string): void {
    this.pinned = controller === "" || item === "" ? NO_PIN : pinSaid(controller, item);
    this.tell();
  }

  private tell(): void {
    if (this.told === undefined || this.told === this.pinned) return;
    this.told = this.pinned;
    this.socket?.send(this.told);
  }

  connection(): Connection {
    return this.state;
  }

  room(): RoomFrame["room"] | undefined {
    return this.shared;
  }

  secondsToRetry(): number {
    if (this.state.state !== "lost") return 0;
    return Math.max(1, Math.ceil((this.state.retryAt - this.options.timer.now()) / 1000));
  }

  hubNow(): number {
    return this.options.recorded === true ? this.asOf : this.roomNow();
  }

  roomNow(): number {
    return this.clock.now(this.options.timer.wall());
  }

  malformed(): number {
    return this.bad;
  }

  problem(): string {
    return this.newestProblem;
  }

  private connect(): void {
    this.set({ state: "connecting", attempt: this.attempt });
    const socket = this.options.open(this.url(), "tracer.v1");
    this.socket = socket;
    this.told = undefined;
    this.heardAt = this.options.timer.now();
    if (this.options.recorded !== true) this.guard(socket);
    // A socket that has been replaced may still speak: only the current one is heard.
    socket.onmessage = (event) => {
      if (this.socket === socket) this.receive(event.data);
    };
    socket.onclose = (event) => {
      if (this.socket === socket) this.lose(event.reason || `closed with code ${String(event.code)}`);
    };
  }

  /** Gives a socket up from which nothing comes. An open one may take long for its snapshot. */
  private guard(socket: Socket): void {
    const { timer } = this.options;
    timer.after(DEAD - (timer.now() - this.heardAt), () => {
      if (this.socket !== socket) return;
      if (this.state.state === "connecting" && socket.readyState === OPEN) this.heardAt = timer.now();
      if (timer.now() - this.heardAt >= DEAD) this.lose("no word from the hub");
      else this.guard(socket);
    });
  }

  private url(): string {
    const more = new URLSearchParams();
    if (this.deep) more.set("limit", String(MOST));
    if (this.position !== undefined) more.set("from", `${this.position.epoch}:${String(this.position.offset)}`);
    const join = this.options.url.includes("?") ? "&" : "?";
    return more.size === 0 ? this.options.url : `${this.options.url}${join}${more.toString()}`;
  }

  silentFor(): number {
    const open = this.state.state === "live" || this.state.state === "restored";
    if (!open || this.options.recorded === true) return 0;
    const silent = this.options.timer.now() - this.heardAt;
    return silent < SILENT ? 0 : Math.floor(silent / 1000);
  }

  heardUntil(): number {
    const { state } = this.state;
    const away = state === "lost" || (state === "connecting" && this.comeback !== undefined);
    return this.asOf > 0 && (away || this.silentFor() > 0) ? this.asOf : Infinity;
  }

  private receive(data: unknown): void {
    this.heardAt = this.options.timer.now();
    // It speaks, so it is open; its hub knows of no pin.
    this.told ??= NO_PIN;
    this.tell();
    const result = parseFrame(data, (problem) => {
      this.malform(problem);
    });
    if (!result.ok) {
      this.malform(result.problem);
      this.options.onDirty();
      return;
    }
    const frame = result.value;
    if (frame.now > 0) this.time(frame);
    if (frame.type === "room") this.shared = frame.room;
    else this.store(frame);
    this.options.onDirty();
  }

  /** The frames of a recording carry the time of its end, but for that of the room. */
  private time({ type, now }: Frame | RoomFrame): void {
    const recorded = this.options.recorded === true;
    if (!recorded || type !== "room") this.asOf = now;
    if (!recorded || type === "room") this.clock.heard(now, this.options.timer.wall());
  }

  private store(frame: Frame): void {
    if (frame.type === "error") {
      // One pin too many: the item is sampled like others, which its numbers show.
      if (frame.code === "pin") return;
      this.lose(frame.message || frame.code, frame.code);
      return;
    }
    this.follow(frame);
    // A snapshot replaces everything before it, so that nothing of that need be kept.
    if (frame.type === "snapshot") this.frames = [];
    this.frames.push(frame);
    if (this.frames.length > (this.options.maxPending ?? MAX_PENDING)) this.overflow();
  }

  /** Keeps the position, and says how a connection that was lost has come back. */
  private follow(frame: Exclude<Frame, { type: "error" }>): void {
    const before = this.position;
    if (frame.type === "snapshot") this.position = { epoch: frame.epoch, offset: frame.offset };
    else if (before !== undefined && frame.offset >= 0) this.position = { epoch: before.epoch, offset: frame.offset };
    this.attempt = 1;
    if (this.comeback !== undefined) this.restore(this.comeback, frame, before);
    else if (this.state.state === "connecting") this.set({ state: "live", since: this.options.timer.now() });
  }

  private restore(comeback: Comeback, frame: Exclude<Frame, { type: "error" }>, before: Position | undefined): void {
    const { timer } = this.options;
    if (comeback.resumed === 0) {
      comeback.resumed = frame.now;
      this.cancelTimer();
      this.cancelTimer = timer.after(RESTORED_FOR, () => {
        this.comeback = undefined;
        this.set({ state: "live", since: timer.now() });
      });
    }
    const how = frame.now > comeback.resumed ? comeback.how : howRestored(comeback, frame, before);
    if (how === comeback.how && this.state.state === "restored") return;
    comeback.how = how;
    this.set({ state: "restored", since: this.state.state === "restored" ? this.state.since : timer.now(), how });
  }

  private lose(reason: string, code = ""): void {
    this.release(1000, "");
    if (this.stopped) return;
    const now = this.options.timer.now();
    const wait = backoff(this.attempt, this.options.timer.random());
    // A lost connection stays lost since the first time, however often it is tried in vain.
    if (this.state.state === "live" || this.state.state === "restored" || this.lostSince === 0) this.lostSince = now;
    const how: Restored = { kind: "caught_up", rows: 0 };
    this.comeback = this.position === undefined ? undefined : { asOf: this.asOf, resumed: 0, how };
    const { lostSince: since, asOf, attempt } = this;
    this.set({ state: "lost", since, asOf, attempt, retryAt: now + wait, reason, code });
    this.attempt++;
    this.cancelTimer();
    this.cancelTimer = this.options.timer.after(wait, () => {
      this.connect();
    });
  }

  /** Too much is waiting to be drained (a tab asleep): a fresh snapshot is cheaper than all of it. */
  private overflow(): void {
    this.frames = [];
    this.anew("too far behind");
  }

  /** Connects again as if it never had. */
  private anew(reason: string): void {
    this.cancelTimer();
    this.comeback = undefined;
    this.position = undefined;
    this.release(1000, reason);
    this.connect();
  }

  private release(code: number, reason: string): void {
    const socket = this.socket;
    this.socket = undefined;
    socket?.close(code, reason);
  }

  private malform(problem: string): void {
    this.bad++;
    this.newestProblem = problem;
    this.options.onMalformed?.(problem);
  }

  private set(state: Connection): void {
    this.state = state;
    this.options.onDirty();
  }
}

function howRestored(comeback: Comeback, frame: Frame, before: Position | undefined): Restored {
  const { how, asOf } = comeback;
  switch (frame.type) {
    case "snapshot":
      if (before !== undefined && before.epoch !== frame.epoch) return { kind: "new_epoch" };
      return { kind: "gap", from: asOf, to: frame.now, reconciles: how.kind === "gap" ? how.reconciles : 0 };
    case "elided": {
      const reconciles = frame.reconciles + (how.kind === "gap" ? how.reconciles : 0);
      return how.kind === "new_epoch" ? how : { kind: "gap", from: asOf, to: frame.now, reconciles };
    }
    case "rows":
      return how.kind === "caught_up" ? { ...how, rows: how.rows + frame.rows.length } : how;
    default:
      return how;
  }
}

/** Half a second, doubled each time up to a quarter of a minute, and up to half of it less by chance. */
function backoff(attempt: number, random: number): number {
  const whole = Math.min(LAST_RETRY, FIRST_RETRY * 2 ** (attempt - 1));
  return Math.round(whole * (1 - random / 2));
}

function pinSaid(controller: string, item: string): string {
  return JSON.stringify({ type: "pin", controller, item });
}
