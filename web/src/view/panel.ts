/** The side panel: the latest reconciles, what is selected, or one of the other views. */
import type { NodeId } from "../base/geometry.ts";
import type { Reconcile } from "../base/rows.gen.ts";
import { SECOND, dueIn, duration } from "../base/time.ts";
import { stationOf } from "../layout/spotlight.ts";
import { asOf, settled } from "../model/known.ts";
import type { App, Selection } from "./app.ts";
import { copied, h, say } from "./dom.ts";
import { findingsAt } from "./findings.ts";
import { head } from "./head.ts";
import { later } from "./later.ts";
import { linkHere } from "./link.ts";
import { toldFor } from "./notice.ts";
import { keepingPlace } from "./redraw.ts";
import { whole } from "./rows.ts";
import { Runs } from "./runs.ts";
import { RunView } from "./runview.ts";
import type { Scope, View } from "./scope.ts";
import { standsStill } from "./standstill.ts";
import { Tabs, isTab, ofSelection } from "./tabs.ts";
import type { Tab } from "./tabs.ts";

/** So many reconciles are listed at first, and twice as many more each time that older ones are asked for. */
const listed = 60;
/** So many may have begun, or come to the queue, since what the picture shows when it follows. */
const ahead = 1000;
/** Without a reconcile for so long, a controller with a red cause does nothing. */
const nothingFor = 20 * SECOND;

export class PanelElement extends HTMLElement {
  private app: App | undefined;
  private readonly runs = new Runs(() => {
    this.listed += 2 * listed;
    this.paint();
  });
  private listed = listed;
  private readonly body = h("div", { class: "view" });
  readonly later = later(() => this.app?.wake());
  private readonly runView = new RunView(this.later);
  private readonly views: Readonly<Record<Exclude<Tab, "latest">, View>> = {
    queue: this.later.view("queue"),
    charts: this.later.view("charts"),
    start: this.later.view("start"),
    findings: this.later.view("findings"),
    run: this.runView,
    item: this.later.view("item"),
    chain: this.later.view("chain"),
  };
  private readonly tabs = new Tabs((lane) => {
    this.lane = lane;
    // What was shown by itself is what was chosen now.
    this.all ??= "start";
    this.app?.wake();
  });
  /** The view of everything that was chosen, undefined as long as none was; and the view of what is selected. */
  private all: Tab | undefined;
  private selected: Tab = "run";
  private lane = "";
  /** What the body was drawn from. */
  private drawn = "";
  /** The reconcile and its phase that were marked last. */
  private step: { readonly run: string | undefined; readonly node: NodeId | undefined } = {
    run: undefined,
    node: undefined,
  };
  /** The reconcile of which the body speaks, "" for none. */
  private shown = "";
  /** What became of the last copy, the button that was pressed for it with its own words, and the reconcile that was shown then. */
  private taken = { selector: "", said: "", own: "", shown: "" };
  private forgetting = 0;
  /** The pointer is down: what is under it stays until it is up, so that a click arrives. */
  private held = false;
  private size = { looks: -1, width: 0, letters: 0 };

  connect(app: App): void {
    this.app = app;
    this.tabs.paint("latest", 0, [], "");
    // Above what scrolls. What the hub has rendered stays until there is something to be drawn.
    this.before(this.tabs.root);
    this.addEventListener("click", (event) => {
      this.press(event);
    });
    this.addEventListener("keydown", (event) => {
      this.later.panels?.walkKey(event, this.scope(app));
    });
    this.addEventListener("pointerdown", () => (this.held = true));
    for (const up of ["pointerup", "pointercancel"])
      addEventListener(up, () => {
        // The click comes after it.
        setTimeout(() => {
          this.held = false;
          app.wake();
        });
      });
    document.addEventListener("click", ({ target }) => {
      const button = target instanceof Element ? target.closest<HTMLElement>("[data-panel]") : null;
      const tab = button?.dataset["panel"] ?? "";
      if (isTab(tab)) this.show(tab, button?.closest<HTMLElement>("[data-lane]")?.dataset["lane"]);
    });
    this.later.whenIdle();
    app.filter.subscribe(() => {
      this.listed = listed;
    });
    app.selection.subscribe(() => {
      if (app.selection.get() === undefined) this.selected = "run";
      this.forget();
      this.toTop();
    });
  }

  /** Shows a view, of that controller where it is of one. */
  private show(tab: Tab, lane: string | undefined): void {
    if (lane !== undefined) this.lane = lane;
    this.later.again();
    if (ofSelection(tab)) this.selected = tab;
    else {
      this.all = tab;
      this.app?.selection.set(undefined);
    }
    this.toTop();
    this.app?.wake();
  }

  /** Shows the list as its tab does; answers its title. */
  list(): HTMLElement | null {
    this.tabs.root.querySelector<HTMLElement>('[data-panel="latest"]')?.click();
    this.paint();
    return this.querySelector(".panel-title");
  }

  private toTop(): void {
    this.scrollTop = 0;
    // On a narrow page it is the page that scrolls.
    if (this.tabs.root.getBoundingClientRect().top < 0) this.tabs.root.scrollIntoView();
  }

  paint(): void {
    whole(this.steps());
  }

  /** Paints it, some of its list with each step. */
  *steps(): Generator<void> {
    const app = this.app;
    if (app === undefined) return;
    if (!this.body.isConnected) this.replaceChildren(this.body);
    const scope = this.scope(app);
    const tab = this.tabOf(scope);
    const lanes = app.model.lanes(scope.t).map(({ name }) => name);
    this.tabs.paint(tab, findingsAt(app.model.findings(), scope.t).length, lanes, scope.lane?.key ?? "");
    if (tab === "latest") yield* this.paintList(app);
    else this.paintView(tab, scope);
  }

  private scope(app: App): Scope {
    const { model, playhead } = app;
    const { following } = playhead;
    const selection = app.selection.get();
    const moment = following ? app.watch.hubNow() : playhead.now();
    if (this.size.looks !== app.looks.get()) {
      const { paddingLeft, fontSize } = getComputedStyle(this);
      const width = this.clientWidth - 2 * Number.parseFloat(paddingLeft);
      this.size = { looks: app.looks.get(), width, letters: Number.parseFloat(fontSize) };
    }
    const { width, letters } = this.size;
    const whole = selection === undefined ? undefined : this.runOf(app, selection);
    const holds = model.holds();
    // Who stops in a phase reads what came of it.
    const t = whole !== undefined && playhead.paused ? settled(whole, moment, holds) : moment;
    const run = whole && asOf(whole, t, holds);
    const lane = model.controller(this.lane) ?? model.lanes(t)[0]?.controller;
    return { app, model, t, following, zone: app.zone(), lane, selection, run, width, letters };
  }

  private runOf(app: App, { controller, item, reconcile }: Selection): Reconcile | undefined {
    const known = app.model.reconcile(reconcile);
    return known ?? app.model.until(controller, item, app.playhead.now() + SECOND, 1)[0];
  }

  private tabOf(scope: Scope): Tab {
    if (scope.selection !== undefined) return scope.run === undefined ? "item" : this.selected;
    return this.all ?? (this.standsStill(scope) ? "start" : "latest");
  }

  /** A controller that is attached and does nothing because of a red cause is shown by itself. */
  private standsStill({ app, model, t, following }: Scope): boolean {
    // Of a hub that is gone nothing more is known.
    if (!following || app.watch.connection().state === "lost") return false;
    const still = model.lanes(t).find(({ controller, name }) => {
      if (!standsStill(controller, t)) return false;
      return (model.recent(name, 1)[0]?.start ?? 0) < t - nothingFor;
    });
    if (still !== undefined) this.lane = still.name;
    return still !== undefined;
  }

  private *paintList(app: App): Generator<void> {
    const { activeElement } = document;
    const from = this.contains(activeElement) || this.tabs.root.contains(activeElement) ? this.shown : "";
    this.shown = "";
    const anew = this.drawn !== "latest";
    if (anew) this.body.replaceChildren(this.runs.root);
    this.drawn = "latest";
    this.tabIndex = -1;
    const t = app.playhead.now();
    const { following } = app.playhead;
    const all = app.filter.get().recent(app.model, following ? this.listed + ahead : Infinity);
    // What is in the queue does not run yet.
    const there = all.filter((run) => run.start <= t);
    const visible = there.slice(0, this.listed).map((run) => asOf(run, t, []));
    const more = there.length > visible.length;
    const many = app.model.lanes(t).length > 1;
    const sought = app.filter.get().on;
    // A list that follows what is live grows by itself; one that stands at a moment changes only with it.
    const moment = `${following ? "live" : String(t)} ${String(this.listed)}`;
    const called = (item: string): string => app.model.called(item);
    const nth = (run: Reconcile): number => app.model.nth(run).n;
    const rows = this.runs.paint(visible, {
      now: app.watch.hubNow(),
      zone: app.zone(),
      called,
      nth,
      many,
      sought,
      moment,
      more,
    });
    // A list that has not been seen is there at once.
    if (anew) whole(rows);
    else yield* rows;
    // Back from a reconcile, the focus is on its row again.
    if (from !== "") this.runs.focus(from);
  }

  private paintView(tab: Exclude<Tab, "latest">, scope: Scope): void {
    const view = this.views[tab];
    const sign = [tab, scope.selection?.item, scope.run?.key, view.sign(scope)].join();
    if (sign !== this.drawn && !this.held) {
      const named = ofSelection(tab) && scope.run !== undefined ? [head(scope.run, scope)] : [];
      keepingPlace(this, () => {
        this.body.replaceChildren(...named, ...view.nodes(scope));
      });
      this.drawn = sign;
      // Where nothing in it takes the focus, it does itself, to be scrolled by keys.
      this.tabIndex = this.body.querySelector("button, summary, [tabindex='0']") === null ? 0 : -1;
      this.shown = scope.run?.key ?? "";
      this.answer();
    }
    this.runView.tick(this.body, scope);
    this.markStep(tab, scope);
    for (const left of this.body.querySelectorAll<HTMLElement>("[data-until]"))
      say(left, dueIn(Number(left.dataset["until"]) - scope.t));
    for (const age of this.body.querySelectorAll<HTMLElement>("[data-since]"))
      say(age, duration(Math.max(0, scope.t - Number(age.dataset["since"]))));
  }

  /** While one steps through a reconcile, what tells of the phase is marked, and each step brings it into sight. */
  private markStep(tab: Tab, { run, app }: Scope): void {
    const { playhead } = app;
    // As it is told, not as it was known then: a copy has another layout.
    const whole = tab === "run" && playhead.paused ? app.model.reconcile(run?.key ?? "") : undefined;
    const node = whole && stationOf(whole, playhead.now(), app.model.holds())?.node;
    const marked: HTMLElement[] = [];
    for (const element of this.body.querySelectorAll<HTMLElement>("[data-step]")) {
      const here = element.dataset["step"] === node;
      element.classList.toggle("is-step", here);
      if (here) marked.push(element);
    }
    const step = { run: run?.key, node };
    const stepped = step.run === this.step.run && node !== undefined && node !== this.step.node;
    this.step = step;
    if (!stepped) return;
    // Where not all of it has room it is the end that is seen: what was read, planned or written.
    for (const element of [marked[0], marked.at(-1)]) element?.scrollIntoView({ block: "nearest" });
  }

  private take(button: HTMLElement, app: App): void {
    const { run, t } = this.scope(app);
    const finding = app.model.findings().find(({ key }) => key === button.dataset["key"]);
    const issue = async (): Promise<string> => {
      const texts = await this.later.get();
      if (finding !== undefined) return texts?.findingText(finding, app.model) ?? "";
      return run === undefined ? "" : (texts?.issueText(run, app.model, t) ?? "");
    };
    const text = button.dataset["take"] === "link" ? Promise.resolve(linkHere(app)) : issue();
    const { take = "", key } = button.dataset;
    const selector = `[data-take="${take}"]${key === undefined ? "" : `[data-key="${CSS.escape(key)}"]`}`;
    this.forget();
    const own = button.textContent;
    const { shown } = this;
    const answer = (said: string): void => {
      this.taken = { selector, said, own, shown };
      this.answer();
      this.forgetting = window.setTimeout(() => {
        this.forget();
      }, toldFor);
    };
    void text.then(copied).then(
      (ok) => {
        answer(ok ? "Copied" : "The browser forbids copying");
      },
      () => {
        answer("The hub does not answer");
      },
    );
  }

  /** What became of the last copy stands on its button for a while, also when that is drawn anew. */
  private answer(): void {
    const { selector, said, shown } = this.taken;
    const button = selector === "" || shown !== this.shown ? null : this.body.querySelector(selector);
    if (button !== null) say(button, said);
  }

  /** The button of the last copy says again what it is for. */
  private forget(): void {
    clearTimeout(this.forgetting);
    this.taken.said = this.taken.own;
    this.answer();
    this.taken.selector = "";
  }

  private press({ target }: MouseEvent): void {
    const { app } = this;
    if (!(target instanceof Element) || app === undefined) return;
    if (target.closest("[data-servers]") !== null) {
      this.runView.servers = !this.runView.servers;
      return this.paint();
    }
    if (target.closest("[data-clear]") !== null) return app.selection.set(undefined);
    const take = target.closest<HTMLElement>("[data-take]");
    if (take !== null) return this.take(take, app);
    const { go = "", item, of, write } = target.closest<HTMLElement>("[data-go], [data-item]")?.dataset ?? {};
    if (this.go(go, write) || item === undefined) return;
    this.selected = "item";
    app.selection.set({ controller: of ?? this.scope(app).lane?.key ?? "", item, reconcile: "" });
  }

  /** Shows a reconcile, in its own view where it opens or lights a write of it; false where it is not known. */
  go(reconcile: string, write = "", opens = write !== ""): boolean {
    const run = this.app?.model.reconcile(reconcile);
    this.runView.lit = write;
    if (opens) this.selected = "run";
    if (run !== undefined) this.app?.selection.set({ controller: run.controller, item: run.item, reconcile });
    return run !== undefined;
  }
}
