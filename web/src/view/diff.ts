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

/** diffTable draws them, the spec and the status under a heading each. */
export function diffTable(list: readonly Difference[]): HTMLElement {
  const table = h("table", { class: "diff" });
  for (const group of ["spec", "status", ""]) {
    const own = list.filter(({ path }) => groupOf(path) === group);
    if (own.length > 0) table.append(groupBody(group, own));
  }
  return h("div", { class: "diff-box" }, table);
}

function groupBody(group: string, list: readonly Difference[]): HTMLElement {
  const body = h("tbody");
  if (group !== "") body.append(h("tr", {}, h("th", { class: "diff-group", scope: "rowgroup", colspan: 2 }, group)));
  for (const { path, seen, written } of list) {
    const value = h("td", {});
    if (written === "") value.append(seen);
    else value.append(h("span", { class: "was" }, seen), arrow(), h("span", { class: "now" }, written));
    body.append(h("tr", {}, h("th", { scope: "row", title: path }, shortPath(path)), value));
  }
  return body;
}

function arrow(): HTMLElement {
  return h("span", { class: "arrow" }, " → ");
}

function groupOf(path: string): string {
  return ["spec", "status"].find((group) => path.startsWith(`${group}.`)) ?? "";
}

/** shortPath leaves out what the heading says, and that conditions are conditions: Ready.reason. */
export function shortPath(path: string): string {
  return path.replace(/^(spec|status)\./, "").replace(/^conditions\./, "");
}
