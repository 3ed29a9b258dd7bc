import assert from "node:assert/strict";
import { test } from "node:test";
import type { Control, Row } from "../base/rows.gen.ts";
import { SECOND } from "../base/time.ts";
import { Table } from "../model/table.ts";
import type { Connection } from "../net/types.ts";
import { at, controller, hold, item, pass } from "../../test/rows.ts";
import { noticeOf, partsOf } from "./notices.ts";
import type { Asked, Words } from "./notices.ts";
import { Playhead } from "./playhead.ts";
import { crowdSaid, keptSaid, matchSaid } from "./words.ts";

type Shown = Parameters<typeof noticeOf>[0];

/** A state of the page, and what the line says and offers there. */
interface State {
  readonly rows?: readonly Row[];
  readonly connection?: Connection;
  readonly silent?: number;
  readonly bad?: number;
  readonly asked?: Partial<Asked>;
  readonly recording?: string;
  readonly paused?: boolean;
  readonly says: string;
  readonly tone?: Words["tone"];
  readonly button?: string;
  /** What pressing the button does. */
  readonly does?: string;
}

const now = at(100_000);
const live: Connection = { state: "live", since: 0 };
const lost: Connection = {
  state: "lost",
  since: 0,
  asOf: at(0),
  attempt: 1,
  retryAt: 3000,
  reason: "The hub is full: 200 watch",
  code: "",
};
const restored = (how: (Connection & { state: "restored" })["how"]): Connection => ({
  state: "restored",
  since: 0,
  how,
});
const there = controller({ heard: now });
const paused: Control = {
  row: "control",
  key: "p",
  controller: "podset",
  command: "pause",
  text: "presenter paused podset",
  by: "presenter",
  from: at(60_000),
  to: 0,
};
const fault: Control = { ...paused, key: "f", command: "fault" };
const held = "presenter held back the watch events of podset's own objects for 5 s";
const watchHeld: Control = { ...fault, text: held, until: at(101_900) };
const slowed: Control = {
  ...paused,
  key: "s",
  command: "slow",
  text: "presenter slowed podset down 100×",
  until: at(3_696_000),
};
const done = pass(58_000, [1, 1], { key: "r" });

const states: Readonly<Record<string, State>> = {
  "nothing attached: the page itself has the steps": { says: "" },
  "attached, and nothing yet": {
    rows: [there],
    says: "Connected to podset. No reconciles yet. Try:",
    button: "create a PodSet",
    does: "try it",
  },
  "attached, idle": {
    rows: [there, item(), done],
    says: "Connected to podset. No reconciles for 42 s. Try:",
    button: "scale a PodSet",
    does: "try it",
  },
  "idle, with no cluster to try anything on": {
    rows: [there, done],
    asked: { tryIt: undefined },
    says: "Connected to podset. No reconciles for 42 s.",
  },
  "many attached, idle": {
    rows: ["a", "b", "c", "d", "e", "f"].map((key) => controller({ key, heard: now })),
    asked: { tryIt: undefined },
    says: "Connected to a, b, c, d and 2 more. No reconciles yet.",
  },
  "a short while without a reconcile is no idleness": {
    rows: [there, pass(95_000, [1], { key: "r" })],
    says: "",
  },
  "a lesson says itself what to do": { rows: [there, done], asked: { lesson: true }, says: "" },
  "who is held is not idle": { rows: [there, done, hold({ from: at(60_000) })], says: "" },
  "the controller is paused": {
    rows: [there, item(), done, paused],
    says: "podset is paused:",
    button: "Resume",
    does: "lift p",
  },
  "paused, told to who cannot resume it": {
    rows: [there, done, { ...paused, item: "default/web", phase: "apply" }],
    asked: { tryIt: undefined, lift: undefined },
    says: "default/web is paused before apply.",
  },
  "watch events are held, also a moment after the last reconcile": {
    rows: [there, item(), pass(95_000, [1], { key: "r" }), watchHeld],
    says: "podset: watch events held, 1.9 s left:",
    button: "Lift",
    does: "lift f",
  },
  "the controller is slowed down": {
    rows: [there, item(), done, slowed],
    says: "podset is slowed down 100×, 59:56 left:",
    button: "Lift",
    does: "lift s",
  },
  "a fault waits for its request": {
    rows: [there, done, { ...fault, text: "presenter let the next write of podset be answered with 500" }],
    asked: { lift: undefined },
    says: "presenter let the next write of podset be answered with 500.",
  },
  "a fault that has ended hinders nothing": {
    rows: [there, item(), done, { ...watchHeld, to: at(90_000) }],
    says: "Connected to podset. No reconciles for 42 s. Try:",
    button: "scale a PodSet",
    does: "try it",
  },
  "paused, nothing is said of now": { rows: [there, done], paused: true, says: "" },
  "the controller has gone": {
    rows: [controller({ connected: false, heard: 0 })],
    says: "podset is not connected.",
    tone: "warn",
  },
  "all controllers have gone": {
    rows: ["a", "b"].map((key) => controller({ key, connected: false, heard: at(7000) })),
    says: "No controller is connected since 10:41:07.",
    tone: "warn",
  },
  "a watch is refused": {
    rows: [{ ...there, watchError: "Pods: Forbidden" }, done],
    says: "podset cannot watch Pods: Forbidden: what happens there is not seen until that is mended.",
    tone: "warn",
  },
  lost: { connection: lost, says: "Reconnecting in 3 s", tone: "error", button: "Try now", does: "try now" },
  "lost because the hub is full": {
    connection: { ...lost, code: "full" },
    says: "The hub is full: 200 watch. Reconnecting in 3 s",
    tone: "error",
    button: "Try now",
    does: "try now",
  },
  "the hub says nothing": { silent: 7, says: "No word from the hub for 7 s", tone: "error" },
  "back, with nothing missed": {
    connection: restored({ kind: "caught_up", rows: 0 }),
    says: "Connected again. Nothing was missed",
    tone: "ok",
  },
  "back, caught up": {
    connection: restored({ kind: "caught_up", rows: 1318 }),
    says: "Connected again. Caught up with 1,318 changes",
    tone: "ok",
  },
  "back, with a gap of one": {
    connection: restored({ kind: "gap", from: 0, to: 1, reconciles: 1 }),
    says: "Connected again. 1 reconcile in between is only counted",
    tone: "warn",
  },
  "back, with a gap": {
    connection: restored({ kind: "gap", from: 0, to: 1, reconciles: 830 }),
    says: "Connected again. 830 reconciles in between are only counted",
    tone: "warn",
  },
  "back, with a gap in which there was none": {
    connection: restored({ kind: "gap", from: 0, to: 1, reconciles: 0 }),
    says: "Connected again. The picture is whole from here on",
    tone: "ok",
  },
  "back to a hub with new data": {
    connection: restored({ kind: "new_epoch" }),
    says: "The hub has started again with new data",
    tone: "warn",
  },
  "rows that could not be read": {
    bad: 2,
    says: "2 rows could not be read and were skipped · row 7: no key",
    tone: "warn",
    button: "OK",
    does: "noted 2",
  },
  "rows of which one has taken note": { bad: 2, asked: { noted: 2 }, says: "" },
  "what a key has done comes before idleness": {
    rows: [there, done],
    asked: { told: { text: "Copied a link to this moment", tone: "ok" } },
    says: "Copied a link to this moment",
    tone: "ok",
  },
  "a recording that has ended": {
    recording: "sample",
    rows: [there, done],
    paused: true,
    says: "The recording ends here.",
    button: "Play again",
    does: `plays from ${String(done.from)}`,
  },
  "a recording that has come is there whatever becomes of the hub": {
    recording: "sample",
    rows: [there, done],
    connection: lost,
    says: "",
  },
  "a recording that has not come": {
    recording: "sample",
    connection: lost,
    says: "Reconnecting in 3 s",
    tone: "error",
    button: "Try now",
    does: "try now",
  },
};

for (const [name, state] of Object.entries(states)) {
  test(`the line says: ${name}`, () => {
    const did: string[] = [];
    const { app, asked } = made(state, did);
    const words = noticeOf(app, asked);
    const { says, tone = "quiet", button, does } = state;
    assert.equal(words?.text ?? "", says);
    if (words === undefined) return;
    assert.deepEqual([words.tone, words.button], [tone, button]);
    words.press?.();
    if (app.playhead.kind === "playing") did.push(`plays from ${String(Math.round(app.playhead.now()))}`);
    if (asked.noted > 0) did.push(`noted ${String(asked.noted)}`);
    assert.deepEqual(did, does === undefined ? [] : [does]);
  });
}

function made(state: State, did: string[]): { app: Shown; asked: Asked } {
  const { rows = [], connection = live, silent = 0, bad = 0, recording } = state;
  const model = new Table();
  if (rows.length > 0) model.apply({ type: "rows", offset: 1, now, rows, gone: [] });
  const end = recording === undefined ? undefined : (): number => now;
  const playhead = new Playhead({ now: () => now, heard: () => Infinity, end }, () => undefined);
  if (state.paused === true) playhead.seek(recording === undefined ? now - 30 * SECOND : now);
  const watch = {
    connection: () => connection,
    whole: () => true,
    deepen: () => false,
    room: () => undefined,
    secondsToRetry: () => 3,
    silentFor: () => silent,
    heardUntil: () => Infinity,
    tryNow: () => did.push("try now"),
    hubNow: () => now,
    malformed: () => bad,
    problem: () => "row 7: no key",
  };
  const app = { model, watch, playhead, recording, zone: () => 0, wake: () => undefined };
  const plain = {
    told: undefined,
    noted: 0,
    lesson: false,
    tryIt: () => void did.push("try it"),
    lift: ({ key }: Control) => void did.push(`lift ${key}`),
  };
  return { app, asked: { ...plain, ...state.asked } };
}

test("when nothing moves, the last reconciles are played again, and then what is live is followed", () => {
  const runs = [pass(20_000, [1], { key: "old" }), pass(52_000, [1], { key: "a" }), done];
  const { app, asked } = made({ says: "", rows: [there, ...runs] }, []);
  const also = noticeOf(app, asked)?.also;
  assert.equal(also?.button, "Play the last ones again");
  also?.press();
  assert.deepEqual([app.playhead.kind, app.playhead.now()], ["playing", at(51_500)]);
  assert.equal(noticeOf(app, asked), undefined, "it says nothing while they play");
});

test("what is left out, kept or too much is said with its number", () => {
  assert.deepEqual([matchSaid(0, 1204), matchSaid(12, 1204)], ["0 of 1,204 match.", "12 of 1,204 match"]);
  assert.equal(keptSaid({ size: 50_000, shortened: 0 }, true), "newest 50,000 kept");
  assert.equal(keptSaid({ size: 5000, shortened: 0 }, false), "newest 5,000 shown");
  assert.equal(keptSaid({ size: 5000, shortened: 2 }, true), "newest 5,000 kept, 2 of what you look at had to go");
  assert.equal(crowdSaid("flow", 830), "Flow view: 830/s; errors and pinned drawn singly");
  assert.equal(crowdSaid("merged", 45), "Merged view: 45.0/s; errors and pinned drawn singly");
  assert.equal(crowdSaid("merged", 0), "Many alike: drawn together as ×n; errors and pinned singly");
});

test("what can be missed, what is said and what is asked for stand apart", () => {
  for (const parts of [
    ["Connected to podset. ", "No reconciles for 9.5 s. ", "Try:"],
    ["", "podset is paused:", ""],
    ["The hub is full: 200 watch. ", "Reconnecting in 5 s", ""],
    ["", "", ""],
  ])
    assert.deepEqual(partsOf(parts.join("")), parts);
});
