/** The room: who watches, what the presenter shows, and whether this page follows. Pure: the view acts on it. */

/** What the panel shows. reconcile "" is the item itself. */
export interface RoomSelection {
  readonly controller: string;
  readonly item: string;
  readonly reconcile: string;
}

/** What a page shows, in the words of the model. */
export interface Meaning {
  /** The name of the recording that is shown, "" for what is live. */
  readonly recording: string;
  readonly mode: "following" | "playing" | "paused";
  /** The moment shown when the hub's clock stood at since, in µs. */
  readonly t: number;
  readonly since: number;
  readonly speed: number;
  readonly sel: RoomSelection | undefined;
  /** The filter's text. */
  readonly q: string;
}

/** The presenter. page is the name of the page that presents, "" while nobody has. */
export interface Presenter extends Meaning {
  readonly here: boolean;
  readonly page: string;
}

/** The room as the hub tells it: whole, each time it changes. */
export interface Room {
  readonly viewers: number;
  readonly following: number;
  readonly presenter: Presenter;
  /** Rises when the presenter calls everyone back. */
  readonly call: number;
  /** The state of the lesson that runs, as it came; null without one. */
  readonly lesson: unknown;
  /** What was answered to the question of the recorded lesson that the presenter shows. */
  readonly poll: Poll | undefined;
}

/** The answers to the question of a beat; how many took each choice is there once it is closed. */
export interface Poll {
  readonly beat: number;
  readonly open: boolean;
  readonly answered: number;
  readonly tally: readonly number[];
}

type Json = Readonly<Record<string, unknown>>;

/** parseRoom reads a room; undefined when it is none. */
export function parseRoom(json: unknown): Room | undefined {
  if (!isObject(json) || !isObject(json["presenter"])) return undefined;
  const p = json["presenter"];
  const mode = p["mode"] === "paused" || p["mode"] === "playing" ? p["mode"] : "following";
  const presenter: Presenter = {
    here: p["here"] === true,
    page: text(p["page"]),
    recording: text(p["recording"]),
    mode,
    t: number(p["t"]),
    since: number(p["since"]),
    speed: number(p["speed"]) || 1,
    sel: selection(p["sel"]),
    q: text(p["q"]),
  };
  const [viewers, following, call] = [json["viewers"], json["following"], json["call"]].map(number);
  return {
    viewers: viewers ?? 0,
    following: following ?? 0,
    presenter,
    call: call ?? 0,
    lesson: json["lesson"] ?? null,
    poll: isObject(json["poll"]) ? pollOf(json["poll"]) : undefined,
  };
}

function pollOf({ beat, open, answered, tally }: Json): Poll {
  return {
    beat: number(beat),
    open: open === true,
    answered: number(answered),
    tally: Array.isArray(tally) ? tally.map(number) : [],
  };
}

/** roomReader reads each room once, so that one that was not told anew is the same. What is no room leaves the one before. */
export function roomReader(): (json: unknown) => Room | undefined {
  let [told, room]: [unknown, Room | undefined] = [undefined, undefined];
  return (json) => {
    if (json !== told) room = parseRoom(json) ?? room;
    told = json;
    return room;
  };
}

function selection(json: unknown): RoomSelection | undefined {
  if (!isObject(json)) return undefined;
  return { controller: text(json["controller"]), item: text(json["item"]), reconcile: text(json["reconcile"]) };
}

/** How a viewer's page stands to the presenter: out is left for good, until it comes back by itself. */
export type Standing = "following" | "left" | "out";

/** Follower decides when a viewer's page takes over what the presenter shows. */
export class Follower {
  standing: Standing = "following";
  /** The presenter has called since this page left for good. */
  called = false;
  private call: number | undefined;
  private taken: Presenter | undefined;
  private begun = false;
  private readonly here: string;
  private readonly kept: string;

  /** here is the recording that the page shows, "" for what is live; kept is what the tab's page before gave as keeps. */
  constructor(here = "", kept = "") {
    this.here = here;
    this.kept = kept;
  }

  /** What the tab's next page is to know: out, where this one follows, or no more than it knew itself. */
  get keeps(): string {
    if (this.standing === "out") return "out";
    return this.standing === "following" ? `@${this.here}` : this.kept;
  }

  /** Finds out how the page stands at first: who has come here by itself, and not to the presenter, has left. */
  begin({ presenter: { page, recording } }: Room): void {
    if (this.begun) return;
    this.begun = true;
    const { here, kept } = this;
    const came = kept === "" ? here === "" || page === "" : kept === `@${here}`;
    if (kept === "out") this.standing = "out";
    else if (!came && recording !== here) this.standing = "left";
  }

  /** Where the presenter is while this page, which follows, is elsewhere. */
  elsewhere({ presenter: { here, recording } }: Room): string | undefined {
    return this.standing === "following" && here && recording !== this.here ? recording : undefined;
  }

  /** Hears of the room; answers what is to be shown here now, undefined when nothing is. */
  hear(room: Room): Meaning | undefined {
    if (this.call !== undefined && room.call !== this.call) this.hearCall();
    this.call = room.call;
    const { presenter } = room;
    if (this.standing !== "following" || !presenter.here || presenter === this.taken) return undefined;
    this.taken = presenter;
    return presenter.recording === this.here ? presenter : undefined;
  }

  /** The viewer did something of its own. */
  acted(): void {
    if (this.standing === "following") this.standing = "left";
  }

  /** Follows again. */
  back(): void {
    this.standing = "following";
    this.taken = undefined;
    this.called = false;
  }

  /** Goes on alone: a call is told, and does not bring it back. */
  out(): void {
    this.standing = "out";
  }

  private hearCall(): void {
    if (this.standing === "out") this.called = true;
    else this.back();
  }
}

function isObject(json: unknown): json is Json {
  return typeof json === "object" && json !== null;
}

function number(json: unknown): number {
  return typeof json === "number" && Number.isFinite(json) ? json : 0;
}

function text(json: unknown): string {
  return typeof json === "string" ? json : "";
}
