/** The line that says who follows whom: a viewer's page follows the presenter's, which tells what it shows. */
import { Follower } from "../model/room.ts";
import type { Meaning, Presenter, Room } from "../model/room.ts";
import type { App } from "../view/app.ts";
import type { Given } from "../view/classroom.ts";
import { part, say, show } from "../view/dom.ts";
import { plural } from "../view/words.ts";
import { ask } from "./ask.ts";
import { Way, keep, kept } from "./way.ts";

/** How often a page tells at most, in ms. It is doubled for each time in a row that it was not heard, so often at most. */
const tellEvery = 100;
const mostDoubled = 7;

/** For how long the presenter may be gone, as for a reload, before it is said, ms. */
const awayAfter = 2_000;

/** What the line says, and its buttons. */
interface Line {
  readonly said: string;
  readonly main?: readonly [string, () => void];
  readonly other?: readonly [string, () => void];
}

export class RoomElement extends HTMLElement {
  private given: Given | undefined;
  private room: () => Room | undefined = () => undefined;
  private follower = new Follower();
  private readonly way = new Way();
  /** How many of the page's own actions are dealt with. */
  private dealt = 0;
  private presented = false;
  /** What the presenter asks, and what of it was told last. */
  private asks: () => object | undefined = () => undefined;
  private asked = "";
  private toldAt = -Infinity;
  private told = "";
  /** How often in a row the hub has not heard. */
  private unheard = 0;
  private awaySince: number | undefined;
  private presses: readonly ((() => void) | undefined)[] = [];

  /** asks is what the lesson asks viewers that is shown here. */
  connect(given: Given, room: () => Room | undefined, asks: () => object | undefined): void {
    this.given = given;
    this.asks = asks;
    this.room = room;
    this.follower = new Follower(given.app.recording, kept());
    for (const [i, name] of ["main", "other"].entries()) {
      part(this, name).addEventListener("click", () => {
        this.presses[i]?.();
        given.app.wake();
      });
    }
  }

  /** Whether this page is the presenter's to move; also before the room is known. */
  follows(): boolean {
    return this.watches() && this.follower.standing === "following";
  }

  /** Follows, or tells what is shown. It is called before each picture. */
  step(): void {
    const room = this.room();
    if (this.given === undefined || room === undefined) return;
    if (this.watches()) this.follow(this.given, room);
    else this.present(this.given, room);
  }

  paint(): void {
    const { given } = this;
    const room = this.room();
    const line = given === undefined || room === undefined ? undefined : this.line(given, room);
    show(this, line !== undefined);
    if (line === undefined) return;
    const held = document.activeElement;
    say(part(this, "said"), line.said);
    for (const [name, button] of [["main", line.main] as const, ["other", line.other] as const]) {
      show(part(this, name), button !== undefined);
      say(part(this, name), button?.[0] ?? "");
    }
    this.presses = [line.main?.[1], line.other?.[1]];
    // The button that had the focus is gone: the next Tab goes on from here.
    if (held?.checkVisibility() === false) this.focus();
  }

  private watches(): boolean {
    return document.body.dataset["role"] === "viewer";
  }

  private follow(given: Given, room: Room): void {
    this.follower.begin(room);
    if (given.acts() !== this.dealt) this.follower.acted();
    const meaning = this.follower.hear(room);
    if (meaning !== undefined) this.apply(given, meaning);
    this.way.seek(this.follower.elsewhere(room));
    if (!this.way.gone) keep(this.follower.keeps);
    this.dealt = given.acts();
    const { state } = given.app.watch.connection();
    const following = this.follower.standing === "following";
    // The hub believes that who connects follows.
    if (state === "lost" || state === "connecting") this.told = "";
    else if (this.told !== String(following) && !(this.told === "" && following)) {
      if (!this.mayTell(given.app)) return;
      this.told = String(following);
      this.tell("following", { following });
    }
  }

  private apply({ app, seek }: Given, meaning: Meaning): void {
    const [before, { sel, q }] = [app.selection.get(), meaning];
    const same =
      before?.controller === sel?.controller && before?.item === sel?.item && before?.reconcile === sel?.reconcile;
    if (app.filter.get().text !== q) seek(q);
    if (!same) app.selection.set(sel);
    app.playhead.show(meaning);
  }

  /** What the page shows, for the hub. */
  private shown({ playhead, selection, filter, recording = "" }: App): object {
    const [sel = null, question = null] = [selection.get(), this.asks()];
    return { recording, ...playhead.meaning(), sel, q: filter.get().text, question };
  }

  private present({ app, page, acts: count }: Given, room: Room): void {
    const mine = room.presenter.page === page;
    const { state } = app.watch.connection();
    if (state === "lost" || state === "connecting" || (room.presenter.here && !mine)) return;
    this.presented = true;
    const [acts, asked] = [count(), JSON.stringify(this.asks())];
    if (mine && room.presenter.here && acts === this.dealt && asked === this.asked) return;
    if (!this.mayTell(app)) return;
    [this.dealt, this.asked] = [acts, asked];
    this.tell("presenter", this.shown(app));
  }

  /** Whether it is time to tell again. Where it is not, this is asked again when it is. */
  private mayTell(app: App): boolean {
    const due = performance.now() - this.toldAt >= this.pause();
    if (!due && this.unheard === 0) app.wake();
    return due;
  }

  private pause(): number {
    return tellEvery * 2 ** Math.min(this.unheard, mostDoubled);
  }

  /** A word that was not heard is said again. */
  private tell(what: "presenter" | "following", body: object): void {
    this.toldAt = performance.now();
    void ask(`room/${what}`, { page: this.given?.page, ...body }, undefined, "PUT").then(({ refused }) => {
      const ok = refused === "";
      this.unheard = ok ? 0 : this.unheard + 1;
      if (ok) return;
      this.told = "unheard";
      if (!this.watches()) this.dealt = -1;
      setTimeout(() => this.given?.app.wake(), this.pause());
    });
  }

  private line(given: Given, room: Room): Line | undefined {
    return this.watches() ? this.viewerLine(room) : this.presenterLine(given, room);
  }

  private viewerLine({ presenter }: Room): Line {
    const { standing } = this.follower;
    const back = (): void => {
      this.follower.back();
    };
    const out = (): void => {
      this.follower.out();
    };
    if (!presenter.here) {
      this.awaySince ??= performance.now();
      if (presenter.page === "") return { said: "The presenter is not here yet" };
      if (performance.now() - this.awaySince > awayAfter) {
        // The pages of a recorded lesson are turned by who goes on alone.
        if (standing === "following" && this.given?.app.recording !== undefined)
          return { said: "The presenter is away", other: ["Go on by myself", out] };
        return { said: "The presenter is away; you go on by yourself" };
      }
    } else this.awaySince = undefined;
    switch (standing) {
      case "following":
        return {
          said: this.way.lost ? lostSaid(presenter) : "You follow the presenter",
          other: ["Go on by myself", out],
        };
      case "left":
        return { said: "You left the presenter", main: ["Return", back] };
      case "out":
        if (this.follower.called) return { said: "The presenter calls everyone back", main: ["Return", back] };
        return { said: "You go on by yourself", other: ["Follow the presenter", back] };
    }
  }

  private presenterLine({ app, page, tell }: Given, room: Room): Line | undefined {
    if (room.viewers === 0 && !this.hasAttribute("data-shared")) return undefined;
    if (room.presenter.here && room.presenter.page !== page) {
      const take = (): void => {
        void ask("room/presenter", { page, take: true, ...this.shown(app) }, tell, "PUT");
      };
      const said = this.presented ? "Another page of yours has taken over" : "Another page of yours presents";
      return { said: `${said}: viewers follow that one`, main: ["Take over", take] };
    }
    if (room.viewers === 0) return undefined;
    const call = (): void => {
      void ask("room/call", {}, tell);
    };
    const said = `${plural(room.viewers, "viewer watches", "viewers watch")}, ${following(room)}`;
    return room.following < room.viewers ? { said, main: ["Call everyone back", call] } : { said };
  }
}

/** Said while the page cannot go where the presenter is. */
function lostSaid({ recording }: Presenter): string {
  const what = recording === "" ? "what is live" : `the recording ${recording}`;
  return `The presenter shows ${what}, which cannot be opened now. This page tries again`;
}

function following({ viewers, following: n }: Room): string {
  if (n === viewers) return viewers === 1 ? "and follows you" : "and all follow you";
  return n === 0 ? "and nobody follows you" : `${String(n)} ${n === 1 ? "follows" : "follow"} you`;
}
