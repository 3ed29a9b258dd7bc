/** What the components share. main makes it; a component reads it, and changes only the selection and the playhead. */
import type { Signal } from "../base/signal.ts";
import type { Filter } from "../model/filter.ts";
import type { Model } from "../model/types.ts";
import type { Watch } from "../net/types.ts";
import type { Scene } from "../scene/types.ts";
import type { Playhead } from "./playhead.ts";

/** What the panel shows. reconcile "" is the item itself: its newest reconcile. */
export interface Selection {
  readonly controller: string;
  readonly item: string;
  readonly reconcile: string;
}

export interface App {
  readonly model: Model;
  readonly watch: Pick<
    Watch,
    | "connection"
    | "whole"
    | "deepen"
    | "room"
    | "secondsToRetry"
    | "silentFor"
    | "heardUntil"
    | "tryNow"
    | "hubNow"
    | "malformed"
    | "problem"
  >;
  readonly playhead: Playhead;
  /** The name of the recorded session that is shown, undefined for what is live. Nothing can be done to it. */
  readonly recording: string | undefined;
  readonly selection: Signal<Selection | undefined>;
  /** What is shown of all; with no text it leaves nothing out. */
  readonly filter: Signal<Filter>;
  /** Rises when the theme, a size or the letters change: what was measured or coloured is to be drawn anew. */
  readonly looks: Signal<number>;
  /** The scene drawn last. */
  scene(): Scene | undefined;
  /** Minutes of the viewer's time zone, east positive. */
  zone(): number;
  /** Asks for a frame soon. */
  wake(): void;
}
