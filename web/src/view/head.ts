/** The head of what is said of one reconcile: which it is, and the way to those beside it. */
import type { Reconcile } from "../base/rows.gen.ts";
import { clockMs } from "../base/time.ts";
import { h, s } from "./dom.ts";
import type { Scope } from "./scope.ts";
import { span, took, unbroken } from "./words.ts";

/** head names the item and the reconcile, and leads to those beside it. */
export function head(reconcile: Reconcile, { model, t, zone }: Scope): HTMLElement {
  const runs = model.reconcilesOf(reconcile.controller, reconcile.item);
  const at = runs.findIndex((other) => other.key === reconcile.key);
  const step = (label: string, path: string, to: Reconcile | undefined): HTMLElement => {
    const rest = { class: "button round", type: "button", "aria-label": label, title: label };
    return h("button", { ...rest, disabled: to === undefined, "data-go": to?.key }, arrow(path));
  };
  const { n, of: all } = model.nth(reconcile);
  const last = runs.find(({ start }) => start <= t) ?? reconcile;
  const of = Math.max(n, last === runs[0] ? all : model.nth(last).n);
  const open = reconcile.to === 0 ? "running for " : "";
  const sub = `reconcile ${String(n)} of ${String(of)} · worker ${String(reconcile.worker)} · ${open}${span(took(reconcile, t))}`;
  const title = h("h2", { class: "panel-title is-item", tabindex: "-1", title: reconcile.item }, reconcile.item);
  const back = at < 0 ? undefined : runs[at + 1];
  const on = at <= 0 ? undefined : runs[at - 1];
  const clear = {
    class: "button round",
    type: "button",
    "aria-label": "Clear the selection (Esc)",
    "data-clear": true,
  };
  return h(
    "header",
    { class: "run-head" },
    h(
      "div",
      // A long name would leave no room for what it is the name of.
      { class: reconcile.item.length > 40 ? "panel-head" : "panel-head is-kept" },
      title,
      step("Previous reconcile of the item", "M12 4l-6 6 6 6", back),
      step("Next reconcile of the item", "M8 4l6 6-6 6", on),
      h("button", clear, arrow("M5 5l10 10M15 5L5 15")),
    ),
    h("p", { class: "panel-sub" }, unbroken(sub)),
    h("p", { class: "rv" }, `at ${clockMs(reconcile.start, zone)}`),
  );
}

function arrow(d: string): SVGSVGElement {
  const attrs = { viewBox: "0 0 20 20", width: 18, height: 18, "aria-hidden": "true" };
  return s("svg", attrs, s("path", { d, class: "stroke" }));
}
