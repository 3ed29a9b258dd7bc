import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Cause, Edge, Reconcile, Row } from "../base/rows.gen.ts";
import { at, cause, reconcile, write } from "../../test/rows.ts";
import { last, simulate } from "../../test/simulate.ts";
import { chainLimit, chainOf } from "./chain.ts";
import { Table } from "./table.ts";

function table(...rows: readonly Row[]): Table {
  const made = new Table();
  made.apply({ type: "rows", offset: 1, now: at(0), rows, gone: [] });
  return made;
}

function run(key: string, ms: number, causes: readonly Cause[], given: Partial<Reconcile> = {}): Reconcile {
  const writes = [write({ span: `w-${key}`, from: at(ms + 1), to: at(ms + 2) })];
  return reconcile({ key, from: at(ms), start: at(ms), to: at(ms + 5), causes, writes, ...given });
}

function by(key: string, ms: number): Cause {
  return cause({ at: at(ms), by: "self", write: { reconcile: key, span: `w-${key}` } });
}

const edit = run("edit", 0, [cause({ at: at(0), manager: "kubectl", changed: ["spec"] })]);
const own = run("own", 10, [by("edit", 10)]);
const other = run("other", 12, [by("edit", 12)], { controller: "service", item: "default/web-svc" });
const deep = run("deep", 20, [by("other", 20)], { controller: "endpoints", item: "default/web-ep" });

function lines(made: Table, key: string, ms = 999): string[] {
  const asked = made.reconcile(key);
  assert.ok(asked);
  const told = chainOf(made, asked, at(ms));
  return told.lines.map(
    (line, i) =>
      `${" ".repeat(line.depth)}${line.reconcile.key}${line.loop ? " loop" : ""}${i === told.here ? " here" : ""}`,
  );
}

test("a chain leads from kubectl's edit to here, and on to other controllers", () => {
  const made = table(edit, own, other, deep);
  assert.deepEqual(lines(made, "edit"), ["edit here", " own loop", " other", "  deep"]);
  assert.deepEqual(lines(made, "deep"), ["edit", " other", "  deep here"]);
  assert.equal(chainOf(made, deep, at(999)).first?.manager, "kubectl");
});

test("at an earlier moment nothing of what came later is told", () => {
  assert.deepEqual(lines(table(edit, own, other, deep), "edit", 11), ["edit here", " own loop"]);
});

test("what ran at that moment runs, whatever came of it later", () => {
  const told = chainOf(table(edit, own), edit, at(12));
  assert.deepEqual(
    told.lines.map(({ reconcile: { key, to, result } }) => [key, to > 0, result]),
    [
      ["edit", true, "success"],
      ["own", false, ""],
    ],
  );
});

test("several writes of one reconcile are one line, with the time since the first was sent", () => {
  const two = run("two", 0, [], {
    writes: [write({ span: "a", from: at(1) }), write({ span: "b", from: at(3) })],
  });
  const causes = ["a", "b"].map((span) => cause({ by: "self", write: { reconcile: "two", span } }));
  const [, line] = chainOf(table(two, run("next", 10, causes)), two, at(99)).lines;
  assert.deepEqual([line?.reconcile.key, line?.writes, line?.since], ["next", 2, at(1)]);
});

test("edges tell of causes that a row does not hold any more", () => {
  const many = run("many", 10, []);
  const row: Edge = {
    ...{
      row: "edge",
      key: "e",
      from: at(1),
      to: at(10),
      write: { reconcile: "edit", span: "w-edit" },
      reconcile: "many",
    },
    ...{ controller: "podset", item: "default/web", kind: "Pod", name: "x", self: true },
  };
  assert.deepEqual(lines(table(edit, many, row), "edit"), ["edit here", " many loop"]);
});

test("a timer leads on as a write does", () => {
  const failed = run("failed", 0, [], { next: { why: "backoff" }, result: "error", writes: [] });
  const again = run("again", 50, [cause({ what: "backoff", by: "self", at: at(50) })]);
  assert.deepEqual(lines(table(failed, again), "failed"), ["failed here", " again loop"]);
  assert.deepEqual(lines(table(failed, again), "again"), ["failed", " again loop here"]);
});

test("a controller that goes on for ever is told up to a bound", () => {
  const runs = Array.from({ length: 2 * chainLimit }, (_, i) =>
    run(`r${String(i)}`, 10 * i, i === 0 ? [] : [by(`r${String(i - 1)}`, 10 * i)]),
  );
  const made = table(...runs);
  for (const key of ["r0", `r${String(2 * chainLimit - 1)}`]) {
    const asked = made.reconcile(key);
    assert.ok(asked);
    const told = chainOf(made, asked, at(1e9));
    assert.ok(told.cut && told.lines.length <= chainLimit, `${key}: ${String(told.lines.length)} lines`);
    assert.equal(told.lines[told.here]?.reconcile.key, key);
  }
});

test("property: no line comes twice, each below one that began before it", () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(2000), (seed, ms) => {
      const made = table(...last(simulate({ seed, items: 3, lasting: 1500, perSecond: 30, errors: 0.2 })));
      for (const asked of made.until("", "", at(ms), 5)) {
        const told = chainOf(made, asked, at(ms));
        const keys = told.lines.map((line) => line.reconcile.key);
        assert.equal(new Set(keys).size, keys.length);
        for (const [i, line] of told.lines.entries()) {
          const above = told.lines
            .slice(0, i)
            .filter((other) => other.depth < line.depth)
            .at(-1);
          assert.equal(above === undefined, line.depth === 0);
          assert.ok((above?.reconcile.from ?? 0) <= line.reconcile.from);
          if (i > told.here) assert.ok(line.reconcile.from <= at(ms));
        }
      }
    }),
    { numRuns: 30 },
  );
});
