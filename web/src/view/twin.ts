/** The map as text: who is where. Read by screen readers, and the map itself on a small screen. */
import { dueIn, count } from "../base/time.ts";
import type { Token } from "../scene/types.ts";
import type { App } from "./app.ts";
import { countsAt } from "./asof.ts";
import { h, say } from "./dom.ts";
import { manyOf } from "./labels.ts";
import { byLane, totals } from "./split.ts";
import type { LanePart, Totals } from "./split.ts";
import { heldSaid, plural, word } from "./words.ts";

const stations = [
  ["waiting", "Waiting room"],
  ["queue", "Queue"],
  ["dequeue", "Dequeue"],
  ["fetch", "Fetch"],
  ["compute", "Compute"],
  ["apply", "Apply"],
  ["requeue", "Requeue?"],
  ["done", "Done"],
  ["api", "API server"],
  ["cache", "Informer cache"],
] as const;

/** What stands in a line of its own where the stations of the loop stand beside each other. */
const apart = new Set<string>(["waiting", "api", "cache"]);

interface Station {
  readonly row: HTMLElement;
  readonly who: HTMLElement;
  /** The same in one word, for where there is only room for that. */
  readonly brief: HTMLElement;
}

export class TwinElement extends HTMLElement {
  private app: App | undefined;
  private readonly rows = new Map<string, Station>();
  private lanes = "";

  connect(app: App): void {
    this.app = app;
  }

  paint(): void {
    const app = this.app;
    const scene = app?.scene();
    if (app === undefined || scene === undefined) return;
    const lanes = app.model.lanes(scene.t);
    const names = lanes.map((lane) => lane.name);
    if (names.join() !== this.lanes) this.build(names);
    const split = byLane(scene);
    const t = app.playhead.following ? undefined : scene.t;
    for (const lane of lanes) {
      const { reconciles, errors } = countsAt(app.model, lane, t);
      const at = split(lane.name);
      const all = totals(at.lane, lane.controller, t === undefined);
      const held = at.lane?.held ?? [];
      // An item that is held stands where it is held, and not also where its token has come to.
      const nodes = at.nodes.filter(({ item }) => !held.some((hold) => hold.item === item && item !== ""));
      const here: Here = { ...at, nodes, all, done: reconciles - errors };
      for (const [id] of stations) {
        this.fill(lane.name, id, whoIs(here, id), briefOf(here, id), isLit(here, id));
        const stands = held.some(({ node }) => node === id);
        this.rows.get(`${lane.name}/${id}`)?.row.classList.toggle("is-held", stands);
      }
    }
  }

  private build(names: readonly string[]): void {
    this.lanes = names.join();
    this.rows.clear();
    this.replaceChildren(...names.flatMap((name) => this.lane(name, names.length > 1)));
  }

  private lane(name: string, many: boolean): HTMLElement[] {
    const list = h("ol", { class: "stations", "data-of": name, "aria-label": `Where the items of ${name} are` });
    for (const [id, title] of stations) {
      const who = h("span", { class: "station-who" });
      const brief = h("span", { class: "station-brief", "aria-hidden": "true" });
      const row = h("li", { class: apart.has(id) ? "station is-row" : "station", "data-station": id });
      row.append(h("span", { class: "station-name" }, title), who, brief);
      this.rows.set(`${name}/${id}`, { row, who, brief });
      list.append(row);
    }
    return many ? [h("h3", { class: "station-lane" }, name), list] : [list];
  }

  private fill(lane: string, id: string, text: string, brief: string, lit: boolean): void {
    const station = this.rows.get(`${lane}/${id}`);
    if (station === undefined) return;
    say(station.who, text);
    say(station.brief, brief);
    station.row.classList.toggle("is-lit", text !== "–" && lit);
  }
}

/** A lane's part of the scene, with the numbers that stand beside it. */
interface Here extends LanePart {
  readonly all: Totals;
  readonly done: number;
}

/** The writes that are on their way to the API server, or there. */
function writesOf(tokens: readonly Token[]): string[] {
  const there = tokens.filter(({ kind, node, edge }) => kind === "write" && (node === "api" || edge === "apply-api"));
  return there.filter(shown).map(({ label, sub, count: n }) => `${manyOf(label, n)} (${sub})`);
}

function whoIs({ lane, nodes, tokens, all, done }: Here, id: string): string {
  if (id === "queue")
    return list(
      (lane?.queue ?? []).filter(shown).map((slot) => `${slot.label} (${slot.sub})`),
      all.queue,
    );
  if (id === "waiting") {
    const rings = (lane?.waiting ?? [])
      .filter(shown)
      .map((ring) => `${ring.label} (${word(ring.why)}, ${dueIn(ring.left)})`);
    return list(rings, all.waiting);
  }
  if (id === "done") return `${count(done)} without an error`;
  if (id === "api") {
    const writes = writesOf(tokens);
    return list(writes, writes.length);
  }
  if (id === "cache" && lane?.behind !== undefined) {
    const { label, writes } = lane.behind;
    return `${label} ${plural(writes, "own write behind", "own writes behind")}`.trim();
  }
  const held = (lane?.held ?? []).filter(({ node }) => node === id).map(heldSaid);
  const there = nodes.filter((node) => node.node === id);
  const names = there.filter(shown).map((node) => node.label);
  return list([...held, ...names], held.length + there.length);
}

/** A station at which nothing stands that matches is as quiet as an empty one. */
function isLit({ lane, nodes }: Here, id: string): boolean {
  if (id === "done") return false;
  if (id === "api" || id === "cache") return true;
  const there =
    id === "queue" ? lane?.queue : id === "waiting" ? lane?.waiting : nodes.filter((node) => node.node === id);
  return there === undefined || there.length === 0 || there.some(shown);
}

/** Only what matches the search is named; how many there are stays exact. */
function shown({ dim }: { readonly dim?: true }): boolean {
  return dim !== true;
}

function briefOf({ lane, nodes, all, done }: Here, id: string): string {
  if (id === "queue") return all.queue === 1 ? (lane?.queue.find(shown)?.label ?? "1") : count(all.queue);
  if (id === "done") return count(done);
  const held = lane?.held.find(({ node }) => node === id);
  if (held !== undefined) return held.label;
  return nodes.find((node) => node.node === id && shown(node))?.label ?? "";
}

function list(names: readonly string[], total: number): string {
  if (total === 0) return "–";
  const shown = names.slice(0, 4);
  const more = total - shown.length;
  if (shown.length === 0) return count(total);
  return shown.join(", ") + (more > 0 ? ` and ${plural(more, "other", "others")}` : "");
}
