import { Groups } from "../base/groups.ts";
import type { Edge, Finding, Gap, Row, Wait } from "../base/rows.gen.ts";

/** What panels ask of rows by what they belong to: each kind indexed, none searched through. */
export class Related {
  private readonly edges = new Groups<Edge>((edge) => [edge.write.reconcile]);
  private readonly found = new Groups<Finding>((row) => [itemKey(row.controller, row.item), ...new Set(row.evidence)]);
  private readonly stays = new Groups<Wait>((wait) => [itemKey(wait.controller, wait.item)]);
  private readonly lost = new Groups<Gap>((gap) => [gap.controller ?? ""]);

  /** Adds a row in the place of before, its older state. */
  put(row: Row, before: Row | undefined): void {
    if (before !== undefined) this.remove(before);
    if (row.row === "edge") this.edges.add(row);
    else if (row.row === "finding") this.found.add(row);
    else if (row.row === "wait") this.stays.add(row);
    else if (row.row === "gap") this.lost.add(row);
  }

  remove(row: Row): void {
    if (row.row === "edge") this.edges.remove(row);
    else if (row.row === "finding") this.found.remove(row);
    else if (row.row === "wait") this.stays.remove(row);
    else if (row.row === "gap") this.lost.remove(row);
  }

  /** The edges that lead from a reconcile's writes to what they set off. */
  effects(reconcile: string): readonly Edge[] {
    return this.edges.get(reconcile);
  }

  /** The findings for which a reconcile is evidence. */
  evidence(reconcile: string): readonly Finding[] {
    return this.found.get(reconcile);
  }

  findings(controller: string, item: string): readonly Finding[] {
    return this.found.get(itemKey(controller, item));
  }

  waits(controller: string, item: string): readonly Wait[] {
    return this.stays.get(itemKey(controller, item));
  }

  /** The gaps of a controller; "" are those of which it is not known whose they are. */
  gaps(controller: string): readonly Gap[] {
    return this.lost.get(controller);
  }
}

function itemKey(controller: string, item: string): string {
  return `${controller}\n${item}`;
}
