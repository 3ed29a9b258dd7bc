import assert from "node:assert/strict";
import { test } from "node:test";

import type { Lesson } from "../model/lesson.ts";
import { Pace, standingIn } from "./pace.ts";

const S = 1_000_000;
type Scene = NonNullable<ReturnType<ConstructorParameters<typeof Pace>[0]["scene"]>>;
type Token = Scene["tokens"][number];

const lane = { lane: "podset", mode: "single", rate: 0, queue: [], waiting: [], held: [], behind: undefined } as const;
const still: Scene = { t: 0, tokens: [], nodes: [], edges: [], lanes: [lane], nextAt: Infinity };

function token(more: Partial<Token>): Token {
  return { id: "a", lane: "podset", item: "lesson-2/web", reconcile: "a", ...more } as Token;
}

function lesson(state: string, more: Partial<Lesson> = {}): Lesson {
  const sel = { controller: "podset", item: "lesson-2/web", reconcile: state === "done" ? "abc" : "" };
  const came = [{ says: "web is idle", what: "1", holds: true }];
  return { id: "lesson-2", beat: 2, state, next: "Next beat", sel, came, ...more } as Lesson;
}

/** A page whose hub's clock and picture are put where a test wants them. */
function page() {
  const at = { now: 100 * S, following: true, scene: still };
  const app = {
    scene: () => at.scene,
    watch: { hubNow: () => at.now },
    wake: () => undefined,
    model: { reconcile: (key: string) => (key === "later" ? { start: 999 * S } : undefined) },
    get playhead() {
      return { following: at.following };
    },
  };
  return { at, pace: new Pace(app as unknown as ConstructorParameters<typeof Pace>[0]) };
}

test("what came of a beat is told when the picture has stood still at it, and Next does nothing before", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { at, pace } = page();
  pace.of(lesson("waiting"));
  const done = lesson("done");
  at.scene = { ...still, t: at.now - S / 4 };
  const held = pace.of(done);
  assert.equal(held?.state, "waiting");
  assert.equal(held.next, "");
  assert.equal(held.sel.reconcile, "");
  assert.match(held.waitingFor, /picture/);
  assert.equal(held.came.length, 1, "what has come is ticked");
  assert.equal(pace.of(done), held, "the same until it changes");

  at.now += S;
  at.scene = { ...still, t: at.now, tokens: [token({ edge: "api-cache" })] };
  assert.equal(pace.of(done), held, "it is on its way");
  at.now += S / 5;
  at.scene = { ...still, t: at.now, tokens: [token({ node: "compute" })] };
  assert.equal(pace.of(done), held, "it is at work");
  at.now += S / 5;
  assert.equal(pace.of(done), held, "it is still at work");
  at.scene = { ...still, t: at.now };
  assert.equal(pace.of(done), held, "it has only just come to rest");
  at.now += S / 5;
  assert.equal(pace.of(done), done);
});

test("who stands somewhere, as a worker that is held, is waited for no longer than a second, nor what began later", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { at, pace } = page();
  const done = lesson("done");
  const told = (): boolean => pace.of(done) === done;
  pace.of(lesson("waiting"));
  at.scene = { ...still, t: 200 * S, tokens: [token({ node: "compute" })] };
  assert.equal(told(), false);
  at.now += S / 2;
  assert.equal(told(), false);
  at.now += S / 2;
  assert.equal(told(), true);

  pace.of(lesson("waiting"));
  at.scene = { ...still, t: 200 * S, tokens: [token({ edge: "queue-dequeue", reconcile: "later" })] };
  assert.equal(told(), false);
  at.now += S / 5;
  assert.equal(told(), true);
});

test("it is told after eight seconds in any case, and at once where the picture does not follow", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const busy = { ...still, t: 200 * S, tokens: [token({ edge: "apply-api" })] };
  const { at, pace } = page();
  at.scene = busy;
  pace.of(lesson("waiting"));
  const done = lesson("done");
  assert.equal(pace.of(done)?.state, "waiting");
  at.now += 7 * S;
  assert.equal(pace.of(done)?.state, "waiting");
  at.now += S;
  assert.equal(pace.of(done), done);

  const stopped = page();
  stopped.at.following = false;
  stopped.at.scene = busy;
  stopped.pace.of(lesson("waiting"));
  assert.equal(stopped.pace.of(done), done);
});

test("only the end of a beat that was seen is waited for; the answer to its question is not given away", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const late = page();
  const done = lesson("done");
  assert.equal(late.pace.of(done), done, "who opens the page reads it at once");
  const turned = lesson("ready", { beat: 3 });
  assert.equal(late.pace.of(turned), turned);
  assert.equal(late.pace.of(undefined), undefined);

  const { pace } = page();
  const question = { text: "How many?", choices: ["One"], answered: 2, open: false, polled: true, tally: [2] };
  const revealed = { ...question, reveal: true, right: 0, because: "Counted." };
  pace.of(lesson("waiting"));
  const shown = pace.of(lesson("done", { question: revealed }));
  assert.equal(shown?.question?.reveal, false);
  assert.deepEqual(shown.came, []);
  const again = lesson("acting");
  assert.equal(pace.of(again), again, "it was restarted meanwhile");
});

test("what stands where: tokens in boxes and items in the queue, as long as none moves", () => {
  const of = (more: Partial<Scene>): string | undefined =>
    standingIn({ ...still, ...more }, ({ item }) => item === "lesson-2/web");
  assert.equal(of({}), "");
  assert.equal(of({ tokens: [token({ edge: "requeue-waiting" })] }), undefined);
  assert.equal(of({ tokens: [token({ node: "compute" })] }), "acompute");
  assert.equal(of({ tokens: [token({ node: "compute", item: "default/web" })] }), "");
  const slot = { lane: "podset", item: "lesson-2/web" } as Scene["lanes"][number]["queue"][number];
  assert.equal(of({ lanes: [{ ...lane, queue: [slot] }] }), "lesson-2/web");
  const edge = { lane: "podset", edge: "api-cache" } as Scene["edges"][number];
  assert.equal(of({ edges: [edge] }), undefined, "where motion is not wanted, lines tell of it");
  const fetch = { lane: "podset", edge: "cache-fetch" } as Scene["edges"][number];
  assert.equal(of({ edges: [fetch] }), "", "a read goes with what fetches");
});
