/** One lane's lines: which are lit, and in a flow how many go along them. */
import { rate } from "../base/time.ts";
import type { ActiveEdge } from "../scene/types.ts";
import { attr, say } from "./dom.ts";

/** A line in the page. Some have no words of their own: the line before them says as much. */
interface Line {
  readonly g: SVGGElement;
  readonly path: SVGPathElement | null;
  readonly words: SVGTextElement | null;
}

export class Edges {
  private readonly lines = new Map<string, Line>();

  constructor(lane: ParentNode) {
    for (const g of lane.querySelectorAll<SVGGElement>("[data-edge]")) {
      const path = g.querySelector<SVGPathElement>(".line");
      const words = g.querySelector<SVGTextElement>('[data-part="rate"]');
      this.lines.set(g.dataset["edge"] ?? "", { g, path, words });
    }
  }

  draw(active: readonly ActiveEdge[]): void {
    const lit = new Map(active.map((edge) => [edge.edge as string, edge]));
    for (const [id, line] of this.lines) drawLine(line, lit.get(id));
  }
}

function drawLine({ g, path, words }: Line, edge: ActiveEdge | undefined): void {
  g.classList.toggle("is-own", edge?.own === true && edge.dim !== true);
  g.classList.toggle("is-dim", edge?.dim === true);
  const flows = edge !== undefined && edge.rate > 0;
  g.classList.toggle("is-flow", flows);
  attr(g, "data-tone", edge?.tone ?? "");
  g.style.setProperty("--heat", flows ? `${String(Math.round(100 * edge.heat))}%` : "");
  if (words !== null) say(words, flows ? `${rate(edge.rate)}/s` : "");
  const width = edge !== undefined && edge.width > 1 ? `${(2 * edge.width).toFixed(1)}px` : "";
  if (path !== null && path.style.strokeWidth !== width) path.style.strokeWidth = width;
}
