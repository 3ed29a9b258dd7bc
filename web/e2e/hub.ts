import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { promisify } from "node:util";

import { type Page, test as base } from "@playwright/test";

const root = resolve(import.meta.dirname, "..", "..");
const binary = process.env["TRACER_BIN"] ?? join(root, "bin", "tracer");

/** The presenter's token of every hub here, and the one of controllers. */
const tokens = { TRACER_TOKEN: "e2e-token-for-the-presenter", TRACER_INGEST_TOKEN: "e2e-token-for-controllers" };

/** Runs tracer until it is ready and, where it shares, has said the viewers' link. */
async function run(args: readonly string[]): Promise<{ child: ChildProcess; login: string; viewersLink: string }> {
  const child = spawn(binary, args, { stdio: "pipe", env: { ...process.env, ...tokens } });
  let errors = ""; // shown where it ends too early, and nowhere else
  child.stderr.on("data", (text: Buffer) => (errors = (errors + text.toString()).slice(-4000)));
  const said = (input: Readable, wanted: RegExp): Promise<string> =>
    new Promise((done, fail) => {
      createInterface({ input }).on("line", (line) => {
        const found = wanted.exec(line)?.[1];
        if (found !== undefined) done(found);
      });
      child.once("error", fail);
      child.once("close", (code) => fail(new Error(`tracer ${args.join(" ")} ended with ${String(code)}:\n${errors}`)));
    });
  const shares = args.some((arg) => arg.startsWith("--share"));
  const link = shares ? said(child.stderr, /^ {2}(http:\S+token=\S+)/) : Promise.resolve("");
  const [login, viewersLink] = await Promise.all([said(child.stdout, /^ready: (.+)/), link]);
  return { child, login, viewersLink };
}

/** A tracer that runs until it is stopped: a hub to which nothing is attached, or one that shows a file. */
export class Hub {
  private constructor(
    private child: ChildProcess,
    private readonly args: readonly string[],
    readonly folder: string,
    readonly login: string,
    /** The viewers' link, of a hub that shares. */
    readonly viewersLink: string,
  ) {}

  /** Starts tracer with these arguments; {folder} in them is a folder of its own. */
  static async start(...args: string[]): Promise<Hub> {
    const folder = await mkdtemp(join(tmpdir(), "tracer-e2e-hub-"));
    const own = args.map((arg) => arg.replace("{folder}", folder));
    const { child, login, viewersLink } = await run(own);
    return new Hub(child, own, folder, login, viewersLink);
  }

  /** A hub without a cluster, with the flags that a test needs. */
  static serve(...flags: readonly string[]): Promise<Hub> {
    return Hub.start("serve", "--listen", "127.0.0.1:0", "--otlp-grpc", "off", "--data", "{folder}", ...flags);
  }

  static replay(file: string): Promise<Hub> {
    return Hub.start("replay", file, "--open=false");
  }

  get origin(): string {
    return new URL(this.login).origin;
  }

  /** Asks as the presenter. */
  async api(path: string, more: RequestInit = {}): Promise<Response> {
    const headers = { Authorization: `Bearer ${tokens.TRACER_TOKEN}`, "Content-Type": "application/json" };
    const answer = await fetch(`${this.origin}/api/v1/${path}`, { headers, ...more });
    if (!answer.ok) throw new Error(`${path}: ${String(answer.status)} ${await answer.text()}`);
    return answer;
  }

  async embedLink(): Promise<string> {
    return ((await (await this.api("embed", { method: "POST", body: "{}" })).json()) as { url: string }).url;
  }

  /** Sends the spans of made-up reconciles: rate a second, for so many seconds. */
  async send(rate = 20, seconds = 1, ...more: readonly string[]): Promise<void> {
    const args = ["run", "./internal/load", "-hub", this.origin, "-rate", String(rate), "-for", `${String(seconds)}s`];
    await promisify(execFile)("go", [...args, ...more], { cwd: root, env: { ...process.env, ...tokens } });
  }

  /** Stops it in its tracks, as a machine that has no memory left does; its connections stay open. */
  freeze(): void {
    this.child.kill("SIGSTOP");
  }

  thaw(): void {
    this.child.kill("SIGCONT");
  }

  /** Kills the hub, and starts it again at its addresses and with its folder; one that shares for viewers at share. */
  async restart(share = new URL(this.viewersLink).host): Promise<string> {
    const ended = new Promise((done) => this.child.once("exit", done));
    this.child.kill("SIGKILL");
    await ended;
    const again = await run([...this.args, `--listen=${new URL(this.login).host}`, `--share=${share}`]);
    this.child = again.child;
    return again.viewersLink;
  }

  async stop(): Promise<void> {
    const ended = new Promise((done) => this.child.once("exit", done));
    if (this.child.exitCode === null) {
      this.child.kill("SIGINT");
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Runs tracer to its end. */
export async function tracer(...args: string[]): Promise<void> {
  const child = spawn(binary, args, { stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...tokens } });
  const code = await new Promise<number | null>((done, fail) => {
    child.once("error", fail);
    child.once("exit", done);
  });
  if (code !== 0) throw new Error(`tracer ${args.join(" ")} ended with ${String(code)}`);
}

/** Opens a hub's page and waits until its script runs. */
export async function open(page: Page, hub: Hub): Promise<void> {
  await page.goto(hub.login);
  await page.locator("#keys-open:not([hidden])").waitFor({ state: "attached" });
}

/** A test with a hub (one for the worker) to which nothing is attached. */
export const test = base.extend<object, { hub: Hub }>({
  hub: [
    async ({}, use) => {
      const hub = await Hub.serve();
      await use(hub);
      await hub.stop();
    },
    { scope: "worker" },
  ],
});

export { expect } from "@playwright/test";
