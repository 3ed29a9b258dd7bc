import assert from "node:assert/strict";
import { test } from "node:test";
import { geometry } from "../base/geometry.gen.ts";
import type { Token } from "../scene/types.ts";
import { placeLabels } from "./labels.ts";
import type { Label } from "./labels.ts";

const size = 13;
const width = (text: string): number => text.length * 7;
const options = { size, radius: 8.5, geometry, words: [], width };

function token(more: Partial<Token>): Token {
  return {
    id: "t",
    kind: "pass",
    lane: "podset",
    x: 0,
    y: 0,
    shape: "circle",
    tone: "accent",
    halo: false,
    label: "web",
    sub: "",
    item: "default/web",
    reconcile: "r",
    write: "",
    count: 1,
    minor: false,
    ...more,
  };
}

function overlap(a: Label, b: Label): boolean {
  const half = (width(a.text) + width(b.text)) / 2;
  return Math.abs(a.x - b.x) < half && Math.abs(a.y - b.y) < size;
}

test("labels of a crowd never lie on each other, on a box or off the map", () => {
  const crowd = Array.from({ length: 60 }, (_, i) => token({ x: 20 + ((i * 97) % 920), y: 10 + ((i * 61) % 510) }));
  const labels = placeLabels(crowd, options);
  assert.ok(labels.length > 20, `only ${String(labels.length)} labels found a place`);
  for (const [i, a] of labels.entries()) {
    for (const b of labels.slice(i + 1)) assert.ok(!overlap(a, b), `${JSON.stringify(a)} lies on ${JSON.stringify(b)}`);
    assert.ok(a.x > 0 && a.x < geometry.width && a.y > 0 && a.y < geometry.height);
    for (const box of Object.values(geometry.nodes)) {
      const inside = a.x > box.x && a.x < box.x + box.w && a.y > box.y && a.y < box.y + box.h;
      assert.ok(!inside, `${JSON.stringify(a)} lies in a box`);
    }
  }
});

test("a token on the line of work has its label above the boxes", () => {
  const [label] = placeLabels([token({ label: "a-longer-name", x: 473, y: 238, edge: "fetch-compute" })], options);
  assert.ok(label !== undefined && label.y < geometry.nodes.fetch.y);
});

test("a token on an upright line has its label beside it", () => {
  const [label] = placeLabels([token({ x: 680, y: 330, edge: "apply-api" })], options);
  assert.ok(label !== undefined && label.y === 330 && label.x > 680);
});

test("where there is room for two labels, an error and a pass have them", () => {
  const at = { x: 400, y: 238, node: "fetch" } as const;
  const crowd = [
    token({ ...at, id: "a", kind: "event", label: "aaa" }),
    token({ ...at, id: "b", kind: "event", label: "bbb" }),
    token({ ...at, id: "c", label: "ccc" }),
    token({ ...at, id: "d", label: "ddd", tone: "error" }),
  ];
  assert.deepEqual(
    placeLabels(crowd, options)
      .slice(0, 2)
      .map(({ text }) => text),
    ["ddd", "ccc"],
  );
});

test("where there is no room for its namespace, a name shows that it has one", () => {
  const free = token({ label: "lesson-1/web", x: 500, y: 130, count: 2 });
  assert.equal(placeLabels([free], options)[0]?.text, "lesson-1/web ×2");
  // Room for five letters is left above and below, and beside it for none.
  const words = [-1, 1].flatMap((side) => [
    { x: 500 + side * 60 - 40, y: 0, w: 80, h: 300 },
    { x: 500 + side * 30 - 10, y: 122, w: 20, h: 16 },
  ]);
  const tight = placeLabels([{ ...free, count: 1 }], { ...options, words });
  assert.deepEqual(
    tight.map(({ text }) => text),
    ["…/web"],
  );
});

test("a token that stands for many says how many", () => {
  assert.equal(placeLabels([token({ x: 500, y: 130, count: 23 })], options)[0]?.text, "web ×23");
  assert.equal(placeLabels([token({ x: 500, y: 130, label: "×23", count: 23 })], options)[0]?.text, "×23");
});
