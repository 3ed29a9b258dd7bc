/** A live lesson in step with the picture: what a beat waited for is told once the picture has shown it. */
import type { Lesson } from "../model/lesson.ts";
import type { App } from "../view/app.ts";

/** The picture is hardly ever so far behind what has happened: of errors, each is shown for a while, µs. */
const longest = 8_000_000;
/** What is at rest has been so for a while, as what is drawn next may come a moment later; what stands somewhere, longer, µs. */
const still = 200_000;
const stands = 1_000_000;
/** How often the picture is looked at meanwhile, ms. */
const look = 100;

type Scene = NonNullable<ReturnType<App["scene"]>>;
type Seen = Pick<App, "scene" | "playhead" | "wake"> & {
  readonly model: Pick<App["model"], "reconcile">;
  readonly watch: Pick<App["watch"], "hubNow">;
};

export class Pace {
  private readonly app: Seen;
  private told: Lesson | undefined;
  private shown: Lesson | undefined;
  /** When the page heard that the beat is done, by the hub's clock; undefined while nothing is held back. */
  private since: number | undefined;
  /** What of the lesson stands where in the picture, and since when; undefined while it moves. */
  private standing: string | undefined;
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
    const standing = scene && scene.t >= this.since ? standingIn(scene, this.isOf(told, this.since)) : undefined;
    if (standing === undefined || standing !== this.standing) this.moved = now;
    this.standing = standing;
    const rested = now - this.moved >= (standing === "" ? still : stands);
    // A picture that does not follow is not waited for.
    if (!app.playhead.following || now - this.since >= longest || rested) {
      this.since = undefined;
      this.shown = told;
    } else
      setTimeout(() => {
        app.wake();
      }, look);
    return this.shown;
  }

  /** Whether something in the picture is of the lesson, and not of a reconcile that began later. */
  private isOf({ sel }: Lesson, since: number): (one: Drawn) => boolean {
    const namespace = sel.item.replace(/[^/]*$/, "");
    return ({ item, reconcile }) =>
      (item === "" || item.startsWith(namespace)) && !((this.app.model.reconcile(reconcile)?.start ?? 0) > since);
  }
}

interface Drawn {
  readonly item: string;
  readonly reconcile: string;
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

/** standingIn says what of the lesson is queued or at work where, "" for nothing; undefined while some of it moves. */
export function standingIn(
  { tokens, edges, lanes }: Pick<Scene, "tokens" | "edges" | "lanes">,
  isOf: (one: Drawn) => boolean,
): string | undefined {
  // Tokens on their way are not drawn where motion is not wanted, nor in a flow.
  if (edges.some(({ edge }) => edge !== "cache-fetch") && !tokens.some(({ edge }) => edge !== undefined))
    return undefined;
  const mine = tokens.filter(isOf);
  if (mine.some(({ edge }) => edge !== undefined)) return undefined;
  const queued = lanes.flatMap(({ queue }) => queue.filter(isOf));
  return [...mine.map(({ id, node }) => id + (node ?? "")), ...queued.map(({ item }) => item)].join();
}
