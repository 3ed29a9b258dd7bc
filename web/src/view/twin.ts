/** The map as text: who is where. Read by screen readers, and the map itself on a small screen. */
import { countdown, count } from "../base/time.ts";
import type { ActiveNode, Scene } from "../scene/types.ts";
import type { App } from "./app.ts";
import { h, say } from "./dom.ts";
import { plural, word } from "./words.ts";

const stations = [
  ["waiting", "Waiting room"],
  ["queue", "Queue"],
  ["dequeue", "Dequeue"],
  ["fetch", "Fetch"],
  ["compute", "Compute"],
  ["apply", "Apply"],
  ["requeue", "Requeue?"],
  ["done", "Done"],
] as const;

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
    for (const lane of lanes) {
      const done = lane.controller.reconciles - lane.controller.errors;
      for (const [id] of stations)
        this.fill(lane.name, id, whoIs(scene, lane.name, id, done), briefOf(scene, lane.name, id, done));
    }
  }

  private build(names: readonly string[]): void {
    this.lanes = names.join();
    this.rows.clear();
    this.replaceChildren(...names.flatMap((name) => this.lane(name, names.length > 1)));
  }

  private lane(name: string, many: boolean): HTMLElement[] {
    const list = h("ol", { class: "stations", "aria-label": `Where the items of ${name} are` });
    for (const [id, title] of stations) {
      const who = h("span", { class: "station-who" });
      const brief = h("span", { class: "station-brief", "aria-hidden": "true" });
      const row = h("li", { class: "station", "data-station": id });
      row.append(h("span", { class: "station-name" }, title), who, brief);
      this.rows.set(`${name}/${id}`, { row, who, brief });
      list.append(row);
    }
    return many ? [h("h3", { class: "station-lane" }, name), list] : [list];
  }

  private fill(lane: string, id: string, text: string, brief: string): void {
    const station = this.rows.get(`${lane}/${id}`);
    if (station === undefined) return;
    say(station.who, text);
    say(station.brief, brief);
    station.row.classList.toggle("is-lit", text !== "–" && id !== "done");
  }
}

function whoIs(scene: Scene, lane: string, id: string, done: number): string {
  const own = scene.lanes.find((candidate) => candidate.lane === lane);
  if (id === "queue") return list((own?.queue ?? []).map((slot) => `${slot.label} (${slot.sub})`));
  if (id === "waiting") {
    return list((own?.waiting ?? []).map((ring) => `${ring.label} (${word(ring.why)}, ${countdown(ring.left)})`));
  }
  if (id === "done") return `${count(done)} without an error`;
  const here = (node: ActiveNode): boolean => node.lane === lane && node.node === id;
  return list(scene.nodes.filter(here).map((node) => node.label));
}

function briefOf(scene: Scene, lane: string, id: string, done: number): string {
  const own = scene.lanes.find((candidate) => candidate.lane === lane);
  if (id === "queue") return own?.queue.length === 1 ? (own.queue[0]?.label ?? "") : String(own?.queue.length ?? 0);
  if (id === "done") return count(done);
  return scene.nodes.find((node) => node.lane === lane && node.node === id)?.label ?? "";
}

function list(names: readonly string[]): string {
  if (names.length === 0) return "–";
  const shown = names.slice(0, 4);
  const more = names.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${plural(more, "other", "others")}` : "");
}
