/** The script for classes, which view/classroom.ts loads: puts together what stands in the page for them. */
import { ControlElement } from "./classroom/control.ts";
import { LessonElement } from "./classroom/lesson.ts";
import { Lessons } from "./classroom/lessons.ts";
import { HubPlayer, RecordingPlayer } from "./classroom/players.ts";
import { embedLink } from "./classroom/embed.ts";
import { RoomElement } from "./classroom/room.ts";
import { Share } from "./classroom/share.ts";
import { TryItElement } from "./classroom/tryit.ts";
import { asked } from "./model/beats.ts";
import { roomReader } from "./model/room.ts";
import type { Room } from "./model/room.ts";
import type { Button, Classroom, Given } from "./view/classroom.ts";
import type { App } from "./view/app.ts";
import { say, show, the } from "./view/dom.ts";

customElements.define("tracer-control", ControlElement);
customElements.define("tracer-lesson", LessonElement);
customElements.define("tracer-room", RoomElement);
customElements.define("tracer-tryit", TryItElement);

/** classroom connects everything. Only a presenter's page has dialogs, and only that of what is live takes commands. */
export function classroom(given: Given): Classroom {
  const { app } = given;
  const read = roomReader();
  const room = (): Room | undefined => read(app.watch.room());
  const live = app.recording === undefined;
  const watches = document.body.dataset["role"] === "viewer";
  const presents = live && !watches;
  const [control, lesson, line] = [
    the("control", ControlElement),
    the("lesson", LessonElement),
    the("room", RoomElement),
  ];
  control.connect(given, presents ? the("control-toggle", HTMLButtonElement) : undefined);
  // What is live moves a viewer's page by the hub, whether it follows or not.
  const led = (): boolean => watches && (live || line.follows());
  const recorded = live ? undefined : new RecordingPlayer(app, room, led);
  const player = recorded ?? new HubPlayer(app, room);
  const offer = recorded && lessonOffer(app, recorded, led);
  lesson.connect(given, player, led);
  line.connect(given, room, () => (live ? undefined : asked(player.lesson())));
  const presenter = watches ? undefined : presenterParts(given, room);
  return {
    step: () => {
      line.step();
      lesson.step();
    },
    paint: () => {
      for (const part of [control, lesson, line, offer, presenter?.share, presenter?.tryIt]) part?.paint();
    },
    turn: (direction) => {
      lesson.turn(direction);
    },
    pauseOrResume: () => {
      control.pauseOrResume();
    },
    lift: (command) => {
      control.lift(command);
    },
    stepBy: (by) => {
      control.step(by);
    },
    press: (button) => {
      presenter?.press[button]?.();
      app.wake();
    },
    embed: () => embedLink(given.tell),
    tryIt: () => {
      presenter?.tryIt?.open(true);
    },
    escape: () => presenter?.tryIt?.escape() === true,
  };
}

/** The button at a recording's name that goes to the lesson in it, and out of it again. */
function lessonOffer(app: App, player: RecordingPlayer, led: () => boolean): { readonly paint: () => void } {
  const button = the("recorded-lesson", HTMLButtonElement);
  button.addEventListener("click", () => {
    player.enter(player.offer()?.shown === false);
    app.wake();
  });
  return {
    paint: () => {
      const offer = player.offer();
      show(button, offer !== undefined && !led());
      if (offer !== undefined) say(button, offer.shown ? "Leave the lesson" : `Go to the lesson in it: ${offer.title}`);
    },
  };
}

/** What only a presenter has, and what the buttons in the page's head do. */
interface Presenter {
  readonly share: Share;
  readonly tryIt?: TryItElement;
  readonly press: Readonly<Partial<Record<Button, () => void>>>;
}

function presenterParts(given: Given, room: () => Room | undefined): Presenter {
  const { app } = given;
  const share = new Share(app, room, the("share", HTMLDialogElement));
  const openShare = (): void => {
    share.open();
  };
  if (app.recording !== undefined) return { share, press: { "share-open": openShare } };
  const lessons = new Lessons(app, the("lessons", HTMLDialogElement));
  const tryIt = the("tryit", TryItElement);
  tryIt.connect(given, the("tryit-toggle", HTMLButtonElement));
  const press = {
    "share-open": openShare,
    "lessons-open": () => {
      lessons.open();
    },
    "tryit-toggle": () => {
      tryIt.press();
    },
  };
  return { share, tryIt, press };
}
