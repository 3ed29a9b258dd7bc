import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..", "..");
const generator = process.env["LOAD_BIN"] ?? join(root, "tmp", "load");

export interface Load {
  readonly controllers?: number;
  readonly items?: number;
  /** Reconciles a second. */
  readonly rate: number;
  /** The part of them that fails. */
  readonly errors?: number;
  /** Seconds. */
  readonly lasting: number;
}

/** Sends a hub the spans of made-up controllers; ends when all of them are sent. */
export async function load(
  origin: string,
  { controllers = 1, items = 50, rate, errors = 0, lasting }: Load,
): Promise<void> {
  const args = ["-hub", origin, "-ingest-token", "e2e-token-for-controllers", "-for", `${String(lasting)}s`];
  args.push("-controllers", String(controllers), "-items", String(items));
  args.push("-rate", String(rate), "-errors", String(errors));
  const child: ChildProcess = spawn(generator, args, { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${generator} ended with ${String(code)}: go build -o tmp/load ./internal/load`);
}
