/** One bar of the waterfall, as view and tests know it. */
export interface Bar {
  readonly name: string;
  /** 0: a phase, 1: a read or write in it, 2 and more: what served the write. */
  readonly level: number;
  readonly from: number;
  /** 0: still going on. */
  readonly to: number;
  readonly tone: "quiet" | "accent" | "ok" | "error" | "warn";
  readonly value: string;
  readonly title: string;
  /** The phase at which it is marked; absent for what lies in one. */
  readonly step?: string;
  /** The span of a write, by which a cause finds it; absent elsewhere. */
  readonly write?: string;
}
