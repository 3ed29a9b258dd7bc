/** What the measures have in common: shares of a sorted list, and the words of the table. */

/** share is the value below which the part q of values lies; NaN of none. */
export function share(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(q * (sorted.length - 1))] ?? NaN;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** One line of the table in docs/benchmarks.md. A goal of undefined is a figure by itself. */
export interface Line {
  readonly what: string;
  readonly figure: string;
  readonly goal?: string;
  readonly met?: boolean;
}

/** ms writes milliseconds with two digits at most that count. */
export function ms(value: number): string {
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
}

export function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** table writes lines as Markdown. */
export function table(lines: readonly Line[]): string {
  const rows = lines.map(({ what, figure, goal, met }) => {
    const verdict = met === undefined ? "" : met ? "met" : "**missed**";
    return `| ${what} | ${figure} | ${goal ?? "–"} | ${verdict} |`;
  });
  return ["| what | figure | goal | |", "|---|---|---|---|", ...rows].join("\n");
}

/** wait ends after so many milliseconds. */
export function wait(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}
