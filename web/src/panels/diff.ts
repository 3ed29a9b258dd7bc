/** What a reconcile saw of its object and what it wrote: field by field. */
import type { Field, Reconcile } from "../base/rows.gen.ts";
import { h } from "../view/dom.ts";
import type { Child } from "../view/dom.ts";
import { scrolling, section } from "../view/parts.ts";
import { writeFailed } from "../view/words.ts";

/** specView tells what a reconcile saw and wrote of its object; undefined where no field of it is known. */
export function specView(reconcile: Reconcile): HTMLElement | undefined {
  const list = threeWays(differences(reconcile));
  return list.length === 0 ? undefined : section("Spec, observed, written", diffTable(list));
}

export interface Difference {
  readonly path: string;
  readonly seen: string;
  /** "" when it was not written, or written as it was. */
  readonly written: string;
}

/** differences lists the object's fields: those that were written anew, then the spec, then the rest. */
export function differences(reconcile: Reconcile): Difference[] {
  const seen = byPath(reconcile.object.fields ?? []);
  const written = new Map<string, string>();
  for (const write of reconcile.writes) {
    const { kind, name } = reconcile.object;
    const own = write.name === name && write.resource.startsWith(kind.toLowerCase());
    if (!own || writeFailed(write)) continue;
    for (const [path, value] of byPath(write.fields ?? [])) written.set(path, value);
  }
  const all = [...new Set([...seen.keys(), ...written.keys()])].sort();
  const list = all.map((path) => difference(path, seen.get(path), written.get(path)));
  const order = (d: Difference): number => (d.path.startsWith("spec") ? 0 : d.written !== "" ? 1 : 2);
  return list.sort((a, b) => order(a) - order(b));
}

function difference(path: string, seen: string | undefined, written: string | undefined): Difference {
  const changed = written !== undefined && written !== seen;
  return { path, seen: seen ?? (changed ? "–" : (written ?? "–")), written: changed ? written : "" };
}

function byPath(fields: readonly Field[]): Map<string, string> {
  return new Map(fields.map((field) => [field.path, field.value]));
}

/** One part of the object: as the spec has it, as it was observed, and as it was written. "" where there is none. */
export interface ThreeWay {
  readonly path: string;
  readonly spec: string;
  readonly observed: string;
  readonly written: string;
  /** It was written, or the spec and what was observed are not the same. */
  readonly changed: boolean;
}

/** threeWays puts what the spec and the status call the same side by side; what differs comes first. */
export function threeWays(list: readonly Difference[]): ThreeWay[] {
  const rows = new Map<string, { spec: string; observed: string; written: string }>();
  for (const { path, seen, written } of list) {
    const name = shortPath(path);
    const row = rows.get(name) ?? { spec: "", observed: "", written: "" };
    rows.set(name, row);
    row[path.startsWith("spec.") ? "spec" : "observed"] = seen;
    if (written !== "") row.written = written;
  }
  const all = [...rows].map(([path, row]) => {
    const differs = row.spec !== "" && row.observed !== "" && row.spec !== row.observed;
    return { path, ...row, changed: row.written !== "" || differs };
  });
  return [...all.filter((row) => row.changed), ...all.filter((row) => !row.changed)];
}

/** Draws them in three columns; those that did not change are folded away. */
function diffTable(list: readonly ThreeWay[]): HTMLElement {
  const same = list.filter((row) => !row.changed);
  const box = h("div", { class: "diff-box" });
  if (same.length < list.length) box.append(columns(list.filter((row) => row.changed)));
  if (same.length === 0) return box;
  const summary = h("summary", {}, `${String(same.length)} unchanged`);
  box.append(h("details", { "data-fold": "same" }, summary, columns(same)));
  return box;
}

function columns(list: readonly ThreeWay[]): HTMLElement {
  const head = h("tr", {}, h("td"));
  for (const name of ["spec", "observed", "written"]) head.append(h("th", { scope: "col" }, name));
  const table = h("table", { class: "diff" }, h("thead", {}, head));
  for (const { path, spec, observed, written } of list) {
    const cell = (text: string, kind: string): HTMLElement =>
      h("td", { class: kind, title: text }, ...(text === "" ? ["–"] : breakable(text)));
    const now = written === "" ? "was" : "now";
    table.append(
      h(
        "tr",
        {},
        h("th", { scope: "row", title: path }, ...breakable(path)),
        cell(spec, ""),
        cell(observed, ""),
        cell(written, now),
      ),
    );
  }
  return scrolling(table, "Spec, observed, written");
}

function breakable(path: string): Child[] {
  return pieces(path).flatMap((piece, i) => (i === 0 ? [piece] : [h("wbr"), piece]));
}

/** pieces are where a path or a value may break: after dots and before capitals. */
export function pieces(path: string): string[] {
  return path.split(/(?<=\.)|(?<=[a-z0-9])(?=[A-Z])/);
}

/** shortPath leaves out what the heading says, and that conditions are conditions: Ready.reason. */
export function shortPath(path: string): string {
  return path.replace(/^(spec|status)\./, "").replace(/^conditions\./, "");
}
