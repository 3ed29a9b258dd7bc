/** The frames of the watch protocol tracer.v1. Times are microseconds since the epoch, of the hub's clock. */
import type { Row, RowKind } from "./rows.gen.ts";

/** Names one row. */
export interface RowRef {
  readonly row: RowKind;
  readonly key: string;
}

/** Why a snapshot came instead of the missing frames. */
export type SnapshotReason = "start" | "lagged" | "epoch" | "filter";

/** Replaces everything the viewer has. */
export interface SnapshotFrame {
  readonly type: "snapshot";
  readonly epoch: string;
  readonly offset: number;
  readonly now: number;
  readonly reason: SnapshotReason;
  readonly rows: readonly Row[];
}

/** Rows that are new or changed, and the ones that left the filter or were evicted. */
export interface RowsFrame {
  readonly type: "rows";
  readonly offset: number;
  readonly now: number;
  readonly rows: readonly Row[];
  readonly gone: readonly RowRef[];
}

/** Exact counts of what was too much to send. */
export interface ElidedFrame {
  readonly type: "elided";
  readonly offset: number;
  readonly now: number;
  readonly reconciles: number;
  readonly by: Readonly<Record<string, number>>;
}

/** Says how far the stream has come when nothing else does. */
export interface BookmarkFrame {
  readonly type: "bookmark";
  readonly offset: number;
  readonly now: number;
}

/** Says what the hub could not do; the socket closes after it, but where the code is pin. */
export interface ErrorFrame {
  readonly type: "error";
  readonly code: string;
  readonly message: string;
  readonly now: number;
}

/** Says who else watches and what the presenter shows. It has no place in the stream; model/room reads it. */
export interface RoomFrame {
  readonly type: "room";
  readonly now: number;
  readonly room: Readonly<Record<string, unknown>>;
}

export type Frame = SnapshotFrame | RowsFrame | ElidedFrame | BookmarkFrame | ErrorFrame;
