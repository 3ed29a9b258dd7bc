/** What only a presenter or a class needs is a script of its own: actions, commands, the room, lessons. It is loaded once it has something to do. */
import type { Control } from "../base/rows.gen.ts";
import type { App } from "./app.ts";
import { offer, prefer } from "./choices.ts";
import { show } from "./dom.ts";
import type { Tell } from "./link.ts";

/** What the script is given. */
export interface Given {
  readonly app: App;
  /** The name by which the hub knows this page. */
  readonly page: string;
  /** Sets the filter's text. */
  readonly seek: (text: string) => void;
  /** How many things have been done on this page by itself: selected, searched, moved in time. */
  readonly acts: () => number;
  /** Says something for a while. */
  readonly tell: Tell;
  /** Brings a controller's lane into sight. */
  readonly reveal: (controller: string) => void;
  /** Opens a reconcile in the panel, and lights a write of it, "" for none. */
  readonly go: (reconcile: string, write: string) => void;
  /** Fills a choice, and keeps what was chosen. */
  readonly offer: (select: HTMLSelectElement, names: readonly string[]) => void;
  /** Makes a name the choice, as soon as it is there. */
  readonly prefer: (select: HTMLSelectElement, name: string) => void;
  /** Fits everything to the room and the letters that it has now. */
  readonly relaid: () => void;
}

/** What the script does. step is called before each picture, paint at most ten times a second. */
export interface Classroom {
  step(): void;
  paint(): void;
  /** Moves the lesson on or back. */
  turn(direction: 1 | -1): void;
  /** Opens the commands, then pauses and resumes the controller. */
  pauseOrResume(): void;
  /** Ends a command that stands. */
  lift(command: Control): void;
  /** Steps the controller, while the commands are open. */
  stepBy(by: "phase" | "reconcile"): void;
  /** Does what a button in the page's head is for. */
  press(button: Button): void;
  /** Asks the hub for a frame to paste into another site and copies it; answers in words. */
  embed(): Promise<string>;
  /** Opens the actions. */
  tryIt(): void;
  /** Closes the actions; answers whether they were there to be closed. */
  escape(): boolean;
}

const buttons = ["share-open", "lessons-open", "tryit-toggle"] as const;

/** The buttons of the script, by their ids. They stand in a presenter's page of what is live. */
export type Button = (typeof buttons)[number];

/** ClassroomLoader loads the script. Until then there is nothing to turn, to pause or to step. */
export class ClassroomLoader {
  classroom: Classroom | undefined;
  private readonly given: Given;
  private loading: Promise<void> | undefined;
  /** What the page shows needs it, and it was asked for once: after that only presses ask. */
  private asked = false;

  /** given lacks what is counted here. */
  constructor(given: Omit<Given, "acts" | "offer" | "prefer">) {
    const { app } = given;
    let chosen = 0;
    const count = (): void => {
      chosen++;
    };
    app.selection.subscribe(count);
    app.filter.subscribe(count);
    this.given = { ...given, offer, prefer, acts: () => app.playhead.moves + chosen };
    for (const id of buttons) {
      const button = document.getElementById(id);
      if (button === null) continue;
      show(button, true);
      button.addEventListener("click", () => {
        this.use((classroom) => {
          classroom.press(id);
        });
      });
    }
  }

  step(): void {
    this.classroom?.step();
  }

  paint(): void {
    if (!this.asked && needed(this.given.app)) {
      this.asked = true;
      void this.load();
    }
    this.classroom?.paint();
  }

  /** Does something with the script, once it is there. */
  use(what: (classroom: Classroom) => void): void {
    void this.load().then(() => {
      if (this.classroom !== undefined) what(this.classroom);
    });
  }

  private load(): Promise<void> {
    this.loading ??= import("/static/classroom.js").then(
      ({ classroom }) => {
        this.classroom = classroom(this.given);
        this.given.app.wake();
      },
      () => {
        this.loading = undefined;
        this.given.tell("The hub did not send the script for classes.", "Reload the page", () => {
          location.reload();
        });
      },
    );
    return this.loading;
  }
}

/** Whether there is something to show: a room that others can be in, a controller that takes commands or stands, a recorded lesson. */
function needed({ model, watch, recording }: App): boolean {
  const now = watch.hubNow();
  if (model.controlsAt(now).length > 0 || model.holdsAt("", now).length > 0) return true;
  if (recording !== undefined && model.beats().length > 0) return true;
  const room = watch.room();
  if (room === undefined) return false;
  const { viewers, lesson } = room;
  const joined = document.querySelector("#room[data-shared], body[data-role=viewer]") !== null;
  if (joined || viewers !== 0) return true;
  return (
    recording === undefined &&
    (lesson !== null || model.lanes(now).some(({ controller }) => controller.control === true))
  );
}

/** pageName makes a name for this page. Without TLS there is no randomUUID. */
export function pageName(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(3)), (n) => n.toString(36)).join("");
}
