/** Wires the page: socket → model → layout → scene → canvas and panels. Everything with a global lives here or in view. */
import { geometry } from "./base/geometry.gen.ts";
import { signal } from "./base/signal.ts";
import { SECOND } from "./base/time.ts";
import { Layout } from "./layout/layout.ts";
import { Table } from "./model/table.ts";
import type { Timer } from "./net/types.ts";
import { WatchClient } from "./net/watch.ts";
import { modesOf, scene } from "./scene/scene.ts";
import { spotlit } from "./scene/spotlight.ts";
import type { Mode, Scene, SceneOptions } from "./scene/types.ts";
import type { App, Selection } from "./view/app.ts";
import { Frames } from "./view/frames.ts";
import { buildPage, defineElements, pageName } from "./view/page.ts";
import type { PageParts } from "./view/page.ts";
import { Playhead } from "./view/playhead.ts";

/** Main holds the state that is neither rows nor looks, and runs the frames. */
class Main implements App {
  readonly model = new Table();
  readonly selection = signal<Selection | undefined>(undefined);
  readonly looks = signal(0);
  readonly watch: WatchClient;
  readonly playhead: Playhead;
  private readonly layout = new Layout();
  private readonly frames: Frames;
  private readonly parts: PageParts;
  private modes: ReadonlyMap<string, Mode> = new Map();
  private drawn: Scene | undefined;
  private readonly calm = matchMedia("(prefers-reduced-motion: reduce)");

  constructor() {
    const onDirty = (): void => {
      this.wake();
    };
    const page = pageName();
    this.watch = new WatchClient({ url: watchUrl(page), open: openSocket, timer, onDirty });
    this.playhead = new Playhead({ now: () => this.watch.hubNow(), heard: () => this.heard() }, onDirty);
    const draw = (): number => this.draw();
    const panels = (): void => {
      this.parts.paint();
    };
    this.frames = new Frames({ draw, panels });
    this.parts = buildPage(this, page);
    this.selection.subscribe(onDirty);
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

  /** Up to when the picture may go: while the hub is lost, the time of the last frame. */
  private heard(): number {
    const connection = this.watch.connection();
    return connection.state === "lost" && connection.asOf > 0 ? connection.asOf : Infinity;
  }

  /** While it stands still at a moment of the reconcile that is selected, that one is drawn by itself. */
  private sceneAt(t: number): Scene {
    const selection = this.selection.get();
    const pinned = selection === undefined ? {} : { pinned: selection.item };
    const options: SceneOptions = { geometry, before: this.modes, ...pinned };
    const run = this.playhead.paused ? this.model.reconcile(selection?.reconcile ?? "") : undefined;
    return run === undefined ? scene(this.layout, t, options) : spotlit(this.layout, run, t, options);
  }

  /** Takes in what came and draws; answers after how many milliseconds something moves again. */
  private draw(): number {
    for (const frame of this.watch.drain()) this.layout.apply(this.model.apply(frame));
    this.parts.step();
    const t = this.playhead.now();
    const whole = this.sceneAt(t);
    const drawn = this.calm.matches ? seatedOnly(whole) : whole;
    this.drawn = drawn;
    this.modes = modesOf(drawn);
    this.parts.draw(drawn);
    if (this.playhead.paused) return Infinity;
    // A ring that counts down is text: ten times a second is enough for it.
    const rings = drawn.lanes.some((lane) => lane.waiting.length > 0) ? 100 : Infinity;
    const wait = Math.min(rings, Math.max(0, (drawn.nextAt - t) / 1000 / this.playhead.speed));
    return this.calm.matches ? Math.max(calmEvery, wait) : wait;
  }
}

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

function watchUrl(page: string): string {
  const url = new URL("/api/v1/watch", location.href);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  url.searchParams.set("page", page);
  return url.href;
}

function openSocket(url: string, protocol: "tracer.v1"): WebSocket {
  return new WebSocket(url, protocol);
}

defineElements();
const main = new Main();
// Seconds pass also while nothing comes: "No reconciles for 42 s", "Reconnecting in 3 s".
setInterval(() => {
  main.wake();
}, SECOND / 1000);
main.start();
