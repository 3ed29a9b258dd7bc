/** The side panel: the reconcile that is selected, or the latest ones. */
import type { Reconcile } from "../base/rows.gen.ts";
import type { App, Selection } from "./app.ts";
import { details } from "./details.ts";
import { copied, say } from "./dom.ts";
import { issueText } from "./issue.ts";
import { linkHere } from "./link.ts";
import { Runs, legend } from "./runs.ts";
import { nextSaid } from "./words.ts";

const listed = 60;

export class PanelElement extends HTMLElement {
  private app: App | undefined;
  private readonly runs = new Runs();
  private readonly legend = legend();
  /** What is drawn: a reconcile's row with the answers it was drawn from, or nothing for the list. */
  private drawn: { readonly run: Reconcile; readonly sign: string } | undefined;
  private listShown = false;
  private servers = false;

  connect(app: App): void {
    this.app = app;
    this.addEventListener("click", (event) => {
      this.press(event);
    });
    app.selection.subscribe(() => {
      this.scrollTop = 0;
      // On a narrow page it is the page that scrolls.
      if (this.getBoundingClientRect().top < 0) this.scrollIntoView();
    });
  }

  paint(): void {
    const app = this.app;
    if (app === undefined) return;
    const selection = app.selection.get();
    const run = selection === undefined ? undefined : this.runOf(app, selection);
    if (run === undefined) this.paintList(app);
    else this.paintRun(app, run);
    const legendShown = run === undefined;
    if (this.legend.isConnected !== legendShown) {
      if (legendShown) this.after(this.legend);
      else this.legend.remove();
    }
  }

  private runOf(app: App, { controller, item, reconcile }: Selection): Reconcile | undefined {
    const known = app.model.reconcile(reconcile);
    if (known !== undefined) return known;
    return app.model.reconcilesOf(controller, item).find((run) => run.start <= app.playhead.now() + 1_000_000);
  }

  private paintList(app: App): void {
    const from = this.focusMark() === undefined ? undefined : this.drawn?.run.key;
    if (!this.listShown) this.replaceChildren(this.runs.root);
    this.listShown = true;
    this.drawn = undefined;
    const t = app.playhead.now();
    const { following } = app.playhead;
    const all = app.filter.get().recent(app.model, following ? listed : Infinity);
    const visible = following ? all : all.filter((run) => run.start <= t).slice(0, listed);
    const many = app.model.lanes(t).length > 1;
    const sought = app.filter.get().on;
    // A list that follows what is live grows by itself; one that stands at a moment changes only with it.
    const moment = following ? "live" : String(t);
    this.runs.paint(visible, { now: app.watch.hubNow(), zone: app.zone(), many, sought, moment });
    // Back from a reconcile, the focus is on its row again.
    if (from !== undefined) this.runs.focus(from);
  }

  private paintRun(app: App, run: Reconcile): void {
    const now = app.watch.hubNow();
    const { n, of } = app.model.nth(run);
    const known = app.model.why(run).filter((link) => link.reconcile !== undefined).length;
    const sign = [n, of, known, this.servers, run.to === 0 ? Math.floor(now / 250_000) : 0].join();
    if (this.drawn?.run === run && this.drawn.sign === sign) {
      const text = this.querySelector('[data-part="next"]');
      if (text !== null) say(text, nextSaid(run, now, app.model.after(run)).text);
      return;
    }
    const same = this.drawn?.run.key === run.key;
    const focus = this.focusMark();
    const top = this.scrollTop;
    this.replaceChildren(...details(run, { model: app.model, now, zone: app.zone(), servers: this.servers }));
    this.listShown = false;
    this.drawn = { run, sign };
    if (same) this.scrollTop = top;
    this.restoreFocus(focus);
  }

  /** The focus lies on an element that is drawn anew: what finds its like. */
  private focusMark(): string | undefined {
    const active = document.activeElement;
    if (!(active instanceof HTMLElement) || !this.contains(active)) return undefined;
    if (active.dataset["servers"] !== undefined) return "[data-servers]";
    const label = active.getAttribute("aria-label");
    return label === null ? ".panel-title" : `[aria-label="${CSS.escape(label)}"]:not(:disabled)`;
  }

  private restoreFocus(mark: string | undefined): void {
    if (mark === undefined) return;
    const again = this.querySelector<HTMLElement>(mark) ?? this.querySelector<HTMLElement>(".panel-title");
    again?.focus({ preventScroll: true });
  }

  private toggleServers(): void {
    this.servers = !this.servers;
    this.paint();
  }

  private take(button: HTMLElement): void {
    const { app, drawn } = this;
    if (app === undefined || drawn === undefined) return;
    const text =
      button.dataset["take"] === "issue" ? issueText(drawn.run, app.model, app.watch.hubNow()) : linkHere(app);
    void copied(text).then((ok) => {
      button.textContent = ok ? "Copied" : "The browser forbids copying";
    });
  }

  private press(event: MouseEvent): void {
    if (!(event.target instanceof Element)) return;
    if (event.target.closest("[data-servers]") !== null) return this.toggleServers();
    if (event.target.closest("[data-clear]") !== null) return this.app?.selection.set(undefined);
    const take = event.target.closest<HTMLElement>("[data-take]");
    if (take !== null) return this.take(take);
    const key = event.target.closest<HTMLElement>("[data-go]")?.dataset["go"];
    const run = key === undefined ? undefined : this.app?.model.reconcile(key);
    if (run === undefined) return;
    this.app?.selection.set({ controller: run.controller, item: run.item, reconcile: run.key });
  }
}
