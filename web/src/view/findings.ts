/** What the hub has found wrong, in short. */
import type { Finding } from "../base/rows.gen.ts";
import { h } from "./dom.ts";

/** ruleSaid writes a rule's name as words: "hot loop". */
export function ruleSaid(rule: string): string {
  return rule.replaceAll("-", " ");
}

/** findingsAt are those that had been found at t, the newest first. */
export function findingsAt(list: readonly Finding[], t: number): readonly Finding[] {
  return list.filter((finding) => finding.from <= t).sort((a, b) => b.from - a.from);
}

/** findingList is a short list for the item or the reconcile which it is about; undefined when there is none. */
export function findingList(list: readonly Finding[]): HTMLElement | undefined {
  if (list.length === 0) return undefined;
  const root = h("ul", { class: "flags part" });
  for (const { rule, summary } of list)
    root.append(h("li", { class: "cause" }, mark(rule), ` ${summary} `, toFindings()));
  return root;
}

/** mark is a rule as a chip. */
export function mark(rule: string): HTMLElement {
  return h("span", { class: "chip tone-error" }, `▲ ${ruleSaid(rule)}`);
}

function toFindings(): HTMLElement {
  return h("button", { class: "link", type: "button", "data-panel": "findings" }, "Finding");
}
