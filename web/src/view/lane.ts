/** One controller's lane: its head with exact counts, its map and the canvas above it. */
import { geometry, queueSlots, waitSlots } from "../base/geometry.gen.ts";
import { PHASES, isPhase } from "../base/geometry.ts";
import type { NodeId, Rect } from "../base/geometry.ts";
import type { Reconcile } from "../base/rows.gen.ts";
import { count, countdown, dueIn } from "../base/time.ts";
import { tookOf } from "../model/known.ts";
import type { Lane } from "../model/types.ts";
import type { ActiveNode, Behind, Held, LaneScene, QueueSlot, Token, WaitRing } from "../scene/types.ts";
import type { App } from "./app.ts";
import { aboutSaid, countsAt, newestVersion, p50Said } from "./asof.ts";
import type { Counts } from "./asof.ts";
import { attr, part, say, show } from "./dom.ts";
import { Edges } from "./edges.ts";
import { fitFirst, fitText, forgetFit, lengthOf } from "./fit.ts";
import { marksOf } from "./marks.ts";
import type { Palette } from "./shapes.ts";
import { totals } from "./split.ts";
import type { LanePart } from "./split.ts";
import { Tip } from "./tip.ts";
import { Told } from "./told.ts";
import { Tokens } from "./tokens.ts";
import type { Drawing, Measured } from "./tokens.ts";
import { crowdSaid, heldSaid, holdsWatch, isSlow, ordinal, plural, spanOrNone, word } from "./words.ts";

/** Room for names and reasons, in units of the map. */
const slotName = 100;
const slotWhole = 122;
/** With less room than this a reason says nothing any more. */
const leastWhy = 44;
const ringText = 88;
/** How many reconciles are looked through for the last before a moment. */
const looked = 200;

export class LaneElement extends HTMLElement {
  private app: App | undefined;
  private tokens: Tokens | undefined;
  private tip: Tip | undefined;
  private shown: readonly Token[] = [];
  /** What the numbers were painted from last. */
  private painted = "";
  /** The playhead's moves so far, when the boxes were painted last. */
  private moves = 0;
  /** Nothing lights a box or a line. */
  private rests = true;
  /** An item here has come again while a worker is held with it. */
  private marked = false;
  /** Whether the lines say how much goes along them, which labels then keep off. */
  private flowing = false;
  private readonly told = new Told();
  private readonly nodes = new Map<string, SVGGElement>();
  private edges: Edges | undefined;

  get lane(): string {
    return this.dataset["lane"] ?? "";
  }

  connect(app: App): void {
    this.app = app;
    for (const g of this.querySelectorAll<SVGGElement>("[data-node]")) this.nodes.set(g.dataset["node"] ?? "", g);
    this.edges = new Edges(this);
    this.tokens = new Tokens(part<HTMLCanvasElement>(this, "tokens"), geometry);
    const picture = part(this, "picture");
    this.tip = new Tip(picture);
    picture.addEventListener("click", (event) => {
      this.press(event);
    });
    picture.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") this.pick(event.target, event);
    });
    picture.addEventListener("pointermove", (event) => {
      const { left, top } = picture.getBoundingClientRect();
      const token = this.tokens?.hit(event.clientX - left, event.clientY - top);
      picture.style.cursor = token === undefined ? "" : "pointer";
      this.tip?.show(token, app.model);
      this.followTip();
    });
    picture.addEventListener("pointerleave", () => {
      this.tip?.show(undefined, app.model);
    });
  }

  /** Reads the sizes that resize needs. Reading and writing apart, the browser lays out once for all lanes. */
  measured(): Measured {
    const { clientWidth: w, clientHeight: h } = part(this, "tokens");
    return { w, h, words: this.words() };
  }

  private words(): Rect[] {
    const boxes = [...this.querySelectorAll<SVGTextElement>("svg .way, .done text")].map((text) => text.getBBox());
    return boxes.map(({ x, y, width, height }) => ({ x, y, w: width, h: height }));
  }

  /** Sizes and colours have changed. */
  resize(palette: Palette, measured: Measured): void {
    this.tokens?.resize(palette, measured);
  }

  /** Draws the lane's part of the scene; called on animation frames. */
  draw(drawn: LanePart): void {
    const { app } = this;
    const { tokens, lane } = drawn;
    const selected = app?.selection.get()?.reconcile ?? "";
    this.tokens?.draw(
      tokens,
      selected,
      (lane?.held ?? []).map(({ node }) => node),
    );
    const ringed = tokens.find((token) => token.kind === "pass" && selected !== "" && token.reconcile === selected);
    attr(this, "data-selected-at", ringed?.node ?? ringed?.edge ?? "");
    this.shown = tokens;
    this.followTip();
    const following = app?.playhead.following === true;
    const due = this.told.due(lane?.mode ?? "single", following, performance.now(), () => app?.wake());
    if (due) this.drawMap(drawn);
  }

  /** Boxes and lines. */
  private drawMap({ nodes, edges, lane, alone }: LanePart): void {
    const { app } = this;
    const rests = nodes.length + edges.length === 0;
    if (rests && !this.rests) app?.wake();
    this.rests = rests;
    this.drawStepped(alone);
    this.drawNodes(nodes);
    this.edges?.draw(edges);
    this.drawHolds(lane?.held ?? []);
    const following = app?.playhead.following === true;
    const all = totals(lane, app?.model.controller(this.lane), following);
    const marks = following ? marksOf(app.model, lane?.held ?? []) : [];
    this.drawQueue([...(lane?.queue ?? []), ...marks], all.queue);
    this.drawWaiting(lane?.waiting ?? [], all.waiting);
    const stands = app?.model.controlsAt(app.playhead.now()).filter(({ controller }) => controller === this.lane) ?? [];
    const isHeld = stands.some(holdsWatch);
    this.marked = marks.length > 0 || isHeld;
    this.drawCache(lane?.behind, isHeld);
    this.drawMode(lane);
  }

  /** The map and the tokens above it, as they are now. */
  drawing(): { readonly map: SVGSVGElement; readonly tokens: Drawing | undefined } {
    const map = this.querySelector<SVGSVGElement>("svg.map");
    if (map === null) throw new Error(`the lane ${this.lane} has no map`);
    return { map, tokens: this.tokens?.drawing(this.app?.selection.get()?.reconcile ?? "") };
  }

  private followTip(): void {
    const { tokens, shown } = this;
    if (tokens !== undefined) this.tip?.follow(shown, (token) => tokens.spot(token));
  }

  /** The exact numbers and notes; called at most ten times a second. Out of sight only the head is kept true. */
  paint(lane: Lane, inSight: boolean): void {
    const app = this.app;
    if (app === undefined) return;
    const t = app.playhead.following ? undefined : app.playhead.now();
    const { controller } = lane;
    const sign = [app.model.version, app.watch.connection().state, t ?? "live", inSight, this.rests].join();
    if (sign === this.painted) return;
    this.painted = sign;
    say(part(this, "name"), lane.name);
    say(part(this, "about"), aboutSaid(controller, app.zone()));
    show(part(this, "why"), t === undefined && lane.rate === 0);
    const counts = countsAt(app.model, lane, t);
    this.paintCounts(counts);
    say(part(this, "p50"), p50Said(app.model, this.lane, counts, t));
    if (!inSight) return;
    this.paintServer(app);
    if (app.scene()?.alone === undefined) this.paintPhases(app);
  }

  private paintCounts({ reconciles, errors }: Counts): void {
    say(part(this, "reconciles"), count(reconciles));
    say(part(this, "reconciles-word"), reconciles === 1 ? "reconcile" : "reconciles");
    say(part(this, "errors"), count(errors));
    say(part(this, "errors-word"), errors === 1 ? "error" : "errors");
    part(this, "errors")
      .closest(".figure")
      ?.classList.toggle("has-errors", errors > 0);
    part<HTMLButtonElement>(this, "errors-go").disabled = errors === 0 || document.getElementById("search") === null;
    this.note("done", count(reconciles - errors));
  }

  private paintServer(app: App): void {
    const rv = newestVersion(app.model, this.lane, app.playhead.now());
    // Of what came for an item that is marked, the version is told with its next reconcile; of what is held back, later.
    this.note("api", rv === 0 ? "etcd" : `etcd rv ${this.marked ? "≥ " : ""}${String(rv)}`);
  }

  /**
   * What nothing passes says how long it took in the last reconcile that is over; where the picture stands, in the one
   * drawn. While something is on its way in a picture that follows, what has passed since it came to now is still said.
   */
  private paintPhases({ model, playhead }: App): void {
    const { following, moves } = playhead;
    const keeps = following && !this.rests && moves === this.moves;
    this.moves = moves;
    const t = playhead.now();
    const [one = "", more] = new Set(this.shown.flatMap(({ kind, reconcile }) => (kind === "pass" ? [reconcile] : [])));
    const single = following || more !== undefined ? undefined : model.reconcile(one);
    const run =
      single ??
      model
        .until(this.lane, "", t, looked)
        .filter(({ to }) => to > 0 && to <= t)
        .at(-1);
    this.notePhases(run, t, (g) => (keeps ? part(g, "note").textContent === "" : !g.matches(".is-lit, .is-held")));
  }

  /** While one steps through a reconcile, the boxes speak of it alone, and of those ahead of it not yet. */
  private drawStepped(alone: string | undefined): void {
    const run = alone === undefined ? undefined : this.app?.model.reconcile(alone);
    if (run?.controller === this.lane) this.notePhases(run, this.app?.playhead.now() ?? 0, () => true);
  }

  /** Boxes that may say so, say how long run has been there by t. */
  private notePhases(run: Reconcile | undefined, t: number, may: (g: SVGGElement) => boolean): void {
    const holds = this.app?.model.holds() ?? [];
    for (const id of PHASES) {
      const g = this.nodes.get(id);
      if (g === undefined || !may(g)) continue;
      const took = run && tookOf(run, id, t, holds);
      this.note(id, took === undefined ? "" : spanOrNone(took.lasting));
    }
  }

  /** How far the cache is behind; a watch whose events are held back is a broken line. */
  private drawCache(behind: Behind | undefined, isHeld: boolean): void {
    const cache = this.nodes.get("cache");
    if (cache === undefined) return;
    this.querySelector('[data-edge="api-cache"]')?.classList.toggle("dashed", isHeld);
    const writes = behind === undefined ? "" : plural(behind.writes, "write behind", "writes behind");
    const late = isHeld ? "watch held" : writes;
    const note = part<SVGTextElement>(cache, "note");
    note.classList.toggle("is-warn", late !== "");
    if (late === "") say(note, "local copy");
    else fitFirst(note, [`${isHeld ? "" : (behind?.label ?? "")} ${late}`.trim(), late], geometry.nodes.cache.w - 16);
  }

  private note(node: NodeId, text: string): void {
    const g = this.nodes.get(node);
    if (g === undefined) return;
    g.classList.toggle("has-note", text !== "");
    say(part(g, "note"), text);
  }

  private drawNodes(active: readonly ActiveNode[]): void {
    const lit = new Map(active.map((node) => [node.node as string, node]));
    for (const [id, g] of this.nodes) {
      const node = lit.get(id);
      g.classList.toggle("is-lit", node !== undefined && node.dim !== true);
      if (node === undefined) continue;
      attr(g, "data-tone", node.tone);
      if (node.duration < 0 || !isPhase(id)) continue;
      const lasting = spanOrNone(node.duration);
      g.classList.add("has-note");
      fitFirst(part(g, "note"), [...(node.open ? [`${lasting} …`] : []), lasting], geometry.nodes[id].w - 8);
    }
  }

  /** A phase at which a worker is held has a hand of its own, and says for how long: "held · 12 s". */
  private drawHolds(held: readonly Held[]): void {
    for (const [id, g] of this.nodes) {
      if (!isPhase(id)) continue;
      const hold = held.find(({ node }) => node === id);
      if (hold === undefined && !g.classList.contains("is-held")) continue;
      // Its letters are bold while it is held.
      if (g.classList.contains("is-held") !== (hold !== undefined)) forgetFit(g);
      g.classList.toggle("is-held", hold !== undefined);
      g.classList.toggle("is-slowed", hold !== undefined && isSlow(hold));
      attr(g, "aria-label", hold === undefined ? (g.dataset["label"] ?? "") : `${heldSaid(hold)}, ${hold.why}`);
      const lasting = countdown(hold?.lasting ?? 0);
      if (hold === undefined) this.note(id, "");
      else {
        const word = isSlow(hold) ? "slowed" : "held";
        const brief = `${word} ${lasting.replace(/\.\d+/, "")}`;
        fitFirst(part(g, "note"), [`${word} · ${lasting}`, brief, word], geometry.nodes[id].w - 16);
      }
    }
  }

  private drawQueue(slots: readonly QueueSlot[], total: number): void {
    const g = this.nodes.get("queue");
    if (g === undefined) return;
    say(part(g, "depth"), count(total));
    show(part(g, "none"), total === 0 && slots.length === 0);
    const visible = Math.min(slots.length, total > queueSlots ? queueSlots - 1 : queueSlots);
    const held = g.querySelector<SVGGElement>(".slot:focus")?.dataset["item"];
    for (const [i, slot] of [...g.querySelectorAll<SVGGElement>(".slot")].entries()) {
      if (i === visible && total > visible) this.moreSlot(slot, total - visible, visible);
      else this.fillSlot(slot, i < visible ? slots[i] : undefined);
    }
    // The focus moves up with its item.
    const at = slots.findIndex(({ item }) => item === held);
    if (held !== undefined && at < visible)
      g.querySelectorAll<SVGGElement>(".slot")[at]?.focus({ preventScroll: true });
  }

  private fillSlot(slot: SVGGElement, item: QueueSlot | undefined): void {
    show(slot, item !== undefined);
    if (item === undefined) return;
    const name = part<SVGTextElement>(slot, "slot-name");
    const why = part<SVGTextElement>(slot, "slot-why");
    const fresh = fitText(name, item.label, slotName);
    // The reason has the room that the name leaves, which is measured only when one of them is new.
    if (fresh || why.dataset["text"] !== item.sub) {
      const room = slotWhole - lengthOf(name);
      fitText(why, room < leastWhy ? "" : item.sub, room);
      why.dataset["text"] = item.sub;
    }
    slot.classList.toggle("is-dim", item.dim === true);
    this.target(slot, item.item, item.reconcile);
  }

  private moreSlot(slot: SVGGElement, more: number, before: number): void {
    show(slot, true);
    say(part(slot, "slot-name"), moreSaid(more, before));
    say(part(slot, "slot-why"), "");
    slot.classList.remove("is-dim");
    slot.removeAttribute("data-item");
    attr(slot, "tabindex", "-1");
    slot.removeAttribute("role");
  }

  private drawWaiting(rings: readonly WaitRing[], total: number): void {
    const g = this.nodes.get("waiting");
    if (g === undefined) return;
    show(part(g, "none"), total === 0);
    const seen = Math.min(rings.length, waitSlots);
    say(part(g, "more"), total > seen ? moreSaid(total - seen, seen) : "");
    for (const [i, slot] of [...g.querySelectorAll<SVGGElement>(".ring")].entries()) this.fillRing(slot, rings[i]);
  }

  private fillRing(slot: SVGGElement, ring: WaitRing | undefined): void {
    show(slot, ring !== undefined);
    if (ring === undefined) return;
    const left = Math.max(0, Math.min(100, 100 * (1 - ring.done)));
    slot.querySelector(".ring-left")?.setAttribute("stroke-dasharray", `${left.toFixed(1)} 100`);
    const time = dueIn(ring.left);
    say(part(slot, "ring-count"), time.replace(" ", ""));
    say(part(slot, "ring-time"), time);
    fitText(part<SVGTextElement>(slot, "slot-name"), ring.label, ringText);
    const tries = ring.why === "backoff" && ring.requeues > 0 ? `, ${ordinal(ring.requeues)}` : "";
    const why = `${whyShort(ring.why)}${tries}`;
    fitText(part<SVGTextElement>(slot, "slot-why"), why, ringText + 8);
    slot.classList.toggle("is-dim", ring.dim === true);
    this.target(slot, ring.item, ring.reconcile);
  }

  /** Makes a slot a button; its name is the text that stands in it. */
  private target(g: SVGGElement, item: string, reconcile: string): void {
    attr(g, "data-item", item);
    attr(g, "data-reconcile", reconcile);
    attr(g, "tabindex", "0");
    attr(g, "role", "button");
    const selected = this.app?.selection.get();
    g.classList.toggle("is-selected", selected?.controller === this.lane && selected.item === item);
  }

  private drawMode(lane: LaneScene | undefined): void {
    const mode = part(this, "mode");
    const busy = lane !== undefined && lane.mode !== "single";
    if (this.flowing !== (lane?.mode === "flow")) {
      this.flowing = lane?.mode === "flow";
      this.tokens?.keepOff(this.words());
    }
    show(mode, busy);
    if (!busy) return;
    say(mode, crowdSaid(lane.mode, lane.rate));
  }

  private press(event: MouseEvent): void {
    const { left, top } = part(this, "picture").getBoundingClientRect();
    const token = this.tokens?.hit(event.clientX - left, event.clientY - top);
    if (token === undefined) return this.pick(event.target);
    this.select(token.item, token.reconcile);
  }

  private pick(target: EventTarget | null, key?: Event): void {
    const g = target instanceof Element ? target.closest<SVGGElement>("[data-item]") : null;
    // The page's own Space pauses, and the browser's scrolls.
    if (g !== null) key?.preventDefault();
    if (g !== null) this.select(g.dataset["item"] ?? "", g.dataset["reconcile"] ?? "");
  }

  private select(item: string, reconcile: string): void {
    this.app?.selection.set({ controller: this.lane, item, reconcile });
  }
}

/** What is not shown one by one, behind so many that are. */
function moreSaid(more: number, before: number): string {
  return before === 0 ? plural(more, "item", "items") : `+ ${count(more)} more`;
}

function whyShort(why: string): string {
  return why === "requeue_after" ? "after" : word(why);
}
