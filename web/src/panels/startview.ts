/** "Why nothing?": the steps before a controller's loop, what its predicates have dropped, and what is missing. */
import type { Controller } from "../base/rows.gen.ts";
import { count } from "../base/time.ts";
import { DONE, FAILED } from "../layout/steps.ts";
import { h } from "../view/dom.ts";
import { section } from "../view/parts.ts";
import type { Scope, View } from "../view/scope.ts";
import { icon } from "../view/shapes.ts";
import type { Around } from "./startup.ts";
import { dropSaid, gapSaid, startSteps, verdict } from "./startup.ts";

/** As many gaps are listed, the newest. */
const listed = 20;

export const startView: View = {
  sign: (scope) => {
    const { model, lane, t } = scope;
    if (lane === undefined) return "";
    const { controls, holds, lostAt } = around(scope, lane);
    const stands = [...controls, ...holds].map((row) => row.key);
    const { key, workers, lease, synced, unsynced, watchError, stopping, connected, since, dropped } = lane;
    const steps = [key, workers, lease, synced, unsynced, watchError, stopping, connected, since, dropped];
    const gaps = model.related.gaps(key).filter((gap) => gap.from <= t);
    return [...steps, ...stands, lostAt, lastOf(model, key, t), gaps.length].join();
  },
  nodes: (scope) =>
    scope.lane === undefined ? [h("p", { class: "quiet" }, "No controller is attached.")] : shown(scope, scope.lane),
};

function lastOf(model: Scope["model"], controller: string, t: number): number {
  return model.until(controller, "", t, 1)[0]?.start ?? 0;
}

/** What stands at the moment spoken of; a delay or a fault does not make it do nothing. */
function around({ app, model, t, zone }: Scope, { key }: Controller): Around {
  const connection = app.recording === undefined ? app.watch.connection() : undefined;
  return {
    last: lastOf(model, key, t),
    zone,
    controls: model.controlsAt(t).filter(({ controller, command }) => controller === key && command === "pause"),
    holds: model.holdsAt(key, t),
    model,
    ...(connection?.state === "lost" && { lostAt: connection.asOf }),
  };
}

function shown(scope: Scope, lane: Controller): Node[] {
  const { model, t, zone, following } = scope;
  const steps = h("ol", { class: "steps-up" });
  for (const { name, ok, text } of startSteps(lane, zone)) {
    const mark = icon(ok ? DONE : FAILED);
    const said = h("span", { class: ok ? "quiet" : "tone-error" }, text);
    steps.append(
      h("li", {}, mark, h("strong", {}, name), h("span", { class: "unseen" }, ok ? " done: " : " not done: "), said),
    );
  }
  const gaps = model.related.gaps(lane.key).filter((gap) => gap.from <= t);
  const note = following ? "" : "The steps are as they are now: how they stood earlier is not kept.";
  return [
    h("h2", { class: "panel-title" }, `Why nothing? ${lane.key}`),
    h("p", { class: "part verdict" }, verdict(lane, around(scope, lane))),
    section("Before the loop", steps),
    h("p", { class: "quiet" }, note),
    section("Events dropped by predicates", drops(lane, zone)),
    section(
      "What never came",
      gaps.length === 0
        ? h("p", { class: "quiet" }, "Nothing is missing.")
        : h(
            "ul",
            {},
            ...gaps
              .slice(-listed)
              .reverse()
              .map((gap) => h("li", {}, gapSaid(gap, zone))),
          ),
    ),
  ];
}

function drops({ drops: list = [], dropped = 0 }: Controller, zone: number): HTMLElement {
  if (dropped === 0)
    return h("p", { class: "quiet" }, "None is known. A predicate that is not traced drops without being seen.");
  const named = list.reduce((sum, drop) => sum + drop.count, 0);
  const root = h("ul", { class: "drops" });
  for (const drop of list) {
    const by = `${drop.predicate === "" ? "a predicate without a name" : drop.predicate}: ${drop.kind}`;
    root.append(
      h("li", {}, h("strong", {}, count(drop.count)), ` ${by} `, h("span", { class: "rv" }, dropSaid(drop, zone))),
    );
  }
  if (dropped > named) root.append(h("li", {}, h("strong", {}, count(dropped - named)), " by other predicates"));
  return root;
}
