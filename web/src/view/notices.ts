/** What the line above the map says of each state, and what one can do there. Pure. */
import { SECOND, clock, count, countdown, duration } from "../base/time.ts";
import type { Control, Reconcile } from "../base/rows.gen.ts";
import type { Lane } from "../model/types.ts";
import type { Connection } from "../net/types.ts";
import type { App } from "./app.ts";
import { forceSaid, holdsWatch, plural } from "./words.ts";

/** After how long without a reconcile the page says so. */
const idleAfter = 8 * SECOND;

/** So much before the end of the last reconcile is played again, and so long its tokens are on their way after it. */
const replayed = 10 * SECOND;
const onTheWay = 4 * SECOND;

export interface Words {
  readonly text: string;
  readonly tone: "quiet" | "ok" | "warn" | "error";
  readonly button?: string;
  readonly press?: () => void;
  /** What one can do besides. */
  readonly also?: { readonly button: string; readonly press: () => void };
}

/** What the line itself knows. */
export interface Asked {
  /** What is told for a while. */
  readonly told: Words | undefined;
  /** How many rows that could not be read have been taken note of. */
  noted: number;
  /** Opens the panel of actions; undefined when there is none. */
  readonly tryIt: (() => void) | undefined;
  /** Lifts a command; undefined for who gives none. */
  readonly lift: ((command: Control) => void) | undefined;
  readonly lesson: boolean;
}

type Shown = Pick<App, "model" | "watch" | "playhead" | "recording" | "zone" | "wake">;

/** noticeOf is what the line says, the most urgent first; undefined when there is nothing to say. */
export function noticeOf(app: Shown, asked: Asked): Words | undefined {
  if (app.recording === undefined) return connectionWords(app, asked) ?? asked.told ?? idleWords(app, asked);
  // A recording that has come is there whole, whatever becomes of the hub.
  const broken = app.model.version === 0 ? connectionWords(app, asked) : brokenWords(app, asked);
  return broken ?? asked.told ?? endWords(app);
}

/**
 * partsOf takes a text apart: a first sentence before others, which can be missed, the rest, and a last one that asks
 * for something, before the links.
 */
export function partsOf(text: string): readonly [lead: string, rest: string, ask: string] {
  const ask = /(?<=\. )[^.]*:$/.exec(text)?.[0] ?? "";
  const said = text.slice(0, text.length - ask.length);
  const lead = /^.*?\. (?=\S)/.exec(said)?.[0] ?? "";
  return [lead, said.slice(lead.length), ask];
}

function connectionWords(app: Shown, asked: Asked): Words | undefined {
  const connection = app.watch.connection();
  if (connection.state === "lost") {
    const retry = (): void => {
      app.watch.tryNow();
    };
    const full = connection.code === "full" ? `${connection.reason}. ` : "";
    const text = `${full}Reconnecting in ${String(app.watch.secondsToRetry())} s`;
    return { text, tone: "error", button: "Try now", press: retry };
  }
  const silent = app.watch.silentFor();
  if (silent > 0) return { text: `No word from the hub for ${String(silent)} s`, tone: "error" };
  if (connection.state === "restored") return restoredWords(connection);
  return brokenWords(app, asked);
}

/** Said until somebody has taken note of it, and again when there are more. */
function brokenWords(app: Shown, asked: Asked): Words | undefined {
  const bad = app.watch.malformed();
  if (bad === asked.noted) return undefined;
  const text = `${plural(bad, "row could not be read and was", "rows could not be read and were")} skipped · ${app.watch.problem()}`;
  const press = (): void => {
    asked.noted = bad;
    app.wake();
  };
  return { text, tone: "warn", button: "OK", press };
}

function idleWords(app: Shown, { lesson, tryIt, lift }: Asked): Words | undefined {
  if (app.watch.connection().state !== "live" || !app.playhead.following) return undefined;
  const now = app.watch.hubNow();
  const lanes = app.model.lanes(now);
  if (lanes.length === 0) return undefined;
  const connected = lanes.filter((lane) => lane.controller.connected);
  if (connected.length === 0) return awayWords(lanes, app.zone());
  const blind = connected.find((lane) => (lane.controller.watchError ?? "") !== "");
  if (blind !== undefined) {
    const text = `${blind.name} cannot watch ${blind.controller.watchError ?? ""}: what happens there is not seen until that is mended.`;
    return { text, tone: "warn" };
  }
  // What is held is no idleness.
  if (lesson || app.model.holdsAt("", now).length > 0) return undefined;
  const inForce = app.model.controlsAt(now).filter(({ command }) => hinders.has(command));
  const watchHeld = inForce.find(holdsWatch);
  if (watchHeld !== undefined) return forceWords(watchHeld, now, lift);
  const names = listed(connected.map((lane) => lane.name));
  const last = app.model.recent("", 1)[0];
  if (last !== undefined && (last.to === 0 || now - last.to < idleAfter)) return undefined;
  const [force] = inForce.sort((a, b) => Number(b.command === "pause") - Number(a.command === "pause"));
  if (force !== undefined) return forceWords(force, now, lift);
  if (last === undefined) return suggest(`Connected to ${names}. No reconciles yet.`, app, tryIt);
  const press = (): void => {
    again(app, last);
  };
  const idle = suggest(`Connected to ${names}. No reconciles for ${duration(now - last.to)}.`, app, tryIt);
  return { ...idle, also: { button: "Play the last ones again", press } };
}

/** Plays the last reconciles again, and follows what is live when they are over. */
function again({ model, playhead }: Shown, last: Reconcile): void {
  const since = last.to - replayed;
  const first = model.recent("", 500).filter(({ from }) => from >= since);
  const from = Math.min(last.from, ...first.map((run) => run.from));
  playhead.playFrom(from - SECOND / 2, last.to + onTheWay);
}

/** Commands under which what one tries does not go as it would. */
const hinders = new Set(["pause", "slow", "fault"]);

/** Said while such a command stands: what it does, and how long it has left. */
function forceWords(command: Control, now: number, lift: Asked["lift"]): Words {
  const { until = 0 } = command;
  // A pause ends long after whoever paused: it is resumed.
  const paused = command.command === "pause";
  const left = paused || until <= now ? "" : `, ${countdown(until - now)} left`;
  const text = `${forceSaid(command)}${left}`;
  if (lift === undefined) return { text: `${text}.`, tone: "quiet" };
  const press = (): void => {
    lift(command);
  };
  return { text: `${text}:`, tone: "quiet", button: paused ? "Resume" : "Lift", press };
}

function suggest(text: string, { model }: Shown, tryIt: (() => void) | undefined): Words {
  if (tryIt === undefined) return { text, tone: "quiet" };
  const there = model.items("").some(({ gone }) => gone !== true);
  return { text: `${text} Try:`, tone: "quiet", button: `${there ? "scale" : "create"} a PodSet`, press: tryIt };
}

/** Said when a recording has been played. */
function endWords({ playhead, model }: Shown): Words | undefined {
  if (!playhead.ended) return undefined;
  const press = (): void => {
    playhead.playFrom(model.span()?.from ?? 0);
  };
  return { text: "The recording ends here.", tone: "quiet", button: "Play again", press };
}

/** Said when the hub is there and no controller is: since when the last of them has not been heard. */
function awayWords(lanes: readonly Lane[], zone: number): Words {
  const heard = Math.max(...lanes.map((lane) => lane.controller.heard));
  const who = lanes.length === 1 ? (lanes[0]?.name ?? "The controller") : "No controller";
  const since = heard > 0 ? ` since ${clock(heard, zone)}` : "";
  const text = lanes.length === 1 ? `${who} is not connected${since}.` : `${who} is connected${since}.`;
  return { text, tone: "warn" };
}

/** Names, the first few of many. */
function listed(names: readonly string[]): string {
  const more = names.length - 4;
  return more > 1 ? `${names.slice(0, 4).join(", ")} and ${String(more)} more` : names.join(", ");
}

function restoredWords({ how }: Connection & { state: "restored" }): Words {
  switch (how.kind) {
    case "caught_up":
      return {
        text: `Connected again. ${how.rows === 0 ? "Nothing was missed" : `Caught up with ${count(how.rows)} change${how.rows === 1 ? "" : "s"}`}`,
        tone: "ok",
      };
    case "gap":
      return how.reconciles > 0
        ? {
            text: `Connected again. ${plural(how.reconciles, "reconcile in between is", "reconciles in between are")} only counted`,
            tone: "warn",
          }
        : { text: "Connected again. The picture is whole from here on", tone: "ok" };
    case "new_epoch":
      return { text: "The hub has started again with new data", tone: "warn" };
  }
}
