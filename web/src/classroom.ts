/** The script for classes, which view/classroom.ts loads: puts together what stands in the page for them. */
import { ControlElement } from "./classroom/control.ts";
import { LessonElement, Lessons } from "./classroom/lesson.ts";
import { RoomElement } from "./classroom/room.ts";
import { Share } from "./classroom/share.ts";
import { roomReader } from "./model/room.ts";
import type { Classroom, Given } from "./view/classroom.ts";
import { the } from "./view/dom.ts";

customElements.define("tracer-control", ControlElement);
customElements.define("tracer-lesson", LessonElement);
customElements.define("tracer-room", RoomElement);

/** classroom connects everything. Only a presenter's page of what is live has dialogs and takes commands. */
export function classroom(given: Given): Classroom {
  const { app } = given;
  const read = roomReader();
  const room = (): ReturnType<typeof read> => read(app.watch.room());
  const live = app.recording === undefined;
  const presents = live && document.body.dataset["role"] !== "viewer";
  const [control, lesson, line] = [
    the("control", ControlElement),
    the("lesson", LessonElement),
    the("room", RoomElement),
  ];
  control.connect(app, presents ? the("control-toggle", HTMLButtonElement) : undefined);
  if (live) line.connect(given, room);
  if (live) lesson.connect(app, room);
  const share = presents ? new Share(room, the("share", HTMLDialogElement)) : undefined;
  const lessons = presents ? new Lessons(the("lessons", HTMLDialogElement)) : undefined;
  return {
    step: () => {
      line.step();
    },
    paint: () => {
      for (const part of [control, lesson, line, share]) part?.paint();
    },
    turn: (direction) => {
      lesson.turn(direction);
    },
    pauseOrResume: () => {
      control.pauseOrResume();
    },
    stepBy: (by) => {
      control.step(by);
    },
    open: (dialog) => {
      (dialog === "share" ? share : lessons)?.open();
      app.wake();
    },
  };
}
