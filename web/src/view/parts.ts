/** Small parts that the panel's views share. */
import type { Reconcile } from "../base/rows.gen.ts";
import { h } from "./dom.ts";
import type { Said } from "./words.ts";

/** section is a part under a heading. step: the phase that it tells of, which is marked while one steps through it. */
export function section(title: string, body: Node, step?: string): HTMLElement {
  return h("section", { class: "part", "data-step": step }, h("h3", { class: "part-title" }, title), body);
}

/** goLink leads to a reconcile, and there to one of its writes. role: what that one did, before its number. */
export function goLink(reconcile: Reconcile, nth: number, write?: string, role = ""): HTMLElement {
  const text = nth > 0 ? `reconcile ${String(nth)}` : "its reconcile";
  const said = `${role} ${text}`.trim();
  return h("button", { class: "link", type: "button", "data-go": reconcile.key, "data-write": write }, said);
}

/** chip is a word in its colour. */
export function chip(said: Pick<Said, "chip" | "tone">): HTMLElement {
  return h("span", { class: `chip tone-${said.tone}` }, said.chip);
}

/** scrolling is a table that scrolls sideways where it is too wide, by the keyboard too. */
export function scrolling(table: HTMLElement, name: string): HTMLElement {
  return h("div", { class: "scrolling", tabindex: 0, role: "group", "aria-label": name }, table);
}
