/** The page in a frame of another site: the map and the time, with a view token of its own instead of a login. */
import { clock } from "../base/time.ts";
import type { App } from "./app.ts";
import { h, show, the } from "./dom.ts";
import { Lanes } from "./lanes.ts";
import { later } from "./later.ts";
import { NoticeElement } from "./notice.ts";
import type { PageParts } from "./page.ts";
import { stepper } from "./steps.ts";
import { themeOf } from "./theme.ts";
import { TransportElement } from "./transport.ts";
import { TwinElement } from "./twin.ts";

/** What the fragment of an embedded page gives it. */
export interface Ticket {
  /** The websocket subprotocol that carries the token; a URL would be logged. */
  readonly protocol: string;
  /** When it ends, µs since the epoch; 0 when there is none. */
  readonly until: number;
}

/** ticketOf reads #token=…, and ends at the number with which the token begins. */
export function ticketOf(hash: string): Ticket {
  const token = new URLSearchParams(hash.replace(/^#/, "")).get("token") ?? "";
  return { protocol: `tracer.embed.${token}`, until: (Number.parseInt(token, 10) || 0) * 1_000_000 };
}

/** embedTicket is undefined where the page is not the embedded one. It takes the token out of the address. */
export function embedTicket(): Ticket | undefined {
  if (document.querySelector("main[data-embed]") === null) return undefined;
  const { hash } = location;
  document.documentElement.dataset["theme"] = themeOf(new URLSearchParams(hash.slice(1)).get("theme"));
  history.replaceState(null, "", location.pathname);
  return ticketOf(hash);
}

/** buildEmbed connects what an embedded page has. stop ends the watch when the ticket has ended. */
export function buildEmbed(app: App, ticket: Ticket, stop: () => void): PageParts {
  const lanes = new Lanes(app, {
    root: the("map", HTMLElement),
    empty: the("empty", HTMLElement),
    template: the("lane-template", HTMLTemplateElement),
  });
  const notice = the("notice", NoticeElement);
  const transport = the("transport", TransportElement);
  const twin = the("twin", TwinElement);
  notice.connect(app);
  transport.connect(app, stepper(app));
  twin.connect(app);
  const looks = (): void => {
    lanes.measure();
    app.looks.set(app.looks.get() + 1);
  };
  void document.fonts.ready.then(looks);
  for (const target of [window, matchMedia("(prefers-color-scheme: dark)")]) {
    target.addEventListener(target === window ? "resize" : "change", looks);
  }
  const panels = later(() => {
    app.wake();
  });
  panels.whenIdle();
  const parts = [lanes, notice, transport, twin, panels.voice(app, the("voice", HTMLElement))];
  const ended = h("p", { class: "notice", "data-tone": "warn", role: "status", hidden: true });
  notice.after(ended);
  return {
    step: () => undefined,
    draw: (scene) => {
      lanes.draw(scene);
    },
    *paint() {
      for (const part of parts) {
        part.paint();
        yield;
      }
      if (Date.now() * 1000 < ticket.until || !ended.hidden) return;
      stop();
      notice.remove();
      ended.textContent =
        ticket.until === 0
          ? "This view has no token: ask the presenter for a link to embed"
          : `This view ended at ${clock(ticket.until, app.zone())}: ask the presenter for a new link`;
      show(ended, true);
    },
  };
}
