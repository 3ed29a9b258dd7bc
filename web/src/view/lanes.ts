/** The lanes in the page: those that the server rendered and those made from the template since. */
import type { Lane } from "../model/types.ts";
import type { Scene } from "../scene/types.ts";
import type { App } from "./app.ts";
import { show } from "./dom.ts";
import { forgetFit } from "./fit.ts";
import { LaneElement } from "./lane.ts";
import { readPalette } from "./shapes.ts";
import type { Palette } from "./shapes.ts";
import { byLane } from "./split.ts";

/** What the lanes need of the page. */
export interface LanesPlace {
  readonly root: HTMLElement;
  readonly empty: HTMLElement;
  readonly template: HTMLTemplateElement;
}

/** So much of a lane, in CSS pixels, is worth to be told of. */
const leastBelow = 40;

/** Lanes draws and measures only the lanes in sight: a hub may have hundreds of controllers. */
export class Lanes {
  private readonly app: App;
  private readonly place: LanesPlace;
  private readonly byName = new Map<string, LaneElement>();
  private readonly inSight = new Set<LaneElement>();
  /** Lanes whose canvas does not fit their size or the looks any more. */
  private readonly stale = new Set<LaneElement>();
  private palette: Palette | undefined;
  private readonly sizes = new ResizeObserver((entries) => {
    for (const { target } of entries) if (target instanceof LaneElement) this.stale.add(target);
    this.refresh();
  });
  private readonly sight = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!(target instanceof LaneElement)) continue;
      if (isIntersecting) this.inSight.add(target);
      else this.inSight.delete(target);
    }
    this.refresh();
  });

  constructor(app: App, place: LanesPlace) {
    this.app = app;
    this.place = place;
    for (const lane of place.root.querySelectorAll("tracer-lane")) if (lane instanceof LaneElement) this.adopt(lane);
    place.root.addEventListener("scroll", () => {
      this.tellMore();
    });
    app.selection.subscribe(() => {
      const controller = app.selection.get()?.controller;
      if (controller !== undefined) this.reveal(controller);
    });
  }

  draw(scene: Scene): void {
    const split = byLane(scene);
    for (const lane of this.inSight) lane.draw(split(lane.lane));
  }

  /** The lanes in sight, from the top. */
  seen(): readonly LaneElement[] {
    return [...this.byName.values()].filter((lane) => this.inSight.has(lane));
  }

  paint(): void {
    const { root, empty } = this.place;
    // Until the hub has spoken, what it has rendered into the page is what is known.
    const heard = this.app.model.version > 0;
    const lanes = new Map(this.app.model.lanes(this.app.watch.hubNow()).map((lane) => [lane.name, lane]));
    this.keep(lanes);
    if (heard || this.byName.size > 0) show(empty, this.byName.size === 0);
    root.classList.toggle("is-empty", this.byName.size === 0);
    for (const [name, element] of this.byName) {
      const lane = lanes.get(name);
      if (lane !== undefined) element.paint(lane, this.inSight.has(element));
    }
  }

  /** Sizes of letters or colours have changed. */
  measure(): void {
    this.palette = undefined;
    forgetFit(this.place.root);
    for (const lane of this.byName.values()) this.stale.add(lane);
    this.refresh();
    // What is looked at stays in sight when the page has become another size.
    const selected = this.app.selection.get();
    if (selected !== undefined) this.reveal(selected.controller);
  }

  /** Scrolls a lane into sight, where the lanes scroll; a page that scrolls as a whole stays where it is. */
  reveal(controller: string): void {
    const { root } = this.place;
    const lane = this.byName.get(controller);
    if (lane === undefined || root.scrollHeight <= root.clientHeight) return;
    const room = root.getBoundingClientRect();
    const at = lane.getBoundingClientRect();
    if (at.top < room.top) root.scrollTop += at.top - room.top;
    else if (at.bottom > room.bottom) root.scrollTop += Math.min(at.bottom - room.bottom, at.top - room.top);
  }

  /** Adds and removes lanes, so that there is one for each controller. */
  private keep(lanes: ReadonlyMap<string, Lane>): void {
    const { state } = this.app.watch.connection();
    const known = state === "live" || state === "restored";
    for (const name of lanes.keys()) if (!this.byName.has(name)) this.add(name);
    for (const [name, lane] of this.byName) if (known && !lanes.has(name)) this.remove(name, lane);
  }

  /** Measures what is in sight and stale: first all that is read, then all that is written, so that the page is laid out once. */
  private refresh(): void {
    const lanes = [...this.stale].filter((lane) => this.inSight.has(lane));
    // What scrolls must scroll by the keyboard too.
    const { root } = this.place;
    root.tabIndex = root.scrollHeight > root.clientHeight ? 0 : -1;
    this.tellMore();
    const palette = (this.palette ??= readPalette(document.documentElement));
    const measured = lanes.map((lane) => lane.measured());
    for (const [i, lane] of lanes.entries()) {
      const found = measured[i];
      if (found !== undefined) lane.resize(palette, found);
      // A lane of another size may have letters of another size.
      forgetFit(lane);
      this.stale.delete(lane);
    }
    const scene = this.app.scene();
    if (scene !== undefined) this.draw(scene);
  }

  /** Says at the lower edge that there are lanes below it. */
  private tellMore(): void {
    const { root } = this.place;
    const below = root.scrollHeight - root.clientHeight - root.scrollTop;
    root.classList.toggle("has-below", this.byName.size > 1 && below > leastBelow);
  }

  private add(name: string): void {
    const copy = this.place.template.content.firstElementChild?.cloneNode(true);
    if (!(copy instanceof Element)) return;
    this.place.root.insertBefore(copy, this.place.empty);
    customElements.upgrade(copy);
    if (!(copy instanceof LaneElement)) return;
    copy.dataset["lane"] = name;
    this.adopt(copy);
  }

  private adopt(lane: LaneElement): void {
    lane.connect(this.app);
    this.byName.set(lane.lane, lane);
    this.stale.add(lane);
    this.sizes.observe(lane);
    this.sight.observe(lane);
  }

  private remove(name: string, lane: LaneElement): void {
    this.sizes.unobserve(lane);
    this.sight.unobserve(lane);
    this.inSight.delete(lane);
    this.stale.delete(lane);
    lane.remove();
    this.byName.delete(name);
  }
}
