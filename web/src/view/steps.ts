/** Steps through time by phase and by reconcile; both pause the picture. */
import type { Reconcile } from "../base/rows.gen.ts";
import type { App } from "./app.ts";
import type { Stepper } from "./transport.ts";

/** How many reconciles are looked through for the one before or after. */
const reach = 20_000;

/** stepper makes the steps for an app. */
export function stepper(app: App): Stepper {
  return {
    reconcile(direction) {
      const run = neighbour(app, direction);
      if (run !== undefined) show(app, run);
    },
    phase(direction) {
      const run = app.selection.get()?.reconcile ?? "";
      const at = boundary(app, run, direction);
      if (at !== undefined) app.playhead.seek(at);
      else this.reconcile(direction);
    },
  };
}

/** The reconcile before or after the one that is selected, of the same item, or of all when none is. */
function neighbour(app: App, direction: 1 | -1): Reconcile | undefined {
  const selection = app.selection.get();
  const current = app.model.reconcile(selection?.reconcile ?? "");
  if (current === undefined || selection === undefined) {
    const t = app.playhead.now();
    const all = app.model.recent("", reach);
    return direction < 0 ? all.find((run) => run.start < t) : all.filter((run) => run.start > t).at(-1);
  }
  const own = app.model.reconcilesOf(selection.controller, selection.item);
  const at = own.findIndex((run) => run.key === current.key);
  return own[at - direction];
}

function show(app: App, run: Reconcile): void {
  app.selection.set({ controller: run.controller, item: run.item, reconcile: run.key });
  const first = app.journeyOf(run.key)?.steps.find((step) => step.kind === "stay" && step.node === "dequeue");
  app.playhead.seek(first?.from ?? run.start);
}

/** When the reconcile's token comes to the next, or came to the last, station. */
function boundary(app: App, reconcile: string, direction: 1 | -1): number | undefined {
  const t = app.playhead.now();
  const stays = app.journeyOf(reconcile)?.steps.filter((step) => step.kind === "stay") ?? [];
  const times = stays.map((step) => step.from);
  return direction > 0 ? times.find((time) => time > t + 1) : times.filter((time) => time < t - 1).at(-1);
}
