/** The watch client's face: what the page may ask and what it is told. Nothing here touches window. */
import type { Frame, RoomFrame } from "../base/frames.ts";

/** The part of a WebSocket that the client uses; the browser's own fits. */
export interface Socket {
  onmessage: ((event: MessageEvent) => void) | null;
  onclose: ((event: CloseEvent) => void) | null;
  readonly readyState: number;
  send(data: string): void;
  close(code?: number, reason?: string): void;
}

/** Time, injected. now is in milliseconds and need not be wall time; after returns a function that cancels. */
export interface Timer {
  now(): number;
  wall(): number;
  after(ms: number, run: () => void): () => void;
  /** random is in [0, 1). */
  random(): number;
}

/**
 * The connection as the page says it. All times are Timer.now() milliseconds.
 * restored becomes live by itself after 5 s; missed in gap counts elided reconciles.
 */
export type Connection =
  | { readonly state: "connecting"; readonly attempt: number }
  | { readonly state: "live"; readonly since: number }
  | {
      readonly state: "lost";
      readonly since: number;
      /** The hub's clock (µs) of the last frame: "as of 10:41:07". 0 when none ever came. */
      readonly asOf: number;
      readonly attempt: number;
      readonly retryAt: number;
      readonly reason: string;
      /** The hub's word for the reason, as "full"; "" where it gave none. */
      readonly code: string;
    }
  | { readonly state: "restored"; readonly since: number; readonly how: Restored };

/**
 * How a lost connection came back. caught_up: the missing frames were sent. gap: a snapshot came
 * instead (lagged), elided reconciles are counted. new_epoch: the hub has new data, nothing of what was
 * shown before is there any more.
 */
export type Restored =
  | { readonly kind: "caught_up"; readonly rows: number }
  | { readonly kind: "gap"; readonly from: number; readonly to: number; readonly reconciles: number }
  | { readonly kind: "new_epoch" };

export interface WatchOptions {
  /** Base URL of the watch, without from (`ws://host/api/v1/watch?row=…`). */
  readonly url: string;
  readonly open: (url: string, protocol: "tracer.v1") => Socket;
  readonly timer: Timer;
  /** Called after something was stored or the connection changed; must only mark dirty. */
  readonly onDirty: () => void;
  /** A recording is watched: its time is the one on its frames, its end, and does not pass. */
  readonly recorded?: boolean;
  /** Called for each malformed frame or row, which is skipped. */
  readonly onMalformed?: (problem: string) => void;
  /** Frames kept until drain; beyond it the client drops the socket and asks for a snapshot. Default 5,000. */
  readonly maxPending?: number;
}

/** One watch of the hub. `onmessage` only stores; drain gives what came since, oldest first. */
export interface Watch {
  start(): void;
  /** Ends for good; no callback comes after it. */
  stop(): void;
  /** Skips the rest of the countdown. Does nothing unless lost. */
  tryNow(): void;
  drain(): Frame[];
  /** Asks for a snapshot of the newest in the place of what waits, where that is more than 10,000 rows. */
  hurry(): void;
  /** Whether all that the hub keeps was asked for, and not only the newest. */
  whole(): boolean;
  /** Asks for all that the hub keeps: a new snapshot comes. false when that was done, or nothing is connected. */
  deepen(): boolean;
  /** Says of which item nothing is to be left out, now and after each reconnect; "" for none. */
  pin(controller: string, item: string): void;
  connection(): Connection;
  /** The room as it was told last, which model/room reads; undefined before. */
  room(): RoomFrame["room"] | undefined;
  /** Whole seconds until the next try, at least 1; 0 unless lost. */
  secondsToRetry(): number;
  /** For how many whole seconds nothing has come from a hub that is there, 0 as long as that is usual. */
  silentFor(): number;
  /** The hub's clock (µs) at its last word, while it is lost or silent: nothing is known of what came after. Else Infinity. */
  heardUntil(): number;
  /** The hub's clock now, in µs: wall time plus the largest offset seen lately. */
  hubNow(): number;
  /** The hub's clock by which the room is told, also while a recording is watched. */
  roomNow(): number;
  /** Malformed frames and rows so far. */
  malformed(): number;
  /** What was wrong with the newest of them, "" when there was none. */
  problem(): string;
}
