import type { Scope } from "../view/scope.ts";

/** walkKey moves the selection along an item's reconciles while its axis has the focus. */
export function walkKey(event: KeyboardEvent, { app, model, selection, run, t }: Scope): void {
  if (!(event.target instanceof Element) || !event.target.matches("[data-walk]") || selection === undefined) return;
  const runs = model.until(selection.controller, selection.item, t);
  const far = Math.max(10, Math.round(runs.length / 20));
  const moves: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    PageUp: -far,
    PageDown: far,
    Home: -runs.length,
    End: runs.length,
  };
  const by = moves[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const at = runs.findIndex(({ key }) => key === run?.key);
  const next = runs[Math.max(0, Math.min(runs.length - 1, at + by))];
  if (next !== undefined) app.selection.set({ ...selection, reconcile: next.key });
}
