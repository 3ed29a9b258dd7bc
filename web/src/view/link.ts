/** Links to a moment: #at=<µs>&sel=<item>@<n>&in=<controller>&q=<search>, which whoever opens it sees as it was seen here. */
import type { Reconcile } from "../base/rows.gen.ts";
import { dated } from "../base/time.ts";
import type { Model } from "../model/types.ts";
import type { App } from "./app.ts";
import type { History } from "./history.ts";

export interface Moment {
  /** Display time, µs since the epoch. */
  readonly at: number;
  /** The key of the item that is selected, "" for none. */
  readonly item: string;
  /** Which of the item's reconciles, counted from 1; 0 for the item itself. */
  readonly n: number;
  /** Whose the item is, "" where no other controller has one of that name (and in links from before there was that). */
  readonly controller: string;
  /** What is searched for, "" for nothing. */
  readonly q: string;
}

/** hashOf writes a moment as the part of a link behind the page's address. */
export function hashOf({ at, item, n, controller, q }: Moment): string {
  const sel = item === "" ? "" : `&sel=${encodeURI(item)}${n > 0 ? `@${String(n)}` : ""}`;
  const whose = controller === "" ? "" : `&in=${encodeURIComponent(controller)}`;
  return `#at=${String(Math.round(at))}${sel}${whose}${q === "" ? "" : `&q=${encodeURIComponent(q)}`}`;
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
  return { at, item, n: Number(n), controller: named.get("in") ?? "", q: searchOf(hash) };
}

/** momentNow is what the page shows. */
export function momentNow(app: App): Moment {
  const selection = app.selection.get();
  const run = app.model.reconcile(selection?.reconcile ?? "");
  const n = run === undefined ? 0 : app.model.nth(run).n;
  const { item = "", controller = "" } = selection ?? {};
  const alike = item !== "" && namesakes(app.model, item).length > 1;
  return { at: app.playhead.now(), item, n, controller: alike ? controller : "", q: app.filter.get().text };
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
  private readonly history: History;
  private wanted: Moment | undefined;

  /** search is given what a link searches for. */
  constructor(app: App, history: History, tell: Tell, search: (text: string) => void) {
    this.app = app;
    this.history = history;
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
    if (moment.at >= span.from && meant(app.model, moment).wrong === "") return this.go(moment);
    this.history.need(() => {
      this.go(moment);
    });
  }

  private select(moment: Moment): void {
    const { controller, run, wrong } = meant(this.app.model, moment);
    const { selection, playhead } = this.app;
    const show = (): void => {
      if (controller !== "") selection.set({ controller, item: moment.item, reconcile: run?.key ?? "" });
    };
    if (wrong === "") return show();
    if (run === undefined) return this.tell(wrong, "OK");
    this.tell(wrong, "Go there", () => {
      show();
      playhead.seek(run.start);
    });
  }

  private go(moment: Moment): void {
    const { app } = this;
    const oldest = app.model.span()?.from ?? 0;
    const end = app.recording === undefined ? Infinity : app.watch.hubNow();
    if (moment.at >= oldest && moment.at <= end) {
      app.playhead.seek(moment.at);
      return this.select(moment);
    }
    const said = (t: number): string => dated(t, app.zone(), app.watch.hubNow());
    const nearest = moment.at < oldest ? oldest : end;
    const gone = app.recording === undefined ? "no longer kept. The oldest" : "not in this recording. The nearest";
    this.tell(`The moment of this link, ${said(moment.at)}, is ${gone} is ${said(nearest)}.`, "Go there", () => {
      app.playhead.seek(nearest);
    });
  }
}

/** What a link selects. */
interface Meant {
  readonly controller: string;
  readonly run: Reconcile | undefined;
  /** Why it cannot be, "" when it can; run is then the nearest to it that there is. */
  readonly wrong: string;
}

/** meant finds what a link selects. One that does not say whose the item is means the reconcile of its moment. */
export function meant(model: Model, moment: Moment): Meant {
  const { item, n } = moment;
  const off = (run: Reconcile | undefined): number => (run === undefined ? Infinity : distance(run, moment.at));
  const found = namesakes(model, item).map((controller) => {
    const runs = n === 0 ? [] : model.reconcilesOf(controller, item);
    return { controller, runs, run: runs.find((run) => model.nth(run).n === n) };
  });
  const named = found.filter(({ controller }) => controller === moment.controller);
  const [best] = named.length > 0 ? named : found.sort((a, b) => compare(off(a.run), off(b.run)));
  if (best === undefined) {
    const wrong = item === "" ? "" : `The item of this link, ${item}, is not known here.`;
    return { controller: "", run: undefined, wrong };
  }
  const { controller, run, runs } = best;
  if (n === 0 || run !== undefined) return { controller, run, wrong: "" };
  const far = (candidate: Reconcile): number => Math.abs(model.nth(candidate).n - n);
  const nearest = [...runs].sort((a, b) => far(a) - far(b))[0];
  const nth = nearest === undefined ? 0 : model.nth(nearest).n;
  const oldest = runs.at(-1);
  const gone = oldest !== undefined && model.nth(oldest).n > n ? "no longer kept" : "not known here";
  const there = nth > 0 ? ` The nearest is ${String(nth)}.` : "";
  return { controller, run: nearest, wrong: `Reconcile ${String(n)} of ${item}, in this link, is ${gone}.${there}` };
}

/** The controllers that have an item of this name. */
function namesakes(model: Model, item: string): readonly string[] {
  return model.items("").flatMap((candidate) => (candidate.item === item ? [candidate.controller] : []));
}

/** How far a moment is from a reconcile, in µs: 0 within it. */
function distance({ from, to }: Reconcile, at: number): number {
  return Math.max(0, from - at, to === 0 ? 0 : at - to);
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
