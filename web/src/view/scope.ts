/** What the panel's views are made from, and what a view is. */
import type { Controller, Reconcile } from "../base/rows.gen.ts";
import type { Model } from "../model/types.ts";
import type { App, Selection } from "./app.ts";

export interface Scope {
  readonly app: App;
  readonly model: Model;
  /** The moment that is spoken of, µs: the hub's now while the picture follows it, else the playhead's. */
  readonly t: number;
  readonly following: boolean;
  readonly zone: number;
  /** The controller that is selected or was chosen, undefined while there is none. */
  readonly lane: Controller | undefined;
  readonly selection: Selection | undefined;
  /** The reconcile that is selected, or the newest of the item that is. */
  readonly run: Reconcile | undefined;
  /** The width that there is, in CSS pixels. */
  readonly width: number;
  /** The size of small letters, in CSS pixels. */
  readonly letters: number;
}

/** A view draws itself whole. The panel does that when its sign changes, and keeps focus, scroll and what is open. */
export interface View {
  sign(scope: Scope): string;
  /** Buttons carry data-go (a reconcile), data-item (an item), data-panel (a view) or data-take (what to copy). */
  nodes(scope: Scope): Node[];
}

/**
 * knownAt is the moment up to which a reconcile's view speaks: one that begins later is shown whole, and what came
 * after it as far as it was known at t.
 */
export function knownAt({ t }: Scope, run: Reconcile): number {
  return Math.max(t, run.to);
}
