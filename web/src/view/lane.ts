/** One controller's lane: its head with exact counts, its map and the canvas above it. */
import { geometry, queueSlots, waitSlots } from "../base/geometry.gen.ts";
import type { NodeId } from "../base/geometry.ts";
import { countdown, count, rate } from "../base/time.ts";
import type { ActiveEdge, ActiveNode, Behind, LaneScene, QueueSlot, Scene, Token, WaitRing } from "../scene/types.ts";
import type { App } from "./app.ts";
import { attr, part, say, show } from "./dom.ts";
import { fitFirst, fitText } from "./fit.ts";
import type { Palette } from "./shapes.ts";
import { Tip } from "./tip.ts";
import { Tokens } from "./tokens.ts";
import { ordinal, plural, span, spanOrNone, version, word } from "./words.ts";

/** Room for names and reasons, in units of the map. */
const slotName = 100;
const slotWhole = 122;
/** With less room than this a reason says nothing any more. */
const leastWhy = 44;
const ringText = 88;

export class LaneElement extends HTMLElement {
  private app: App | undefined;
  private tokens: Tokens | undefined;
  private tip: Tip | undefined;
  private shown: readonly Token[] = [];
  private counted = false;
  private readonly nodes = new Map<string, SVGGElement>();
  private readonly edges = new Map<string, SVGGElement>();

  get lane(): string {
    return this.dataset["lane"] ?? "";
  }

  connect(app: App): void {
    this.app = app;
    for (const g of this.querySelectorAll<SVGGElement>("[data-node]")) this.nodes.set(g.dataset["node"] ?? "", g);
    for (const g of this.querySelectorAll<SVGGElement>("[data-edge]")) this.edges.set(g.dataset["edge"] ?? "", g);
    this.tokens = new Tokens(part<HTMLCanvasElement>(this, "tokens"), geometry);
    const picture = part(this, "picture");
    this.tip = new Tip(picture);
    picture.addEventListener("click", (event) => {
      this.press(event);
    });
    picture.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.pick(event.target);
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

  /** Sizes and colours have changed. */
  measure(palette: Palette): void {
    const words = [...this.querySelectorAll<SVGTextElement>("svg .way, .done text")].map((text) => text.getBBox());
    this.tokens?.measure(
      palette,
      words.map(({ x, y, width, height }) => ({ x, y, w: width, h: height })),
    );
  }

  /** Draws the lane's part of the scene; called on animation frames. */
  draw(scene: Scene): void {
    const selected = this.app?.selection.get();
    const tokens = scene.tokens.filter((token) => token.lane === this.lane);
    this.tokens?.draw(tokens, selected?.reconcile ?? "");
    const ringed = tokens.find((token) => token.kind === "pass" && token.reconcile === selected?.reconcile);
    attr(this, "data-selected-at", ringed?.node ?? ringed?.edge ?? "");
    this.shown = tokens;
    this.followTip();
    this.drawStepped(scene.alone);
    this.drawNodes(scene.nodes.filter((node) => node.lane === this.lane));
    this.drawEdges(scene.edges.filter((edge) => edge.lane === this.lane));
    const lane = scene.lanes.find((candidate) => candidate.lane === this.lane);
    this.drawQueue(lane?.queue ?? []);
    this.drawWaiting(lane?.waiting ?? []);
    this.drawCache(lane?.behind);
    this.drawMode(lane);
  }

  private followTip(): void {
    const { tokens, shown } = this;
    if (tokens !== undefined) this.tip?.follow(shown, (token) => tokens.spot(token));
  }

  /** The exact numbers and notes; called at most ten times a second. */
  paint(): void {
    const app = this.app;
    if (app === undefined) return;
    const lane = app.model.lanes(app.watch.hubNow()).find((candidate) => candidate.name === this.lane);
    if (lane === undefined) return;
    this.paintServer(app);
    // The counts are those of now: where the picture is not, they stand as they were when it left.
    if (!app.playhead.following && this.counted) return;
    this.counted = true;
    const { controller } = lane;
    say(part(this, "name"), lane.name);
    say(part(this, "about"), about(controller.kind ?? "", controller.workers, controller.connected, controller.lease));
    say(part(this, "reconciles"), count(controller.reconciles));
    say(part(this, "reconciles-word"), controller.reconciles === 1 ? "reconcile" : "reconciles");
    say(part(this, "errors"), count(controller.errors));
    say(part(this, "errors-word"), controller.errors === 1 ? "error" : "errors");
    part(this, "errors").parentElement?.classList.toggle("has-errors", controller.errors > 0);
    say(part(this, "p50"), lane.p50 === 0 ? "–" : span(lane.p50));
    this.note("done", count(controller.reconciles - controller.errors));
    this.paintPhases(app);
  }

  private paintServer(app: App): void {
    const rv = newestVersion(app, this.lane);
    this.note("api", rv === 0 ? "etcd" : `etcd rv ${version(String(rv))}`);
  }

  /** Before the first token has come by, the phases show how long the last finished reconcile took. */
  private paintPhases(app: App): void {
    const last = app.model.latestFinished(this.lane, "");
    for (const phase of last?.phases ?? []) {
      if (!isPhase(phase.name)) continue;
      const g = this.nodes.get(phase.name);
      if (g !== undefined && part(g, "note").textContent === "")
        this.note(phase.name, spanOrNone(phase.to - phase.from));
    }
  }

  private drawCache(behind: Behind | undefined): void {
    const cache = this.nodes.get("cache");
    if (cache === undefined) return;
    const late = behind === undefined ? "" : plural(behind.writes, "write behind", "writes behind");
    const note = part<SVGTextElement>(cache, "note");
    note.classList.toggle("is-warn", late !== "");
    if (late === "") say(note, "local copy");
    else fitFirst(note, [`${behind?.label ?? ""} ${late}`.trim(), late], geometry.nodes.cache.w - 16);
  }

  private note(node: NodeId, text: string): void {
    const g = this.nodes.get(node);
    if (g === undefined) return;
    g.classList.toggle("has-note", text !== "");
    say(part(g, "note"), text);
  }

  /** While one steps through a reconcile, the boxes speak of it alone, and of those ahead of it not yet. */
  private drawStepped(alone: string | undefined): void {
    const run = alone === undefined ? undefined : this.app?.model.reconcile(alone);
    if (run?.controller !== this.lane) return;
    const t = this.app?.playhead.now() ?? 0;
    for (const id of this.nodes.keys()) {
      if (!isPhase(id)) continue;
      const phase = run.phases.filter(({ name, from }) => name === id && from <= t).at(-1);
      this.note(id, phase === undefined ? "" : spanOrNone((phase.to === 0 ? t : phase.to) - phase.from));
    }
  }

  private drawNodes(active: readonly ActiveNode[]): void {
    const lit = new Map(active.map((node) => [node.node as string, node]));
    for (const [id, g] of this.nodes) {
      const node = lit.get(id);
      g.classList.toggle("is-lit", node !== undefined);
      if (node === undefined) continue;
      attr(g, "data-tone", node.tone);
      if (node.duration >= 0 && isPhase(id)) this.note(id, `${spanOrNone(node.duration)}${node.open ? " …" : ""}`);
    }
  }

  private drawEdges(active: readonly ActiveEdge[]): void {
    const lit = new Map(active.map((edge) => [edge.edge as string, edge]));
    for (const [id, g] of this.edges) {
      const edge = lit.get(id);
      g.classList.toggle("is-own", edge?.own === true);
      const line = g.querySelector<SVGPathElement>(".line");
      const width = edge !== undefined && edge.width > 1 ? `${String(2 * edge.width)}px` : "";
      if (line !== null && line.style.strokeWidth !== width) line.style.strokeWidth = width;
    }
  }

  private drawQueue(slots: readonly QueueSlot[]): void {
    const g = this.nodes.get("queue");
    if (g === undefined) return;
    say(part(g, "depth"), String(slots.length));
    show(part(g, "none"), slots.length === 0);
    const visible = slots.length > queueSlots ? queueSlots - 1 : queueSlots;
    for (const [i, slot] of [...g.querySelectorAll<SVGGElement>(".slot")].entries()) {
      const item = i < visible ? slots[i] : undefined;
      if (item === undefined && i === visible && slots.length > visible) this.moreSlot(slot, slots.length - visible);
      else this.fillSlot(slot, item);
    }
  }

  private fillSlot(slot: SVGGElement, item: QueueSlot | undefined): void {
    show(slot, item !== undefined);
    if (item === undefined) return;
    const name = part<SVGTextElement>(slot, "slot-name");
    const why = part<SVGTextElement>(slot, "slot-why");
    const fresh = fitText(name, item.label, slotName);
    // The reason has the room that the name leaves, which is measured only when one of them is new.
    if (fresh || why.dataset["text"] !== item.sub) {
      const room = slotWhole - name.getComputedTextLength();
      fitText(why, room < leastWhy ? "" : item.sub, room);
      why.dataset["text"] = item.sub;
    }
    this.target(slot, item.item, item.reconcile);
  }

  private moreSlot(slot: SVGGElement, more: number): void {
    show(slot, true);
    say(part(slot, "slot-name"), `+ ${String(more)} more`);
    say(part(slot, "slot-why"), "");
    slot.removeAttribute("data-item");
    attr(slot, "tabindex", "-1");
    slot.removeAttribute("role");
  }

  private drawWaiting(rings: readonly WaitRing[]): void {
    const g = this.nodes.get("waiting");
    if (g === undefined) return;
    show(part(g, "none"), rings.length === 0);
    say(part(g, "more"), rings.length > waitSlots ? `+ ${String(rings.length - waitSlots)} more` : "");
    for (const [i, slot] of [...g.querySelectorAll<SVGGElement>(".ring")].entries()) this.fillRing(slot, rings[i]);
  }

  private fillRing(slot: SVGGElement, ring: WaitRing | undefined): void {
    show(slot, ring !== undefined);
    if (ring === undefined) return;
    const left = Math.max(0, Math.min(100, 100 * (1 - ring.done)));
    slot.querySelector(".ring-left")?.setAttribute("stroke-dasharray", `${left.toFixed(1)} 100`);
    const time = countdown(ring.left);
    say(part(slot, "ring-count"), time.replace(" ", ""));
    say(part(slot, "ring-time"), time);
    fitText(part<SVGTextElement>(slot, "slot-name"), ring.label, ringText);
    const tries = ring.why === "backoff" && ring.requeues > 0 ? `, ${ordinal(ring.requeues)}` : "";
    const why = `${whyShort(ring.why)}${tries}`;
    fitText(part<SVGTextElement>(slot, "slot-why"), why, ringText + 8);
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
    show(mode, busy);
    if (!busy) return;
    const view = lane.mode === "flow" ? "Flow view" : "Merged view";
    say(mode, `${view}: ${rate(lane.rate)}/s; errors and pinned drawn singly`);
  }

  private press(event: MouseEvent): void {
    const { left, top } = part(this, "picture").getBoundingClientRect();
    const token = this.tokens?.hit(event.clientX - left, event.clientY - top);
    if (token === undefined) return this.pick(event.target);
    this.select(token.item, token.reconcile);
  }

  private pick(target: EventTarget | null): void {
    const g = target instanceof Element ? target.closest<SVGGElement>("[data-item]") : null;
    if (g !== null) this.select(g.dataset["item"] ?? "", g.dataset["reconcile"] ?? "");
  }

  private select(item: string, reconcile: string): void {
    this.app?.selection.set({ controller: this.lane, item, reconcile });
  }
}

function about(kind: string, workers: number, connected: boolean, lease: string | undefined): string {
  const parts = [kind, workers > 0 ? plural(workers, "worker", "workers") : ""];
  if (lease === "waiting") parts.push("waiting for the lease");
  if (!connected) parts.push("not connected");
  return parts.filter((text) => text !== "").join(" · ");
}

function isPhase(id: string): id is "dequeue" | "fetch" | "compute" | "apply" | "requeue" {
  return ["dequeue", "fetch", "compute", "apply", "requeue"].includes(id);
}

function whyShort(why: string): string {
  return why === "requeue_after" ? "after" : word(why);
}

/** The newest resourceVersion that a write of this lane made, 0 when none is known. */
function newestVersion(app: App, lane: string): number {
  const t = app.playhead.now();
  let newest = 0;
  const known = app.model.recent(lane, app.playhead.following ? 40 : 5000).filter((run) => run.start <= t);
  for (const reconcile of known.slice(0, 40)) {
    for (const write of reconcile.writes) newest = Math.max(newest, Number(write.after ?? 0) || 0);
    for (const cause of reconcile.causes) newest = Math.max(newest, Number(cause.resourceVersion ?? 0) || 0);
  }
  return newest;
}
