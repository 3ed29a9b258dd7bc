/** What was done on the way of a write: spans of the API server, of etcd and of whom they asked. */
import type { ServerSpan, Write } from "../base/rows.gen.ts";
import type { Bar } from "../view/bar.ts";
import { span as took, writeFailed } from "../view/words.ts";

const etcd = "etcd";
/** Deeper ones are not indented further: their names would have no room. */
const deepest = 9;

/** serverBars lists what served a write: who was asked and whether etcd committed it, or all spans. */
export function serverBars(write: Write, all: boolean): Bar[] {
  const spans = write.server ?? [];
  const committed = commitOf(write);
  const shown = all ? spans : gist(spans);
  const byId = new Map(spans.map((one) => [one.span, one]));
  return shown.map((one) => {
    const above = ancestors(one, byId);
    const depth = all ? above.length : above.filter((up, i) => up.service !== (above[i - 1] ?? one).service).length;
    return bar(one, Math.min(2 + depth, deepest), one === committed, all);
  });
}

/** commitOf is etcd's transaction by which a write was committed, the last one of a write that moved something. */
export function commitOf(write: Write): ServerSpan | undefined {
  if (writeFailed(write) || write.noop === true) return undefined;
  return write.server?.filter((one) => one.service === etcd && one.name === "txn" && one.failed !== true).at(-1);
}

/** gist leaves one span for each time that somebody was asked; of etcd, what it did. */
function gist(spans: readonly ServerSpan[]): ServerSpan[] {
  const byId = new Map(spans.map((one) => [one.span, one]));
  const entries = spans.filter((one) => byId.get(one.parent ?? "")?.service !== one.service);
  return entries.map((entry) => {
    const done = entry.service === etcd ? spans.find((one) => one.parent === entry.span) : undefined;
    return done ?? entry;
  });
}

/** ancestors lists what a span is part of, the nearest first. Spans in a circle end it. */
function ancestors(of: ServerSpan, byId: ReadonlyMap<string, ServerSpan>): ServerSpan[] {
  const list: ServerSpan[] = [];
  for (let up = byId.get(of.parent ?? ""); up !== undefined && up !== of && !list.includes(up);) {
    list.push(up);
    up = byId.get(up.parent ?? "");
  }
  return list;
}

function bar(one: ServerSpan, level: number, commit: boolean, all: boolean): Bar {
  const who = serviceName(one.service);
  const time = took(one.to - one.from);
  const failed = one.failed === true;
  return {
    name: commit ? "etcd commit" : all ? shortName(one.name) : one.service === etcd ? `${who} ${one.name}` : who,
    level,
    from: one.from,
    to: one.to,
    tone: failed ? "error" : commit ? "ok" : "quiet",
    value: commit ? `✓ ${time}` : failed ? `failed ${time}` : time,
    title: `${who}: ${one.name}, ${time}${commit ? ": the write is committed" : ""}${failed ? ", failed" : ""}`,
  };
}

/** shortName leaves out what every call of the same kind has in common: gRPC's package, the path's details. */
function shortName(name: string): string {
  return name.replace(/^(\w+) \/\S+$/, "$1").replace(/^[\w.]+\.(\w+\/\w+)$/, "$1");
}

function serviceName(service: string): string {
  if (service === "") return "a server";
  return service === "apiserver" || service === "kube-apiserver" ? "API server" : service;
}
