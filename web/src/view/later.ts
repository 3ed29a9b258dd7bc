/** The panel's views that are not shown at first: their script is loaded when the page is idle, or one of them is shown. */
import type { Finding, Reconcile } from "../base/rows.gen.ts";
import type { Model } from "../model/types.ts";
import { h } from "./dom.ts";
import type { Scope, View } from "./scope.ts";

/** The views of the script, by their tabs. */
export type LaterTab = "queue" | "charts" | "start" | "findings" | "item" | "chain";

/** What the script holds. */
export interface Panels {
  readonly views: Readonly<Record<LaterTab, View>>;
  /** A finding and a reconcile as text for an issue. now: true time, µs. */
  findingText(finding: Finding, model: Model): string;
  issueText(reconcile: Reconcile, model: Model, now: number): string;
  /** What a reconcile saw of its object's spec and status, and wrote; undefined where that is nothing. */
  spec(reconcile: Reconcile): Node | undefined;
  /** What a reconcile's writes set off; undefined where that is nothing. */
  setOff(reconcile: Reconcile, model: Model, now: number): Node | undefined;
  /** Moves the selection along an item's reconciles while its axis has the focus. */
  walkKey(event: KeyboardEvent, scope: Scope): void;
}

export class Later {
  private readonly load: () => Promise<Panels>;
  private readonly wake: () => void;
  private loading: Promise<Panels | undefined> | undefined;
  /** Once it is there. */
  panels: Panels | undefined;
  private said = "";

  constructor(load: () => Promise<Panels>, wake: () => void) {
    this.load = load;
    this.wake = wake;
  }

  /** Loads the script as soon as there is nothing better to do. That it does not come is said where it is missed. */
  whenIdle(): void {
    const load = (): void => void this.get();
    if ("requestIdleCallback" in globalThis) requestIdleCallback(load, { timeout: 3000 });
    else setTimeout(load, 1000);
  }

  /** A view is chosen: where the script did not come, it is asked for again. */
  again(): void {
    if (this.loading === undefined) this.said = "";
  }

  /** The script, undefined when the hub does not send it: it is asked for again the next time. */
  get(): Promise<Panels | undefined> {
    this.loading ??= this.load().then(
      (panels) => {
        this.panels = panels;
        this.wake();
        return panels;
      },
      () => (this.loading = undefined),
    );
    return this.loading;
  }

  /** A view of the script. While it is not there, it says so. */
  view(tab: LaterTab): View {
    return {
      sign: (scope: Scope) => this.panels?.views[tab].sign(scope) ?? this.ask(),
      nodes: (scope: Scope) => this.panels?.views[tab].nodes(scope) ?? [h("p", { class: "quiet" }, this.said)],
    };
  }

  private ask(): string {
    if (this.said === "") {
      this.said = "Loading …";
      void this.get().then((panels) => {
        this.said = panels === undefined ? "The hub did not send this view. Reload the page." : "";
        this.wake();
      });
    }
    return this.said;
  }
}
