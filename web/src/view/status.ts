/** The pill in the top bar: to what the page is connected, how fast it goes. */
import { clock, rate } from "../base/time.ts";
import type { App } from "./app.ts";
import { attr, part, say } from "./dom.ts";
import { plural } from "./words.ts";

export class StatusElement extends HTMLElement {
  private app: App | undefined;

  connect(app: App): void {
    this.app = app;
  }

  paint(): void {
    const app = this.app;
    if (app === undefined) return;
    const connection = app.watch.connection();
    const silent = app.watch.silentFor() > 0;
    // While it is tried again, it is as lost as before.
    const lost = silent || app.watch.heardUntil() < Infinity;
    const state = lost ? "lost" : connection.state === "restored" ? "live" : connection.state;
    // A recording is there whole once it has come, whatever becomes of the hub.
    const recorded = app.recording !== undefined && app.model.version > 0;
    attr(this, "data-state", recorded ? "recorded" : state);
    say(part(this, "text"), this.text(app));
    document.body.classList.toggle("is-lost", state === "lost" && !recorded);
  }

  private text(app: App): string {
    const connection = app.watch.connection();
    if (connection.state === "connecting") return "connecting";
    if (app.recording !== undefined && app.model.version > 0)
      return plural(app.model.lanes(0).length, "controller", "controllers");
    if (app.watch.silentFor() > 0) return "not answering";
    if (connection.state === "lost") {
      return connection.asOf === 0 ? "not connected" : `as of ${clock(connection.asOf, app.zone())}`;
    }
    const lanes = app.model.lanes(app.watch.hubNow());
    if (lanes.length === 0) return "nothing attached";
    const all = lanes.reduce((sum, lane) => sum + lane.rate, 0);
    return `${plural(lanes.length, "controller", "controllers")} · ${rate(all)}/s`;
  }
}
