import assert from "node:assert/strict";
import { test } from "node:test";
import type { Beat } from "../base/rows.gen.ts";
import { signal } from "../base/signal.ts";
import { Table } from "../model/table.ts";
import type { App, Selection } from "../view/app.ts";
import { Playhead } from "../view/playhead.ts";
import { at, controller, pass } from "../../test/rows.ts";
import { RecordingPlayer } from "./players.ts";

/** A recording of a reconcile at 0 and one at 400 s, with a beat that begins at from (ms). */
function recording(from: number): { player: RecordingPlayer; playhead: Playhead } {
  const model = new Table();
  const beat: Beat = {
    row: "beat",
    key: "b",
    lesson: "lesson-1",
    run: "lesson-1",
    title: "The loop, end to end",
    n: 1,
    of: 8,
    heading: "Nobody calls anybody",
    words: "Both talk to the API server.",
    controller: "podset",
    item: "lesson-1/web",
    from: at(from),
    to: at(from + 60_000),
  };
  const runs = [pass(0, [1, 1], { key: "a" }), pass(400_000, [1, 1], { key: "b" })];
  model.apply({ type: "rows", offset: 1, now: at(500_000), rows: [controller(), ...runs, beat], gone: [] });
  const playhead = new Playhead({ now: () => 0, heard: () => Infinity, end: () => at(500_000) }, () => undefined);
  playhead.begin(at(0));
  const selection = signal<Selection | undefined>(undefined);
  const app = { model, playhead, selection, recording: "session", wake: () => undefined } as unknown as App;
  const player = new RecordingPlayer(
    app,
    () => undefined,
    () => false,
  );
  player.step();
  return { player, playhead };
}

test("a recording of a lesson opens at its first beat, and offers nothing besides", () => {
  const { player, playhead } = recording(5_000);
  assert.deepEqual([playhead.kind, playhead.now()], ["paused", at(5_000)]);
  assert.deepEqual([player.lesson()?.beat, player.offer()], [1, undefined]);
});

test("a recording with a lesson in it opens at its beginning; the lesson is offered, entered and left", () => {
  const { player, playhead } = recording(240_000);
  assert.deepEqual([playhead.kind, playhead.now()], ["playing", at(0)]);
  const title = "The loop, end to end";
  assert.deepEqual(player.offer(), { title, shown: false });
  playhead.seek(at(250_000));
  player.step();
  assert.equal(player.lesson(), undefined, "who comes by is not drawn into it");
  player.enter(true);
  assert.deepEqual([playhead.now(), player.lesson()?.beat, player.offer()?.shown], [at(240_000), 1, true]);
  player.enter(false);
  player.step();
  assert.deepEqual([playhead.now(), player.lesson(), player.offer()?.shown], [at(240_000), undefined, false]);
});
