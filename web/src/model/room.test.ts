import assert from "node:assert/strict";
import { test } from "node:test";
import { Follower, parseRoom, roomReader } from "./room.ts";
import type { Presenter, Room, Standing } from "./room.ts";

const wire = {
  viewers: 12,
  following: 9,
  presenter: {
    here: true,
    page: "p1",
    recording: "",
    mode: "paused",
    t: 7,
    since: 9,
    speed: 0.5,
    sel: { controller: "podset", item: "default/web", reconcile: "a" },
    q: "result:error",
  },
  call: 3,
  lesson: null,
  poll: { beat: 5, open: true, answered: 2, tally: [] },
};

function room(change: object = {}): Room {
  const parsed = parseRoom({ ...wire, ...change });
  assert.ok(parsed !== undefined);
  return parsed;
}

test("a room is read as it came, and what is no room is none", () => {
  assert.deepEqual(room(), wire);
  const nothing = room({ presenter: { here: false, mode: "dancing", sel: null } });
  assert.deepEqual(nothing.presenter, {
    here: false,
    page: "",
    recording: "",
    mode: "following",
    t: 0,
    since: 0,
    speed: 1,
    sel: undefined,
    q: "",
  });
  assert.equal(room({ poll: null }).poll, undefined);
  assert.deepEqual(room({ poll: { tally: [1, 2] } }).poll, { beat: 0, open: false, answered: 0, tally: [1, 2] });
  for (const json of [null, 7, "room", {}, { presenter: 1 }]) assert.equal(parseRoom(json), undefined);
});

test("a viewer who joins late takes over the presenter's meaning at once, and once", () => {
  const follower = new Follower();
  const first = room();
  assert.equal(follower.hear(first), first.presenter);
  assert.equal(follower.hear(first), undefined);
  const next = room();
  assert.equal(follower.hear(next), next.presenter);
});

test("an own action leaves, and Return takes over what is shown then", () => {
  const follower = new Follower();
  follower.hear(room());
  follower.acted();
  const moved = room();
  assert.deepEqual([follower.standing, follower.hear(moved)], ["left", undefined]);
  follower.back();
  assert.equal(follower.hear(moved), moved.presenter);
});

test("a call brings back who has left, but not who has opted out: that one is told", () => {
  const [left, out] = [new Follower(), new Follower()];
  for (const follower of [left, out]) follower.hear(room());
  left.acted();
  out.out();
  const called = room({ call: 4 });
  assert.equal(left.hear(called), called.presenter);
  assert.deepEqual([out.hear(called), out.standing, out.called], [undefined, "out", true]);
  out.back();
  assert.deepEqual([out.hear(called), out.called], [called.presenter, false]);
});

test("a call from before the page was opened calls nobody", () => {
  const follower = new Follower();
  follower.acted();
  assert.equal(follower.hear(room({ call: 8 })), undefined);
});

test("while the presenter is away nothing is taken over, and it goes on when it comes back", () => {
  const follower = new Follower();
  const away = { ...wire.presenter, here: false };
  assert.equal(follower.hear(room({ presenter: away })), undefined);
  const back = room();
  assert.equal(follower.hear(back), back.presenter);
});

test("a room is the same until it is told anew, and what is no room leaves the one before", () => {
  const read = roomReader();
  const told = { ...wire };
  assert.equal(read(undefined), undefined);
  const first = read(told);
  assert.deepEqual(first, wire);
  assert.equal(read(told), first);
  assert.notEqual(read({ ...wire }), first);
  assert.deepEqual(read({}), wire);
});

function showing(recording: string, change: object = {}): Room {
  return room({ presenter: { ...wire.presenter, recording, ...change } });
}

test("what the presenter shows elsewhere is not shown here: this page follows there, and only while it follows", () => {
  const follower = new Follower("");
  const lesson = showing("lesson-1");
  follower.begin(lesson);
  assert.deepEqual([follower.hear(lesson), follower.elsewhere(lesson)], [undefined, "lesson-1"]);
  assert.equal(follower.elsewhere(showing("lesson-1", { here: false })), undefined, "the presenter is away");
  follower.acted();
  assert.equal(follower.elsewhere(lesson), undefined);
  follower.back();
  assert.equal(follower.elsewhere(lesson), "lesson-1");
  const live = showing("");
  assert.deepEqual([follower.hear(live), follower.elsewhere(live)], [live.presenter, undefined]);
});

test("a page of a recording takes over what is shown of it, and follows back to what is live", () => {
  const follower = new Follower("lesson-1", "@lesson-1");
  const lesson = showing("lesson-1");
  follower.begin(lesson);
  assert.deepEqual([follower.hear(lesson), follower.elsewhere(lesson)], [lesson.presenter, undefined]);
  const live = showing("");
  assert.deepEqual([follower.hear(live), follower.elsewhere(live)], [undefined, ""]);
});

test("how a page stands at first: sent or reloaded it follows, by an own way it has left, and who is out stays out", () => {
  const cases: readonly (readonly [string, string, string, Partial<Presenter>, Standing])[] = [
    ["the viewers' link", "", "", { recording: "lesson-1" }, "following"],
    ["a link to a recording", "sample", "", {}, "left"],
    ["a link to where the presenter is", "sample", "", { recording: "sample" }, "following"],
    ["the only recording of a hub, before the presenter is there", "mine", "", { page: "", here: false }, "following"],
    ["sent to a recording that the presenter has just left", "sample", "@sample", {}, "following"],
    ["an own way to a recording", "sample", "@", {}, "left"],
    ["an own way back to what is live", "", "@sample", { recording: "sample" }, "left"],
    ["an own way to where the presenter is", "", "@sample", {}, "following"],
    ["out", "", "out", {}, "out"],
  ];
  for (const [what, here, kept, presenter, standing] of cases) {
    const follower = new Follower(here, kept);
    follower.begin(showing("", presenter));
    assert.equal(follower.standing, standing, what);
    follower.back();
    follower.begin(showing(""));
    assert.equal(follower.standing, "following", `${what}: once begun it does not begin again`);
  }
});

test("a tab keeps where its page follows, or that it is out; who has left leaves what was kept", () => {
  const follower = new Follower("sample", "@sample");
  assert.equal(follower.keeps, "@sample");
  follower.out();
  assert.equal(follower.keeps, "out");
  follower.back();
  assert.equal(follower.keeps, "@sample");
  const strayed = new Follower("sample", "@");
  strayed.begin(showing(""));
  assert.deepEqual([strayed.standing, strayed.keeps], ["left", "@"]);
});
