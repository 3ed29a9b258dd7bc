/** How a reconcile went: phases, reads and writes as bars of true duration. */
import type { Read, Reconcile, Write } from "../base/rows.gen.ts";
import type { Piece } from "../model/known.ts";
import type { Bar } from "../view/bar.ts";
import { h } from "../view/dom.ts";
import { serverBars } from "./servers.ts";
import { span, spanOrNone, writeFailed, writeName } from "../view/words.ts";

/**
 * bars lists what the waterfall shows, in order: the phases, then their reads and writes, each write with what
 * served it. all: with every span of that, and not only the gist.
 */
export function bars(reconcile: Reconcile, all = false): Bar[] {
  const phases = reconcile.phases.map(phaseBar);
  const writes = reconcile.writes.flatMap((write) => [writeBar(write), ...serverBars(write, all)]);
  return [...phases, ...reconcile.reads.map(readBar), ...writes];
}

const titles: Readonly<Record<string, string>> = {
  dequeue: "dequeue: the wait in the queue",
  held: "held: a pause or a breakpoint holds the worker",
  slowed: "slowed: a command makes the phase take longer",
};

function phaseBar(phase: Piece): Bar {
  const tone = phase.name === "dequeue" ? "quiet" : "before" in phase ? "warn" : "accent";
  const value = phase.to === 0 ? "…" : spanOrNone(phase.to - phase.from);
  const title = titles[phase.name] ?? phase.name;
  return { name: phase.name, level: 0, from: phase.from, to: phase.to, tone, value, title, step: stepOf(phase) };
}

/** A worker that is held stands at the phase before which it is held. */
function stepOf({ name, before }: Piece): string {
  return before ?? name;
}

function readBar(read: Read): Bar {
  const stale = read.stale === "yes";
  const by = read.staleBy ?? 0;
  const value = stale ? `stale ${by > 0 ? `−${String(by)}` : ""}`.trim() : span(read.to - read.from);
  const title = `read ${String(read.count)} ${read.kind} from the ${read.source === "api" ? "API server" : "cache"}`;
  const name = `read ${read.kind}`;
  return { name, level: 1, from: read.from, to: read.to, tone: stale ? "warn" : "accent", value, title };
}

function writeBar(write: Write): Bar {
  const bad = writeFailed(write);
  const value = write.to === 0 ? "…" : write.status === 0 ? "no answer" : answered(write);
  const object = [write.resource, write.name ?? "", write.subresource ?? ""].filter((s) => s !== "").join("/");
  const title = `${write.method} ${object}, ${span(write.to - write.from)}${write.noop === true ? ", changed nothing" : ""}`;
  return {
    name: writeName(write),
    level: 1,
    from: write.from,
    to: write.to,
    tone: bad ? "error" : write.noop === true ? "warn" : "ok",
    value,
    title,
    write: write.span,
  };
}

/** A write that changed nothing says so: it is the first thing to look for when a controller runs too often. */
function answered({ status, noop }: Write): string {
  return noop === true ? `${String(status)} no-op` : String(status);
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

/**
 * waterfall draws the bars. Its button carries data-servers, for all spans or only the gist; the panel listens.
 * lit is the span of the write that one has come for, "" for none.
 */
export function waterfall(reconcile: Reconcile, now: number, all: boolean, lit = ""): HTMLElement {
  const scale = scaleOf(reconcile, now);
  const root = h("div", { class: `fall${all ? " is-all" : ""}` });
  for (const bar of bars(reconcile, all))
    root.append(...row(bar, bar.step ?? within(bar, reconcile), { scale, now, all, lit }));
  const hidden = reconcile.writeCount - reconcile.writes.length;
  if (hidden > 0)
    root.append(h("span", { class: "fall-name is-inner" }, `${String(hidden)} more`), h("span"), h("span"));
  if (reconcile.writes.some((write) => (write.server ?? []).length > 0)) root.append(serversButton(reconcile, all));
  return root;
}

function serversButton({ writes }: Reconcile, all: boolean): HTMLElement {
  const n = writes.reduce((sum, write) => sum + (write.server?.length ?? 0), 0);
  const more = writes.some((write) => write.serverCut === true) ? "+" : "";
  const text = all ? "Only the gist" : `All ${String(n)}${more} server spans`;
  return h(
    "button",
    { class: "link fall-more", type: "button", "data-servers": true, "aria-pressed": String(all) },
    text,
  );
}

/** The phase in which a read or a write lies. */
function within({ from }: Bar, { phases }: Reconcile): string | undefined {
  const phase = phases.find((one) => one.from <= from && (one.to === 0 || from <= one.to));
  return phase && stepOf(phase);
}

interface Drawing {
  readonly scale: Scale;
  readonly now: number;
  readonly all: boolean;
  readonly lit: string;
}

function row(bar: Bar, step: string | undefined, { scale, now, all, lit }: Drawing): HTMLElement[] {
  const width = scale.to - scale.from;
  const left = clamp((bar.from - scale.from) / width);
  const right = clamp(((bar.to === 0 ? now : bar.to) - scale.from) / width);
  const open = bar.to === 0 ? " is-open" : "";
  const cut = scale.cut && bar.from < scale.from ? " is-cut" : "";
  const mark = h("span", { class: `fall-bar tone-${bar.tone}${bar.level > 0 ? " is-thin" : ""}${open}${cut}` });
  mark.style.left = `min(${(left * 100).toFixed(2)}%, 100% - 3px)`;
  mark.style.width = `${((right - left) * 100).toFixed(2)}%`;
  const here = lit !== "" && bar.write === lit;
  const inner = `${bar.level > 0 ? " is-inner" : ""}${here ? " is-lit" : ""}`;
  const name = h("span", { class: `fall-name${inner}`, title: bar.title, "data-step": step }, bar.name);
  if (here) name.append(h("span", { class: "fall-lit" }, " ◀\u00a0this\u00a0write"));
  if (bar.level > 1) name.style.paddingLeft = `${String(12 + (all ? 6 : 12) * (bar.level - 1))}px`;
  return [
    name,
    h("span", { class: "fall-track", "data-step": step }, mark),
    h("span", { class: `fall-value tone-${bar.tone}`, "data-step": step }, bar.value),
  ];
}

function clamp(f: number): number {
  return Math.max(0, Math.min(1, f));
}
