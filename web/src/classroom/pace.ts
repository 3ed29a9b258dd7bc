/** A live lesson in step with the picture: what a beat waited for is told once the picture has shown it. */
import type { Lesson } from "../model/lesson.ts";
import type { App } from "../view/app.ts";

/** The picture is at most so far behind what has happened, µs. */
const longest = 2_500_000;
/** What is at rest has been so for a while: what is drawn next may come a moment later, ms. */
const still = 200;
/** How often the picture is looked at meanwhile, ms. */
const look = 100;

type Scene = NonNullable<ReturnType<App["scene"]>>;
type Seen = Pick<App, "scene" | "playhead" | "wake"> & { readonly watch: Pick<App["watch"], "hubNow"> };

export class Pace {
  private readonly app: Seen;
  private told: Lesson | undefined;
  private shown: Lesson | undefined;
  /** When the page heard that the beat is done, hub's clock; undefined while nothing is held back. */
  private since: number | undefined;
  private restedAt = Infinity;

  constructor(app: Seen) {
    this.app = app;
  }

  /** What is to be shown of the lesson that the hub tells: the same object until that changes. */
  of(told: Lesson | undefined): Lesson | undefined {
    if (told !== this.told) this.hear(told);
    if (this.since === undefined) return this.shown;
    if (told !== undefined && !this.drawn(told, this.since)) {
      setTimeout(() => {
        this.app.wake();
      }, look);
      return this.shown;
    }
    this.since = undefined;
    this.shown = told;
    return told;
  }

  private hear(told: Lesson | undefined): void {
    this.told = told;
    if (finishes(this.shown, told)) {
      if (this.since === undefined) this.restedAt = Infinity;
      this.since ??= this.app.watch.hubNow();
      this.shown = coming(told, this.shown);
    } else {
      this.since = undefined;
      this.shown = told;
    }
  }

  /** Whether the picture has got to what had happened by then. One that does not follow is not waited for. */
  private drawn({ sel }: Lesson, since: number): boolean {
    const { app } = this;
    if (!app.playhead.following || app.watch.hubNow() - since >= longest) return true;
    const scene = app.scene();
    if (scene === undefined || scene.t < since || !atRest(scene, sel.item.split("/")[0] ?? "")) {
      this.restedAt = Infinity;
      return false;
    }
    this.restedAt = Math.min(this.restedAt, performance.now());
    return performance.now() - this.restedAt >= still;
  }
}

function finishes(shown: Lesson | undefined, told: Lesson | undefined): told is Lesson {
  return told?.state === "done" && shown?.id === told.id && shown.beat === told.beat && shown.state !== "done";
}

/** The beat while the picture is on its way: all has come, and nothing is told of it. */
function coming(told: Lesson, shown: Lesson | undefined): Lesson {
  const { question } = told;
  const asked = question && { ...question, open: false, reveal: false, tally: [], right: -1, because: "" };
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
