/** Wires the page: socket → model → layout → scene → canvas and panels. Everything with a global lives here or in view. */
import { geometry } from "./base/geometry.gen.ts";
import { signal } from "./base/signal.ts";
import { SECOND } from "./base/time.ts";
import { Layout } from "./layout/layout.ts";
import { Filter } from "./model/filter.ts";
import { Table } from "./model/table.ts";
import { Inbox } from "./net/inbox.ts";
import type { Socket, Timer } from "./net/types.ts";
import { WatchClient } from "./net/watch.ts";
import { scene } from "./scene/scene.ts";
import { spotlit } from "./scene/spotlight.ts";
import type { Scene, SceneOptions } from "./scene/types.ts";
import type { App, Selection } from "./view/app.ts";
import { buildEmbed, embedTicket } from "./view/embed.ts";
import { Frames } from "./view/frames.ts";
import { pageName } from "./view/classroom.ts";
import { buildPage, defineElements } from "./view/page.ts";
import type { PageParts } from "./view/page.ts";
import { Playhead } from "./view/playhead.ts";

/** Main holds the state that is neither rows nor looks, and runs the frames. */
class Main implements App {
  readonly model = new Table();
  readonly selection = signal<Selection | undefined>(undefined);
  readonly filter = signal(new Filter("", []));
  readonly looks = signal(0);
  readonly recording = document.getElementById("recorded")?.dataset["recording"];
  readonly watch: WatchClient;
  private readonly inbox: Inbox;
  readonly playhead: Playhead;
  private readonly layout = new Layout();
  private readonly frames: Frames;
  private readonly parts: PageParts;
  private drawn: Scene | undefined;
  /** The reconcile that stands alone, and the moment at which it does. */
  private alone = { at: 0, reconcile: "" };
  private readonly calm = matchMedia("(prefers-reduced-motion: reduce)");

  constructor() {
    const onDirty = (): void => {
      this.wake();
    };
    const { recording } = this;
    const recorded = recording !== undefined;
    const page = pageName();
    this.inbox = new Inbox(timer.now, onDirty);
    const open = (to: string, protocol: "tracer.v1"): Socket => this.inbox.through(openSocket(to, protocol));
    this.watch = new WatchClient({ url: watchUrl(recording, page), open, timer, onDirty, recorded });
    const end = (): number => this.watch.hubNow();
    const shared = (): number => this.watch.roomNow();
    const clock = recorded
      ? { now: runningClock, heard: end, end, shared }
      : { now: end, heard: () => this.watch.heardUntil() };
    this.playhead = new Playhead(clock, onDirty);
    const draw = (): number => this.draw();
    const panels = (): Iterator<void> => this.parts.paint();
    this.frames = new Frames({ draw, panels });
    const stop = (): void => {
      this.watch.stop();
    };
    this.parts = ticket === undefined ? buildPage(this, page) : buildEmbed(this, ticket, stop);
    this.selection.subscribe(() => {
      const { controller = "", item = "" } = this.selection.get() ?? {};
      this.watch.pin(controller, item);
      onDirty();
    });
    this.filter.subscribe(onDirty);
    this.looks.subscribe(onDirty);
  }

  start(): void {
    this.watch.start();
    this.wake();
  }

  scene(): Scene | undefined {
    return this.drawn;
  }

  zone(): number {
    return -new Date(this.playhead.now() / 1000).getTimezoneOffset();
  }

  wake(): void {
    this.frames.wake();
  }

  /**
   * While it stands still at a moment of the reconcile that is selected, that one is drawn by itself, and stays so when
   * the selection is cleared.
   */
  private sceneAt(t: number): Scene {
    const selection = this.selection.get();
    const pinned = selection === undefined ? {} : { pinned: selection.item };
    const called = this.model.namesakes ? { called: (item: string): string => this.model.called(item) } : {};
    const counted: SceneOptions["counted"] = (lane, from, to) => this.model.counted(lane, from, to);
    const before = this.drawn === undefined ? {} : { before: this.drawn };
    const options: SceneOptions = { geometry, counted, ...called, ...before, ...pinned, ...this.sought() };
    if (selection !== undefined || this.alone.at !== t) this.alone = { at: t, reconcile: selection?.reconcile ?? "" };
    const run = this.playhead.paused ? this.model.reconcile(this.alone.reconcile) : undefined;
    return run === undefined ? scene(this.layout, t, options) : spotlit(this.layout, run, t, options);
  }

  /** What the filter leaves out is dimmed. */
  private sought(): Pick<SceneOptions, "shows"> {
    const filter = this.filter.get();
    if (!filter.on) return {};
    return { shows: (lane, item, reconcile) => filter.shows(this.model, lane, item, reconcile) };
  }

  /**
   * Takes in what came; answers whether some of it waits still. While the picture follows, a burst is read and laid out
   * in the frames after it; what has waited long, as in a tab out of sight, and what one stops at, is at once.
   */
  private takeIn(): boolean {
    const { inbox, playhead, watch } = this;
    // A tab that was out of sight is right at once; what it missed the hub still has.
    if (playhead.following && this.selection.get() === undefined) watch.hurry();
    let whole = !playhead.following;
    const begin = performance.now();
    const read = begin + Math.max(readRoom, inbox.waited() / behind);
    do {
      const changes = watch.drain().map((frame) => this.model.apply(frame));
      this.layout.take(changes);
      for (const change of changes) this.filter.get().take(change);
      whole ||= changes.length > burst || changes.some(({ reset }) => reset);
    } while ((whole || performance.now() < read) && inbox.read());
    const end = Math.max(begin + room, performance.now() + 1);
    return this.layout.settle(() => !whole && performance.now() >= end) || inbox.waited() > 0;
  }

  /** Takes in what came and draws; answers after how many milliseconds something moves again. */
  private draw(): number {
    const unsettled = this.takeIn();
    const begin = this.model.span()?.from;
    if (this.recording !== undefined && this.playhead.following && begin !== undefined) this.playhead.begin(begin);
    this.parts.step();
    const t = this.playhead.now();
    const whole = this.sceneAt(t);
    const drawn = this.calm.matches ? seatedOnly(whole) : whole;
    this.drawn = drawn;
    this.parts.draw(drawn);
    if (this.playhead.paused) return Infinity;
    if (unsettled) return 0;
    // A ring that counts down is text: ten times a second is enough for it.
    const rings = drawn.lanes.some((lane) => lane.waiting.length > 0) ? 100 : Infinity;
    const wait = Math.min(rings, Math.max(0, (drawn.nextAt - t) / 1000 / this.playhead.speed));
    return this.calm.matches ? Math.max(calmEvery, wait) : wait;
  }
}

/** So many ms of a frame are for reading, or the longer the oldest message has waited: none waits for more than a few. */
const readRoom = 3;
const behind = 25;
/** So many are for reading and laying out, as long as no more messages than these were read out of a frame. */
const room = 4;
const burst = 16;

/** With reduced motion nothing travels: tokens are seen at their stations, four times a second. */
const calmEvery = 250;

function seatedOnly(drawn: Scene): Scene {
  return { ...drawn, tokens: drawn.tokens.filter((token) => token.node !== undefined) };
}

const timer: Timer = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after: (ms, run) => {
    const id = setTimeout(run, ms);
    return () => {
      clearTimeout(id);
    };
  },
  random: () => Math.random(),
};

/** A recording is played by a clock of the page's own, µs. */
function runningClock(): number {
  return performance.now() * 1000;
}

function watchUrl(recording: string | undefined, page: string): string {
  const live = ticket === undefined ? "/api/v1/watch" : "/api/v1/embed/watch";
  const url = new URL(recording === undefined ? live : `/api/v1/recordings/${recording}/watch`, location.href);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  // Who looks into a frame of another site is not in the room.
  if (ticket === undefined) url.searchParams.set("page", page);
  return url.href;
}

function openSocket(url: string, protocol: "tracer.v1"): WebSocket {
  return new WebSocket(url, ticket === undefined ? protocol : [protocol, ticket.protocol]);
}

const ticket = embedTicket();
defineElements();
const main = new Main();
// Seconds pass also while nothing comes: "No reconciles for 42 s", "Reconnecting in 3 s".
setInterval(() => {
  main.wake();
}, SECOND / 1000);
main.start();
