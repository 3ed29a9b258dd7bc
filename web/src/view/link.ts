/** Links to a moment: #at=<µs>&sel=<item>@<n>&q=<search>, which whoever opens it sees as it was seen here. */
import { clock } from "../base/time.ts";
import type { App } from "./app.ts";

export interface Moment {
  /** Display time, µs since the epoch. */
  readonly at: number;
  /** The key of the item that is selected, "" for none. */
  readonly item: string;
  /** Which of the item's reconciles, counted from 1; 0 for the item itself. */
  readonly n: number;
  /** What is searched for, "" for nothing. */
  readonly q: string;
}

/** hashOf writes a moment as the part of a link behind the page's address. */
export function hashOf({ at, item, n, q }: Moment): string {
  const sel = item === "" ? "" : `&sel=${encodeURI(item)}${n > 0 ? `@${String(n)}` : ""}`;
  return `#at=${String(Math.round(at))}${sel}${q === "" ? "" : `&q=${encodeURIComponent(q)}`}`;
}

/** The longest search, in characters: any 680 are less than what the hub takes from a presenter, 2,048 bytes. */
const longest = 680;

/** searchOf reads what a link searches for, also of one that names no time. */
export function searchOf(hash: string): string {
  return (new URLSearchParams(hash.replace(/^#/, "")).get("q") ?? "").slice(0, longest);
}

/** momentOf reads one; undefined when it names no time. */
export function momentOf(hash: string): Moment | undefined {
  const named = new URLSearchParams(hash.replace(/^#/, ""));
  const at = Number(named.get("at") ?? NaN);
  if (!Number.isFinite(at) || at <= 0) return undefined;
  const [, item = "", n = "0"] = /^(.*?)(?:@(\d+))?$/.exec(named.get("sel") ?? "") ?? [];
  return { at, item, n: Number(n), q: searchOf(hash) };
}

/** momentNow is what the page shows. */
export function momentNow(app: App): Moment {
  const selection = app.selection.get();
  const run = app.model.reconcile(selection?.reconcile ?? "");
  const n = run === undefined ? 0 : app.model.nth(run).n;
  return { at: app.playhead.now(), item: selection?.item ?? "", n, q: app.filter.get().text };
}

/** linkHere is the address of what the page shows. */
export function linkHere(app: App): string {
  return `${location.origin}${location.pathname}${location.search}${hashOf(momentNow(app))}`;
}

/** What a link says when it cannot be followed as it is. */
export type Tell = (text: string, button?: string, press?: () => void) => void;

/** Follows the link with which the page was opened, as soon as the history is there. */
export class Links {
  private readonly app: App;
  private readonly tell: Tell;
  private wanted: Moment | undefined;

  /** search is given what a link searches for. */
  constructor(app: App, tell: Tell, search: (text: string) => void) {
    this.app = app;
    this.tell = tell;
    const read = (): void => {
      const { hash } = location;
      this.wanted = momentOf(hash);
      // A way inside the page, like that to the map, searches for nothing else.
      if (/[#&](?:at|q)=/.test(hash)) search(searchOf(hash));
      else this.address();
      app.wake();
    };
    addEventListener("hashchange", read);
    read();
    app.filter.subscribe(() => {
      this.address();
    });
  }

  /** The address keeps what is searched for; a moment is in it only where a link is made. */
  private address(): void {
    const { text } = this.app.filter.get();
    const q = text === "" ? "" : `#q=${encodeURIComponent(text)}`;
    if (this.wanted === undefined) history.replaceState(null, "", location.pathname + location.search + q);
  }

  paint(): void {
    const { app } = this;
    const { state } = app.watch.connection();
    const span = app.model.span();
    if (this.wanted === undefined || span === undefined || (state !== "live" && state !== "restored")) return;
    const moment = this.wanted;
    this.wanted = undefined;
    // Followed once: a reload later on shall show what is live then.
    this.address();
    this.go(moment, span.from, app.recording === undefined ? Infinity : app.watch.hubNow());
  }

  private go(moment: Moment, oldest: number, end: number): void {
    const { app } = this;
    if (moment.at >= oldest && moment.at <= end) {
      select(app, moment);
      return app.playhead.seek(moment.at);
    }
    const zone = app.zone();
    const nearest = moment.at < oldest ? oldest : end;
    const gone = app.recording === undefined ? "no longer kept. The oldest" : "not in this recording. The nearest";
    this.tell(
      `The moment of this link, ${clock(moment.at, zone)}, is ${gone} is ${clock(nearest, zone)}.`,
      "Go there",
      () => {
        app.playhead.seek(nearest);
      },
    );
  }
}

function select(app: App, { item, n }: Moment): void {
  const found = app.model.items("").find((candidate) => candidate.item === item);
  if (found === undefined) return;
  const runs = app.model.reconcilesOf(found.controller, item);
  const run = n === 0 ? undefined : runs.find((candidate) => app.model.nth(candidate).n === n);
  app.selection.set({ controller: found.controller, item, reconcile: run?.key ?? "" });
}
