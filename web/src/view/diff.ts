/** What a reconcile saw of its object and what it wrote: field by field. */
import type { Field, Reconcile } from "../base/rows.gen.ts";
import { h } from "./dom.ts";
import { writeFailed } from "./words.ts";

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

/** diffTable draws them; the word status. is left out before what everybody knows to stand there. */
export function diffTable(list: readonly Difference[]): HTMLElement {
  const body = h("tbody");
  for (const { path, seen, written } of list) {
    const value = h("td", {});
    if (written === "") value.append(seen);
    else value.append(h("span", { class: "was" }, seen), " → ", h("span", { class: "now" }, written));
    body.append(h("tr", {}, h("th", { scope: "row" }, path), value));
  }
  return h("div", { class: "diff-box" }, h("table", { class: "diff" }, body));
}
