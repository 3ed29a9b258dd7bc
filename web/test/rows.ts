/** Makes rows for tests. Times are µs; what is not given is plain. */
import type { Cause, Controller, Hold, Item, Phase, Reconcile, Sample, Wait, Write } from "../src/base/rows.gen.ts";

/** 10:41:00 UTC on 2 March 2026, where the tests' time begins. */
export const EPOCH = Date.UTC(2026, 2, 2, 10, 41) * 1000;

/** at is a time of the tests in milliseconds from their beginning. */
export function at(ms: number): number {
  return EPOCH + Math.round(ms * 1000);
}

export function cause(given: Partial<Cause> = {}): Cause {
  return { at: EPOCH, what: "update", by: "other", kind: "PodSet", namespace: "default", name: "web", ...given };
}

export function write(given: Partial<Write> = {}): Write {
  const plain = { span: "w1", from: EPOCH, to: EPOCH, method: "POST", resource: "pods", status: 201 };
  return { ...plain, namespace: "default", name: "web-x7k2p", ...given };
}

export function reconcile(given: Partial<Reconcile> = {}): Reconcile {
  const causes = given.causes ?? [];
  const causeCounts: Record<string, number> = {};
  for (const { what } of causes) causeCounts[what] = (causeCounts[what] ?? 0) + 1;
  const writes = given.writes ?? [];
  return {
    row: "reconcile",
    key: "r1",
    controller: "podset",
    source: "emitter-1",
    item: "default/web",
    object: { kind: "PodSet", namespace: "default", name: "web" },
    worker: 0,
    from: EPOCH,
    start: EPOCH,
    to: EPOCH,
    result: "success",
    queue: { depth: 0, requeues: 0 },
    causes,
    causeCounts,
    phases: [],
    reads: [],
    plan: [],
    writes,
    writeCount: writes.length,
    failedWrites: writes.filter((w) => w.status >= 400).length,
    readCount: 0,
    next: { why: "done" },
    ...given,
  };
}

/**
 * pass is a reconcile whose phases begin at from (ms) and last what is given, in ms and in the order of the loop; one
 * that lasts 0 is left out. from, start and to follow from them unless given.
 */
export function pass(from: number, lasting: readonly number[], given: Partial<Reconcile> = {}): Reconcile {
  const names = ["dequeue", "fetch", "compute", "apply", "requeue"];
  const phases: Phase[] = [];
  let t = from;
  for (const [i, name] of names.entries()) {
    const length = lasting[i] ?? 0;
    if (length === 0) continue;
    phases.push({ name, from: at(t), to: at(t + length) });
    t += length;
  }
  const start = at(from + (lasting[0] ?? 0));
  return reconcile({ key: `r${String(from)}`, from: at(from), start, to: at(t), phases, ...given });
}

export function wait(given: Partial<Wait> = {}): Wait {
  const key = `${given.controller ?? "podset"}/${given.item ?? "default/web"}/${given.state ?? "delayed"}/${String(given.from ?? EPOCH)}`;
  const plain = { row: "wait", key, controller: "podset", item: "default/web", state: "delayed" } as const;
  return { ...plain, from: EPOCH, to: 0, ...given };
}

export function hold(given: Partial<Hold> = {}): Hold {
  const plain = { row: "hold", key: "podset/1/0", controller: "podset", item: "default/web", worker: 1 } as const;
  return { ...plain, phase: "apply", why: "pause", from: EPOCH, to: 0, ...given };
}

export function controller(given: Partial<Controller> = {}): Controller {
  const plain = { row: "controller", key: "podset", source: "emitter-1", workers: 2, connected: true } as const;
  const counts = { reconciles: 0, errors: 0, writes: 0, failedWrites: 0, depth: 0, delayed: 0 };
  return { ...plain, heard: EPOCH, since: EPOCH, ...counts, ...given };
}

export function item(given: Partial<Item> = {}): Item {
  const name = given.item ?? "default/web";
  const lane = given.controller ?? "podset";
  const facets = { ready: false, delayed: false, active: false, dirty: false };
  return {
    row: "item",
    key: `${lane}/${name}`,
    controller: lane,
    item: name,
    ...facets,
    requeues: 0,
    reconciles: 0,
    ...given,
  };
}

/** sample counts one second, the nth from the beginning. */
export function sample(second: number, reconciles: number, errors = 0, lane = "podset"): Sample {
  const from = EPOCH + second * 1_000_000;
  return {
    row: "sample",
    key: `${lane}/${String(from)}`,
    controller: lane,
    from,
    to: from + 1_000_000,
    reconciles,
    byResult: { success: reconciles - errors, error: errors },
    byCause: {},
    writes: 0,
    failedWrites: 0,
    depth: 0,
  };
}
