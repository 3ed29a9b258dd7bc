/** The one line above the map that says how it stands with the connection, in words, and what one can do. */
import { SECOND, clock, count, duration } from "../base/time.ts";
import type { Lane } from "../model/types.ts";
import type { Connection } from "../net/types.ts";
import type { App } from "./app.ts";
import { attr, h, show } from "./dom.ts";
import { plural } from "./words.ts";

/** After how long without a reconcile the page says so. */
const idleAfter = 20 * SECOND;

/** For how many milliseconds something is told; four times as long when it offers something. */
const toldFor = 4000;

interface Words {
  readonly text: string;
  readonly tone: "quiet" | "ok" | "warn" | "error";
  readonly button?: string;
  readonly press?: () => void;
}

export class NoticeElement extends HTMLElement {
  private app: App | undefined;
  private readonly text = h("span");
  private readonly button = h("button", { class: "link", type: "button" });
  private press: (() => void) | undefined;
  private tryIt: (() => void) | undefined;
  private told: Words | undefined;
  private forgetting = 0;
  /** How many rows that could not be read have been taken note of. */
  private noted = 0;

  /** tryIt opens the panel of actions; undefined when there is none. */
  connect(app: App, tryIt: (() => void) | undefined): void {
    this.app = app;
    this.tryIt = tryIt;
    this.append(this.text, this.button);
    this.button.addEventListener("click", () => this.press?.());
  }

  /** Says something for a while: what a key has done, what could not be done. */
  tell(text: string, button?: string, press?: () => void): void {
    const done = (): void => {
      this.told = undefined;
      press?.();
      this.app?.wake();
    };
    this.told = button === undefined ? { text, tone: "ok" } : { text, tone: "warn", button, press: done };
    clearTimeout(this.forgetting);
    this.forgetting = window.setTimeout(
      () => {
        this.told = undefined;
        this.app?.wake();
      },
      button === undefined ? toldFor : 4 * toldFor,
    );
    this.app?.wake();
  }

  /** Says no more what does not hold any longer. */
  hush(): void {
    this.told = undefined;
    this.app?.wake();
  }

  paint(): void {
    const app = this.app;
    if (app === undefined) return;
    const words = app.recording === undefined ? this.liveWords(app) : this.recordedWords(app);
    show(this, words !== undefined);
    if (words === undefined) return;
    if (this.text.textContent !== words.text) this.text.textContent = words.text;
    attr(this, "data-tone", words.tone);
    show(this.button, words.button !== undefined);
    if (this.button.textContent !== (words.button ?? "")) this.button.textContent = words.button ?? "";
    this.press = words.press;
  }

  private liveWords(app: App): Words | undefined {
    return this.connectionWords(app) ?? this.told ?? this.idleWords(app);
  }

  /** A recording that has come is there whole, whatever becomes of the hub. */
  private recordedWords(app: App): Words | undefined {
    const broken = app.model.version === 0 ? this.connectionWords(app) : this.brokenWords(app);
    return broken ?? this.told ?? endWords(app);
  }

  private connectionWords(app: App): Words | undefined {
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
    return this.brokenWords(app);
  }

  /** Said until somebody has taken note of it, and again when there are more. */
  private brokenWords({ watch }: App): Words | undefined {
    const bad = watch.malformed();
    if (bad === this.noted) return undefined;
    const text = `${plural(bad, "row", "rows")} could not be read and ${bad === 1 ? "was" : "were"} skipped · ${watch.problem()}`;
    const press = (): void => {
      this.noted = bad;
      this.app?.wake();
    };
    return { text, tone: "warn", button: "OK", press };
  }

  private idleWords(app: App): Words | undefined {
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
    // A lesson says itself what to do, and what is held is no idleness.
    if (document.body.classList.contains("has-lesson") || app.model.holdsAt("", now).length > 0) return undefined;
    const names = listed(connected.map((lane) => lane.name));
    const last = app.model.recent("", 1)[0];
    if (last === undefined) return this.suggest(`Connected to ${names}. No reconciles yet.`);
    if (last.to === 0 || now - last.to < idleAfter) return undefined;
    return this.suggest(`Connected to ${names}. No reconciles for ${duration(now - last.to)}.`);
  }

  private suggest(text: string): Words {
    if (this.tryIt === undefined) return { text, tone: "quiet" };
    const there = this.app?.model.items("").some(({ gone }) => gone !== true) === true;
    return { text: `${text} Try:`, tone: "quiet", button: `${there ? "scale" : "create"} a PodSet`, press: this.tryIt };
  }
}

/** Said when a recording has been played. */
function endWords({ playhead, model }: App): Words | undefined {
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
        text: `Connected again. ${how.rows === 0 ? "Nothing was missed" : `Caught up ${count(how.rows)}`}`,
        tone: "ok",
      };
    case "gap":
      return how.reconciles > 0
        ? {
            text: `Connected again. ${plural(how.reconciles, "reconcile", "reconciles")} in between ${how.reconciles === 1 ? "is" : "are"} only counted`,
            tone: "warn",
          }
        : { text: "Connected again. The picture is whole from here on", tone: "ok" };
    case "new_epoch":
      return { text: "The hub has started again with new data", tone: "warn" };
  }
}
