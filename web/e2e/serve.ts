import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const root = resolve(import.meta.dirname, "..", "..");
const binary = process.env["TRACER_BIN"] ?? join(root, "bin", "tracer");
const run = promisify(execFile);

const presenter = "e2e-presenter";
const ingest = "e2e-ingest";

/** A hub by itself, without a cluster: quick to start, and with the flags that a test needs. */
export class Hub {
  private constructor(
    private readonly child: ChildProcess,
    private readonly data: string,
    readonly login: string,
  ) {}

  static async start(flags: readonly string[] = []): Promise<Hub> {
    const data = await mkdtemp(join(tmpdir(), "tracer-e2e-"));
    const args = ["serve", "--listen", "127.0.0.1:0", "--otlp-grpc", "off", "--data", data, ...flags];
    const env = { ...process.env, TRACER_TOKEN: presenter, TRACER_INGEST_TOKEN: ingest };
    const child = spawn(binary, args, { env, stdio: ["ignore", "pipe", "ignore"] });
    const login = await new Promise<string>((done, fail) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        if (line.startsWith("ready: ")) done(line.slice("ready: ".length));
      });
      child.once("exit", (code) => fail(new Error(`tracer serve ${flags.join(" ")} ended with ${String(code)}`)));
    });
    return new Hub(child, data, login);
  }

  get origin(): string {
    return new URL(this.login).origin;
  }

  async embedLink(): Promise<string> {
    const answer = await fetch(`${this.origin}/api/v1/embed`, {
      method: "POST",
      headers: { Authorization: `Bearer ${presenter}`, "Content-Type": "application/json" },
      body: "{}",
    });
    if (!answer.ok) throw new Error(`POST /api/v1/embed: ${String(answer.status)} ${await answer.text()}`);
    return ((await answer.json()) as { url: string }).url;
  }

  /** Sends the spans of made-up reconciles: rate a second, for so many seconds. */
  async send(rate = 20, seconds = 1, ...more: readonly string[]): Promise<void> {
    const args = ["run", "./internal/load", "-hub", this.origin, "-rate", String(rate), "-for", `${String(seconds)}s`];
    await run("go", [...args, ...more], { cwd: root, env: { ...process.env, TRACER_INGEST_TOKEN: ingest } });
  }

  async stop(): Promise<void> {
    const ended = new Promise((done) => this.child.once("exit", done));
    this.child.kill("SIGINT");
    await ended;
    await rm(this.data, { recursive: true, force: true });
  }
}
