/** How a reconcile went: phases, reads and writes as bars of true duration. */
import type { Phase, Read, Reconcile, Write } from "../base/rows.gen.ts";
import { h } from "./dom.ts";
import { span, writeFailed, writeName } from "./words.ts";

/** One bar. to 0: still going on. */
export interface Bar {
  readonly name: string;
  readonly inner: boolean;
  readonly from: number;
  readonly to: number;
  readonly tone: "quiet" | "accent" | "ok" | "error" | "warn";
  readonly value: string;
  readonly title: string;
}

/** bars lists what the waterfall shows, in order: the phases with their reads and writes below them. */
export function bars(reconcile: Reconcile): Bar[] {
  const phases = reconcile.phases.map(phaseBar);
  return [...phases, ...reconcile.reads.map(readBar), ...reconcile.writes.map(writeBar)];
}

function phaseBar(phase: Phase): Bar {
  const tone = phase.name === "dequeue" ? "quiet" : "accent";
  const value = phase.to === 0 ? "…" : span(phase.to - phase.from);
  const title = phase.name === "dequeue" ? "dequeue: the wait in the queue" : phase.name;
  return { name: phase.name, inner: false, from: phase.from, to: phase.to, tone, value, title };
}

function readBar(read: Read): Bar {
  const stale = read.stale === "yes";
  const by = read.staleBy ?? 0;
  const value = stale ? `stale ${by > 0 ? `−${String(by)}` : ""}`.trim() : span(read.to - read.from);
  const title = `read ${String(read.count)} ${read.kind} from the ${read.source === "api" ? "API server" : "cache"}`;
  const name = `read ${read.kind}`;
  return { name, inner: true, from: read.from, to: read.to, tone: stale ? "warn" : "accent", value, title };
}

function writeBar(write: Write): Bar {
  const bad = writeFailed(write);
  const value = write.to === 0 ? "…" : write.status === 0 ? "no answer" : String(write.status);
  const object = [write.resource, write.name ?? "", write.subresource ?? ""].filter((s) => s !== "").join("/");
  const title = `${write.method} ${object}, ${span(write.to - write.from)}${write.noop === true ? ", changed nothing" : ""}`;
  return {
    name: writeName(write),
    inner: true,
    from: write.from,
    to: write.to,
    tone: bad ? "error" : "ok",
    value,
    title,
  };
}

/** The times that the bars are drawn over. cut: the queue's wait was longer than there is room for. */
export interface Scale {
  readonly from: number;
  readonly to: number;
  readonly cut: boolean;
}

/** scaleOf leaves the work itself at least two thirds of the width, however long the item has waited before. */
export function scaleOf(reconcile: Reconcile, now: number): Scale {
  const to = Math.max(reconcile.start + 1, reconcile.to === 0 ? now : reconcile.to);
  const earliest = reconcile.start - (to - reconcile.start) / 2;
  return { from: Math.max(reconcile.from, earliest), to, cut: reconcile.from < earliest };
}

/** waterfall draws the bars. */
export function waterfall(reconcile: Reconcile, now: number): HTMLElement {
  const scale = scaleOf(reconcile, now);
  const root = h("div", { class: "fall" });
  for (const bar of bars(reconcile)) root.append(...row(bar, scale, now));
  const hidden = reconcile.writeCount - reconcile.writes.length;
  if (hidden > 0)
    root.append(h("span", { class: "fall-name is-inner" }, `${String(hidden)} more`), h("span"), h("span"));
  return root;
}

function row(bar: Bar, scale: Scale, now: number): HTMLElement[] {
  const width = scale.to - scale.from;
  const left = clamp((bar.from - scale.from) / width);
  const right = clamp(((bar.to === 0 ? now : bar.to) - scale.from) / width);
  const open = bar.to === 0 ? " is-open" : "";
  const cut = scale.cut && bar.from < scale.from ? " is-cut" : "";
  const mark = h("span", { class: `fall-bar tone-${bar.tone}${bar.inner ? " is-thin" : ""}${open}${cut}` });
  mark.style.left = `min(${(left * 100).toFixed(2)}%, 100% - 3px)`;
  mark.style.width = `${((right - left) * 100).toFixed(2)}%`;
  return [
    h("span", { class: `fall-name${bar.inner ? " is-inner" : ""}`, title: bar.title }, bar.name),
    h("span", { class: "fall-track" }, mark),
    h("span", { class: `fall-value tone-${bar.tone}` }, bar.value),
  ];
}

function clamp(f: number): number {
  return Math.max(0, Math.min(1, f));
}
