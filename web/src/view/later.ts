/** The panel's views that are not shown at first: their script is loaded when the page is idle, or one of them is shown. */
import type { Finding, Reconcile } from "../base/rows.gen.ts";
import { stationOf } from "../layout/spotlight.ts";
import type { complete } from "../model/complete.ts";
import type { Model } from "../model/types.ts";
import type { App } from "./app.ts";
import { h } from "./dom.ts";
import type { Scope, View } from "./scope.ts";

/** The views of the script, by their tabs. */
export type LaterTab = "queue" | "charts" | "start" | "findings" | "item" | "chain";

/** What the view of a reconcile needs besides it. */
export interface Around {
  readonly model: Model;
  /** True time, µs. */
  readonly now: number;
  readonly zone: number;
  /** Every span of the API server and etcd is shown, and not only the gist. */
  readonly servers: boolean;
  /** The span of the write that one has come for, "" for none. */
  readonly lit: string;
}

/** What the script holds. */
export interface Panels {
  readonly views: Readonly<Record<LaterTab, View>>;
  /** A finding and a reconcile as text for an issue. now: true time, µs. */
  findingText(finding: Finding, model: Model): string;
  issueText(reconcile: Reconcile, model: Model, now: number): string;
  /** The view of a reconcile. */
  details(reconcile: Reconcile, around: Around): Node[];
  /** What comes next of a reconcile, as of now. */
  nextText(reconcile: Reconcile, model: Model, now: number): string;
  /** Moves the selection along an item's reconciles while its axis has the focus. */
  walkKey(event: KeyboardEvent, scope: Scope): void;
  /** What the search offers while one types. */
  readonly complete: typeof complete;
  /** What tells screen readers what happened, into an element that they read. */
  voice(app: App, element: Element, where: StationOf): Part;
}

/** What lays reconciles out is in the page's own script. */
export type StationOf = typeof stationOf;

/** A part of the page, which is painted at most ten times a second. */
export interface Part {
  paint(): void;
}

/** later is the script of a page that wake paints anew. */
export function later(wake: () => void): Later {
  return new Later(async () => (await import("/static/panels.js")).panels, wake);
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

  /** The voice is silent until the script is there. */
  voice(app: App, element: Element): Part {
    let voice: Part | undefined;
    return { paint: () => (voice ??= this.panels?.voice(app, element, stationOf))?.paint() };
  }

  /** A view of the script. While it is not there, it says so. */
  view(tab: LaterTab): View {
    return {
      sign: (scope: Scope) => this.panels?.views[tab].sign(scope) ?? this.ask(),
      nodes: (scope: Scope) => this.panels?.views[tab].nodes(scope) ?? this.instead(),
    };
  }

  /** What is shown while the script is not there. */
  instead(): Node[] {
    return [h("p", { class: "quiet" }, this.said)];
  }

  /** What stands in the place of a view: nothing once the script is there. */
  ask(): string {
    if (this.panels === undefined && this.said === "") {
      this.said = "Loading …";
      void this.get().then((panels) => {
        this.said = panels === undefined ? "The hub did not send this view. Reload the page." : "";
        this.wake();
      });
    }
    return this.said;
  }
}
