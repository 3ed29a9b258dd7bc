/** A controller's queue and waiting room: who is next, who waits for what and how long, at the moment shown. */
import type { Hold, Reconcile, Wait } from "../base/rows.gen.ts";
import { dueIn, count, duration } from "../base/time.ts";
import type { Model } from "../model/types.ts";
import { isHoldOf } from "../model/holds.ts";
import { h } from "../view/dom.ts";
import { isMarked } from "../view/marks.ts";
import { section } from "../view/parts.ts";
import type { View } from "../view/scope.ts";
import { ordinal, word } from "../view/words.ts";

/** As many of each are listed. */
const listed = 50;
/** Among so many of the newest reconciles those under way are looked for. */
const looked = 100;

/** What there is in a lane at a moment. */
export interface QueueNow {
  readonly active: readonly Reconcile[];
  /** Who is held before its dequeue: it has left the queue, and its reconcile has not begun. */
  readonly held: readonly Hold[];
  readonly ready: readonly Wait[];
  readonly delayed: readonly Wait[];
  /** When the one that has waited longest in the queue came in, 0 when it is empty. */
  readonly oldest: number;
  /** The order is not the queue's own but modelled. */
  readonly modelled: boolean;
}

/** queueNow is a controller's queue at t. */
export function queueNow(model: Model, controller: string, t: number): QueueNow {
  const recent = model.until(controller, "", t, looked);
  const active = recent.filter((run) => run.to === 0 || run.to > t);
  const nameless = model
    .holdsAt(controller, t)
    .filter(({ reconcile = "", item = "" }) => reconcile === "" && item !== "");
  const held = nameless.filter((hold) => !active.some((run) => isHoldOf(hold, run)));
  const ready = model.queueAt(controller, t).filter(({ item }) => !held.some((hold) => hold.item === item));
  return {
    active,
    held,
    ready,
    delayed: model.waitingAt(controller, t),
    oldest: ready.reduce((min, { from }) => (min === 0 ? from : Math.min(min, from)), 0),
    modelled: recent.at(-1)?.queue.modelled === true,
  };
}

export const queueView: View = {
  sign: ({ model, lane, t, following }) => {
    const { active, held, ready, delayed } = queueNow(model, lane?.key ?? "", t);
    const waits = [...ready, ...delayed].slice(0, 2 * listed).map((wait) => `${wait.key}${String(wait.priority)}`);
    return [
      lane?.depth,
      lane?.delayed,
      following,
      [...active, ...held].map(({ key }) => key),
      following && active.map((run) => isMarked(model, run.controller, run.item)),
      waits,
      ready.length,
    ].join();
  },
  nodes: ({ model, lane, t, following }) => {
    const name = lane?.key ?? "";
    const now = queueNow(model, name, t);
    // Of many items not every row is sent: what is live is counted by the controller's own row.
    const total = (rows: readonly Wait[], exact = 0): number =>
      following ? Math.max(rows.length, exact) : rows.length;
    const ready = total(now.ready, lane?.depth);
    const delayed = total(now.delayed, lane?.delayed);
    const active = now.active.length + now.held.length;
    const under = now.active.map((run) => activeRow(run, following && isMarked(model, run.controller, run.item)));
    const oldest =
      now.oldest === 0
        ? ""
        : h("span", {}, " · oldest ", h("span", { "data-since": now.oldest }, duration(t - now.oldest)));
    return [
      h("h2", { class: "panel-title" }, `Queue of ${name}`),
      h(
        "p",
        { class: "panel-sub" },
        `${count(ready)} ready · ${count(delayed)} waiting · ${count(active)} under way`,
        oldest,
      ),
      part("Under way", [...under, ...now.held.map(heldRow)], active),
      part(
        "In the queue, the next first",
        now.ready.slice(0, listed).map((wait) => readyRow(wait, t)),
        ready,
      ),
      now.modelled &&
        ready > 0 &&
        h("p", { class: "quiet" }, "The order is modelled: controller-runtime's queue keeps its own to itself."),
      part(
        "In the waiting room",
        now.delayed.slice(0, listed).map((wait) => delayedRow(wait, t)),
        delayed,
      ),
    ].filter((node) => node !== false);
  },
};

function part(title: string, list: readonly HTMLElement[], total: number): HTMLElement | false {
  const more = total - list.length;
  const rest = more > 0 && h("li", { class: "quiet" }, `and ${count(more)} more`);
  return total > 0 && section(title, h("ol", { class: "stays" }, ...list, rest));
}

function stay(item: string, why: string, time: HTMLElement | string, go?: string): HTMLElement {
  const name = h("button", { class: "link", type: "button", "data-item": item, "data-go": go }, item);
  return h(
    "li",
    { class: "stay" },
    name,
    h("span", { class: "stay-why" }, why),
    h("span", { class: "stay-time" }, time),
  );
}

function activeRow(run: Reconcile, marked: boolean): HTMLElement {
  const time = h("span", { "data-since": run.start });
  return stay(run.item, `worker ${String(run.worker)}${marked ? " · marked: comes again" : ""}`, time, run.key);
}

function heldRow({ item = "", worker, phase, from }: Hold): HTMLElement {
  return stay(item, `worker ${String(worker)} · held before ${phase}`, h("span", { "data-since": from }));
}

function readyRow({ item, why = "", from, priority = 0, causes = 0 }: Wait, t: number): HTMLElement {
  const said = [
    word(why),
    causes > 1 ? `${String(causes)} causes` : "",
    priority !== 0 ? `priority ${String(priority)}` : "",
  ];
  const time = h("span", { "data-since": from }, duration(t - from));
  return stay(item, said.filter((s) => s !== "").join(" · "), time);
}

function delayedRow({ item, why = "", until = 0, requeues = 0 }: Wait, t: number): HTMLElement {
  const nth = why === "backoff" && requeues > 0 ? `, ${ordinal(requeues)} time` : "";
  const time = until === 0 ? "–" : h("span", { "data-until": until }, dueIn(until - t));
  return stay(item, `${word(why)}${nth}`, time);
}
