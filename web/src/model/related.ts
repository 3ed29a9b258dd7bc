import { Groups } from "../base/groups.ts";
import type { Edge, Finding, Gap, Row, RowKind, Wait } from "../base/rows.gen.ts";

/** What panels ask of rows by what they belong to: each kind indexed, none searched through. */
export class Related {
  private readonly kinds = {
    edge: new Groups<Edge>((edge) => [edge.write.reconcile]),
    finding: new Groups<Finding>((row) => [itemKey(row.controller, row.item), ...new Set(row.evidence)]),
    wait: new Groups<Wait>((wait) => [itemKey(wait.controller, wait.item)]),
    gap: new Groups<Gap>((gap) => [gap.controller ?? ""]),
  };

  /** Adds a row in the place of before, its older state. */
  put(row: Row, before: Row | undefined): void {
    if (before !== undefined) this.remove(before);
    this.of(row)?.add(row);
  }

  remove(row: Row): void {
    this.of(row)?.remove(row);
  }

  /** Each of them holds the rows of its own kind; the compiler cannot follow the pairing. */
  private of({ row }: Row): Groups<Row> | undefined {
    return (this.kinds as Partial<Record<RowKind, unknown>>)[row] as Groups<Row> | undefined;
  }

  /** The edges that lead from a reconcile's writes to what they set off. */
  effects(reconcile: string): readonly Edge[] {
    return this.kinds.edge.get(reconcile);
  }

  /** The findings for which a reconcile is evidence. */
  evidence(reconcile: string): readonly Finding[] {
    return this.kinds.finding.get(reconcile);
  }

  findings(controller: string, item: string): readonly Finding[] {
    return this.kinds.finding.get(itemKey(controller, item));
  }

  waits(controller: string, item: string): readonly Wait[] {
    return this.kinds.wait.get(itemKey(controller, item));
  }

  /** The gaps of a controller; "" are those of which it is not known whose they are. */
  gaps(controller: string): readonly Gap[] {
    return this.kinds.gap.get(controller);
  }
}

function itemKey(controller: string, item: string): string {
  return `${controller}\n${item}`;
}
