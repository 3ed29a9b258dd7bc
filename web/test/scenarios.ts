/** The scenarios that the hub's fold is tested with: what it takes in, what it puts out, and the rows at the end. */
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RowsFrame } from "../src/base/frames.ts";
import { parseFrame, parseRow } from "../src/base/guards.ts";
import type { Row } from "../src/base/rows.gen.ts";

const folder = join(dirname(fileURLToPath(import.meta.url)), "../../server/flow/testdata/scenarios");

export interface Scenario {
  readonly name: string;
  /** One frame for each step of the fold, as the watch would send it. */
  readonly frames: readonly RowsFrame[];
  /** The rows that the fold holds in the end. */
  readonly rows: readonly Row[];
}

interface File {
  readonly inputs: readonly { readonly offset: number; readonly now: number }[];
  readonly outputs: readonly (readonly { readonly row?: unknown; readonly gone?: unknown }[])[];
  readonly rows: readonly unknown[];
}

/** scenarios reads them all. A row that the guards refuse is an error: the generated types do not fit the fold. */
export function scenarios(): Scenario[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names.sort().map((file) => {
    const { inputs, outputs, rows } = JSON.parse(readFileSync(join(folder, file), "utf8")) as File;
    const frames = inputs.map(({ offset, now }, i) => frameOf(offset, now, outputs[i] ?? []));
    return { name: file.replace(".json", ""), frames, rows: rows.map(rowOf) };
  });
}

function frameOf(offset: number, now: number, outputs: File["outputs"][number]): RowsFrame {
  const rows = outputs.flatMap((output) => output.row ?? []);
  const gone = outputs.flatMap((output) => output.gone ?? []);
  const result = parseFrame(JSON.stringify({ type: "rows", offset, now, rows, gone }), fail);
  if (!result.ok || result.value.type !== "rows") throw new Error("not a frame of rows");
  return result.value;
}

function rowOf(json: unknown): Row {
  const result = parseRow(json);
  return result.ok ? result.value : fail(result.problem);
}

function fail(problem: string): never {
  throw new Error(problem);
}
