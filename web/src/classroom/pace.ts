/** A live lesson in step with the picture: what a beat waited for is told once the picture has shown it. */
import type { Lesson } from "../model/lesson.ts";
import type { App } from "../view/app.ts";

/** The picture is at most so far behind what has happened, µs. */
const longest = 2_500_000;
/** What is at rest has been so for a while, as what is drawn next may come a moment later, µs. */
const still = 200_000;
/** How often the picture is looked at meanwhile, ms. */
const look = 100;

type Scene = NonNullable<ReturnType<App["scene"]>>;
type Seen = Pick<App, "scene" | "playhead" | "wake"> & { readonly watch: Pick<App["watch"], "hubNow"> };

export class Pace {
  private readonly app: Seen;
  private told: Lesson | undefined;
  private shown: Lesson | undefined;
  /** When the page heard that the beat is done, by the hub's clock; undefined while nothing is held back. */
  private since: number | undefined;
  /** When the picture was last seen not to have got there. */
  private moved = 0;

  constructor(app: Seen) {
    this.app = app;
  }

  /** What is to be shown of the lesson that the hub tells: the same object until that changes. */
  of(told: Lesson | undefined): Lesson | undefined {
    const { app } = this;
    const now = app.watch.hubNow();
    if (told !== this.told) {
      this.told = told;
      const held = finishes(this.shown, told);
      this.since = held ? (this.since ?? now) : undefined;
      this.shown = held ? coming(told, this.shown) : told;
    }
    if (this.since === undefined || told === undefined) return this.shown;
    const scene = app.scene();
    const there = scene !== undefined && scene.t >= this.since && atRest(scene, told.sel.item.split("/")[0] ?? "");
    if (!there) this.moved = now;
    // A picture that does not follow is not waited for.
    if (!app.playhead.following || now - this.since >= longest || now - this.moved >= still) {
      this.since = undefined;
      this.shown = told;
    } else
      setTimeout(() => {
        app.wake();
      }, look);
    return this.shown;
  }
}

function finishes(shown: Lesson | undefined, told: Lesson | undefined): told is Lesson {
  return told?.state === "done" && shown?.id === told.id && shown.beat === told.beat && shown.state !== "done";
}

/** The beat while the picture is on its way: all has come, and nothing is told of it. */
function coming(told: Lesson, shown: Lesson | undefined): Lesson {
  const { question } = told;
  const asked = question && { ...question, reveal: false };
  const came = question === undefined ? told.came : [];
  const sel = shown?.sel ?? told.sel;
  return {
    ...told,
    state: "waiting",
    next: "",
    after: "",
    lifted: "",
    waitingFor: onItsWay,
    came,
    question: asked,
    sel,
  };
}

export const onItsWay = "the picture, which is on its way";

/** atRest says that nothing of a namespace moves, is queued or is worked on, but for workers that are held. */
export function atRest({ tokens, edges, lanes }: Scene, namespace: string): boolean {
  const mine = ({ item }: { readonly item: string }): boolean => item === "" || item.startsWith(`${namespace}/`);
  const isHeld = ({ lane, node, item }: Scene["tokens"][number]): boolean =>
    lanes.some(({ held }) => held.some((one) => one.lane === lane && one.node === node && one.item === item));
  // Tokens on their way are not drawn where motion is not wanted, nor in a flow.
  if (edges.some(({ edge }) => edge !== "cache-fetch") && !tokens.some(({ edge }) => edge !== undefined)) return false;
  return !tokens.some((token) => mine(token) && !isHeld(token)) && !lanes.some(({ queue }) => queue.some(mine));
}
