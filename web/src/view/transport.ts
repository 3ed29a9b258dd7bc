/** The bar of time: pause and follow, steps, the density of what happened with its errors, and where the picture is. */
import { SECOND, clock, clockMs, count } from "../base/time.ts";
import type { Model } from "../model/types.ts";
import type { App } from "./app.ts";
import { attr, part, say, show } from "./dom.ts";
import { speedSaid, speeds } from "./playhead.ts";
import type { Playhead } from "./playhead.ts";
import { Scrubber } from "./scrubber.ts";
import type { Stepper } from "./steps.ts";

export class TransportElement extends HTMLElement {
  private app: App | undefined;
  private line: Scrubber | undefined;
  private totalAtPause = 0;

  /** Answers the line of time, which the keys move too. */
  connect(app: App, step: Stepper): Scrubber {
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
    on("back", () => {
      step.reconcile(-1);
    });
    on("on", () => {
      step.reconcile(1);
    });
    const line = new Scrubber(app, this);
    this.line = line;
    on("live", () => {
      line.live();
    });
    return line;
  }

  paint(): void {
    const app = this.app;
    if (app === undefined) return;
    const { playhead } = app;
    this.line?.paint();
    this.classList.toggle("is-paused", playhead.paused);
    document.body.classList.toggle("is-still", playhead.paused);
    const goOn = playhead.follows ? "Follow" : "Play";
    const press = playhead.paused ? goOn : "Pause the picture";
    attr(part(this, "pause"), "aria-label", press);
    attr(part(this, "pause"), "title", `${press} (Space)`);
    this.classList.toggle("is-slow", playhead.kind === "playing");
    this.paintSpeed(playhead);
    this.paintWords(app);
  }

  private paintWords(app: App): void {
    const { playhead, model } = app;
    const at = (playhead.paused ? clockMs : clock)(playhead.now(), app.zone());
    const total = totalOf(model, app.watch.hubNow());
    if (playhead.following) this.totalAtPause = total;
    const connection = app.watch.connection();
    if (model.version === 0) {
      say(part(this, "where"), connection.state === "lost" ? "not connected" : "connecting");
      say(part(this, "more"), "");
      return show(part(this, "live"), false);
    }
    const recorded = app.recording !== undefined;
    const heard = app.watch.heardUntil();
    if (heard < Infinity && playhead.following && !recorded) {
      say(part(this, "where"), app.watch.silentFor() > 0 ? "not answering" : "not connected");
      say(part(this, "more"), `as of ${clock(heard, app.zone())}`);
      return show(part(this, "live"), false);
    }
    const doing = { following: at, paused: `paused · ${at}`, playing: speedSaid(playhead.speed) }[playhead.kind];
    say(part(this, "where"), doing);
    const fresh = Math.max(0, total - this.totalAtPause);
    const ago = behindSaid(playhead.behind());
    const toEnd = playhead.behind() < SECOND / 20 ? "at the end" : `${ago} to the end`;
    const behind = recorded ? toEnd : `${ago} · ${count(fresh)} new ·`;
    say(part(this, "more"), playhead.following && !recorded ? "following, live" : behind);
    show(part(this, "live"), !recorded && (!playhead.following || this.line?.away === true));
  }

  private paintSpeed(playhead: Playhead): void {
    const { speed, following } = playhead;
    say(part(this, "speed"), speed < 1 ? `1/${String(Math.round(1 / speed))}` : `${String(speed)}×`);
    part<HTMLButtonElement>(this, "slower").disabled = speed <= speeds[0];
    part<HTMLButtonElement>(this, "faster").disabled = following || speed >= (speeds.at(-1) ?? speed);
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
