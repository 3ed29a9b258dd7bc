/** The bar of time: pause and follow, steps, the density of what happened with its errors, and where the picture is. */
import { SECOND, clock, clockMs, count } from "../base/time.ts";
import type { Model } from "../model/types.ts";
import type { App } from "./app.ts";
import { attr, part, say, show } from "./dom.ts";
import { speedSaid, speeds } from "./playhead.ts";
import type { Playhead } from "./playhead.ts";
import { readPalette } from "./shapes.ts";
import type { Palette } from "./shapes.ts";
import { momentOf, selectAt } from "./steps.ts";
import type { Stepper } from "./steps.ts";
import { barsRoom, drawTimeline } from "./timeline.ts";
import type { TimeWindow } from "./timeline.ts";

/** How much time the line shows, in seconds. */
const shown = 180;

/** How many pixels a pointer moves before it is a drag and no press. */
const dragAfter = 3;

export class TransportElement extends HTMLElement {
  private app: App | undefined;
  private palette: Palette | undefined;
  private window: TimeWindow = { from: 0, to: 1 };
  private totalAtPause = 0;
  /** What the line was drawn from last. */
  private drawn = "";

  connect(app: App, step: Stepper): void {
    this.app = app;
    this.hidden = false;
    const on = (name: string, run: () => void): void => {
      part(this, name).addEventListener("click", run);
    };
    on("pause", () => {
      app.playhead.toggle();
    });
    on("slower", () => {
      app.playhead.change(-1);
    });
    on("faster", () => {
      app.playhead.change(1);
    });
    on("live", () => {
      app.playhead.follow();
    });
    on("back", () => {
      step.reconcile(-1);
    });
    on("on", () => {
      step.reconcile(1);
    });
    const line = part(this, "line");
    this.drags(app, line);
    line.addEventListener("keydown", (event) => {
      this.key(event);
    });
    app.looks.subscribe(() => {
      this.palette = undefined;
    });
  }

  /** A press goes to what happened there; drawn along, the pointer takes the playhead with it. */
  private drags(app: App, line: HTMLElement): void {
    let from: number | undefined;
    let dragged = false;
    line.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      // The focus stays where it is, so that the arrow keys go on stepping by phase.
      event.preventDefault();
      line.setPointerCapture(event.pointerId);
      from = event.clientX;
      dragged = false;
      this.goTo(event.clientX);
    });
    line.addEventListener("pointermove", (event) => {
      if (from === undefined) return;
      dragged ||= Math.abs(event.clientX - from) >= dragAfter;
      if (dragged) app.playhead.seek(this.timeAt(event.clientX));
    });
    const end = (): void => {
      if (from !== undefined && dragged) selectAt(app, app.playhead.now());
      from = undefined;
    };
    line.addEventListener("pointerup", end);
    line.addEventListener("pointercancel", end);
  }

  paint(): void {
    const app = this.app;
    if (app === undefined) return;
    this.keepWindow(app);
    this.palette ??= readPalette(document.documentElement);
    const { model, playhead } = app;
    const at = playhead.following ? undefined : playhead.now();
    const sign = [model.version, this.window.from, at, app.looks.get()].join();
    if (sign !== this.drawn) this.drawLine(app, this.palette, at);
    this.drawn = sign;
    this.classList.toggle("is-paused", playhead.paused);
    document.body.classList.toggle("is-still", playhead.paused);
    const goOn = playhead.speed === 1 ? "Follow" : "Play";
    const press = playhead.paused ? goOn : "Pause the picture";
    attr(part(this, "pause"), "aria-label", press);
    attr(part(this, "pause"), "title", `${press} (Space)`);
    this.classList.toggle("is-slow", playhead.kind === "playing");
    this.paintSpeed(playhead);
    this.paintWords(app);
  }

  private drawLine(app: App, palette: Palette, at: number | undefined): void {
    const { model } = app;
    drawTimeline(part<HTMLCanvasElement>(this, "bars"), {
      window: this.window,
      bins: model.timeline("", this.window.from, this.window.to, shown),
      gaps: [...model.gaps().filter((gap) => gap.closed !== true), ...model.elided()],
      at,
      palette,
      zone: app.zone(),
    });
  }

  private paintWords(app: App): void {
    const { playhead, model } = app;
    const at = (playhead.paused ? clockMs : clock)(playhead.now(), app.zone());
    const total = totalOf(model, app.watch.hubNow());
    if (playhead.following) this.totalAtPause = total;
    const connection = app.watch.connection();
    if (connection.state === "lost" && playhead.following) {
      say(part(this, "where"), "not connected");
      say(part(this, "more"), connection.asOf === 0 ? "" : `as of ${clock(connection.asOf, app.zone())}`);
      return show(part(this, "live"), false);
    }
    const doing = { following: at, paused: `paused · ${at}`, playing: speedSaid(playhead.speed) }[playhead.kind];
    say(part(this, "where"), doing);
    const fresh = Math.max(0, total - this.totalAtPause);
    const ago = behindSaid(playhead.behind());
    say(part(this, "more"), playhead.following ? "following, live" : `${ago} · ${count(fresh)} new ·`);
    show(part(this, "live"), !playhead.following);
    const line = part(this, "line");
    const { from, to } = this.window;
    const where = Math.max(0, Math.min(100, Math.round((100 * (playhead.now() - from)) / (to - from))));
    attr(line, "aria-valuenow", String(where));
    const state = { following: `live, ${at}`, paused: `paused at ${at}`, playing: `${doing}, ${at}` }[playhead.kind];
    attr(line, "aria-valuetext", state);
  }

  private paintSpeed(playhead: Playhead): void {
    const { speed, following } = playhead;
    say(part(this, "speed"), speed < 1 ? `1/${String(Math.round(1 / speed))}` : `${String(speed)}×`);
    part<HTMLButtonElement>(this, "slower").disabled = speed <= speeds[0];
    part<HTMLButtonElement>(this, "faster").disabled = following || speed >= (speeds.at(-1) ?? speed);
  }

  /** The window follows live time by whole seconds; else it stands, unless the time shown lies outside. */
  private keepWindow(app: App): void {
    const { playhead } = app;
    const t = playhead.now();
    const live = Math.ceil(t / SECOND) * SECOND + SECOND;
    if (playhead.following) this.window = { from: live - shown * SECOND, to: live };
    else if (t < this.window.from || t > this.window.to) {
      const from = Math.floor(t / SECOND - 10) * SECOND;
      this.window = { from, to: from + shown * SECOND };
    }
  }

  private goTo(clientX: number): void {
    this.seekBin(Math.min(shown - 1, Math.floor(this.fraction(clientX) * shown)));
  }

  private timeAt(clientX: number): number {
    const { from, to } = this.window;
    return from + this.fraction(clientX) * (to - from);
  }

  /** Where a point lies on the line, 0 to 1. */
  private fraction(clientX: number): number {
    const { left, width } = part(this, "line").getBoundingClientRect();
    const room = barsRoom(width);
    return Math.max(0, Math.min(1, (clientX - left - room.left) / room.width));
  }

  /** Goes to a bar's second and selects what is most worth a look there: an error, else the last reconcile. */
  private seekBin(bin: number): void {
    const app = this.app;
    if (app === undefined) return;
    const from = this.window.from + bin * SECOND;
    const inside = app.model.recent("", 20_000).filter((run) => run.to >= from && run.to < from + SECOND);
    const run = inside.find((candidate) => candidate.result.includes("error")) ?? inside[0];
    if (run === undefined) return app.playhead.seek(from + SECOND / 2);
    app.selection.set({ controller: run.controller, item: run.item, reconcile: run.key });
    app.playhead.seek(momentOf(run, "apply"));
  }

  private key(event: KeyboardEvent): void {
    const app = this.app;
    const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (app === undefined || step === 0 || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    app.playhead.seek(app.playhead.now() + step * SECOND);
  }
}

/** behindSaid says how long ago something is: −12.3 s, −1:41, −1:02:03. */
function behindSaid(us: number): string {
  const seconds = us / SECOND;
  if (seconds < 60) return `−${seconds.toFixed(1)} s`;
  const whole = Math.floor(seconds);
  const two = (n: number): string => String(n).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  const hours = Math.floor(minutes / 60);
  return hours > 0
    ? `−${String(hours)}:${two(minutes % 60)}:${two(whole % 60)}`
    : `−${String(minutes)}:${two(whole % 60)}`;
}

function totalOf(model: Model, now: number): number {
  return model.lanes(now).reduce((sum, lane) => sum + lane.controller.reconciles, 0);
}
