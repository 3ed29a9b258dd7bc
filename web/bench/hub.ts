/** A real hub, and a real load of it, each a process of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const root = resolve(import.meta.dirname, "..", "..");
const binary = process.env["TRACER_BIN"] ?? join(root, "bin", "tracer");
const generator = process.env["LOAD_BIN"] ?? join(root, "tmp", "load");

/** What the load generator says at its end. */
export interface Sent {
  readonly reconciles: number;
  readonly spans: number;
  readonly seconds: number;
  readonly refused: number;
  readonly lateP99: number;
}

export interface LoadOptions {
  readonly controllers?: number;
  readonly items?: number;
  /** How many writes each reconcile makes. */
  readonly writes?: number;
  /** Reconciles a second. */
  readonly rate: number;
  readonly errors?: number;
  /** Seconds. */
  readonly lasting: number;
  /** A controller with the library instead of made-up spans. */
  readonly library?: boolean;
}

export class Hub {
  private constructor(
    private readonly child: ChildProcess,
    private readonly data: string,
    readonly login: string,
  ) {}

  static async start(): Promise<Hub> {
    const data = await mkdtemp(join(tmpdir(), "tracer-bench-"));
    const args = ["serve", "--listen", "127.0.0.1:0", "--otlp-grpc", "off", "--data", data, "--log-level", "warn"];
    const env = {
      ...process.env,
      TRACER_TOKEN: "bench-token-of-the-presenter",
      TRACER_INGEST_TOKEN: "bench-token-of-the-emitters",
    };
    const child = spawn(binary, args, { env, stdio: ["ignore", "pipe", "ignore"] });
    const login = await new Promise<string>((done, fail) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        if (line.startsWith("ready: ")) done(line.slice("ready: ".length));
      });
      child.once("exit", (code) => {
        fail(new Error(`${binary} serve ended with ${String(code)}: make bin/tracer`));
      });
    });
    return new Hub(child, data, login);
  }

  get origin(): string {
    return new URL(this.login).origin;
  }

  /** Sends a load; ends when all of it is sent. */
  async load(options: LoadOptions): Promise<Sent | undefined> {
    const { controllers = 1, items = 50, writes = 1, rate, errors = 0, lasting, library = false } = options;
    const args = ["-hub", this.origin, "-controllers", String(controllers), "-items", String(items)];
    args.push(
      "-writes",
      String(writes),
      "-rate",
      String(rate),
      "-errors",
      String(errors),
      "-for",
      `${String(lasting)}s`,
    );
    if (library) args.push("-library");
    const env = { ...process.env, TRACER_INGEST_TOKEN: "bench-token-of-the-emitters" };
    const child = spawn(generator, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    child.stdout.on("data", (text: Buffer) => (said += text.toString()));
    const code = await new Promise<number | null>((done) => child.once("exit", done));
    if (code !== 0) throw new Error(`the load generator ended with ${String(code)}`);
    return said === "" ? undefined : (JSON.parse(said) as Sent);
  }

  async stop(): Promise<void> {
    const ended = new Promise((done) => this.child.once("exit", done));
    this.child.kill("SIGINT");
    await ended;
    await rm(this.data, { recursive: true, force: true });
  }
}
