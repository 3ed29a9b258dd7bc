import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

import { type Page, test as base } from "@playwright/test";

const root = resolve(import.meta.dirname, "..", "..");
const binary = process.env["TRACER_BIN"] ?? join(root, "bin", "tracer");

/** The presenter's token of every hub here, and the one of controllers. */
const tokens = { TRACER_TOKEN: "e2e-token-for-the-presenter", TRACER_INGEST_TOKEN: "e2e-token-for-controllers" };

/** A tracer that runs until it is stopped: a hub to which nothing is attached, or one that shows a file. */
export class Hub {
  private constructor(
    private readonly child: ChildProcess,
    readonly folder: string,
    readonly login: string,
  ) {}

  /** Starts tracer with these arguments; {folder} in them is a folder of its own. */
  static async start(...args: string[]): Promise<Hub> {
    const folder = await mkdtemp(join(tmpdir(), "tracer-e2e-hub-"));
    const own = args.map((arg) => arg.replace("{folder}", folder));
    const child = spawn(binary, own, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...tokens } });
    const login = await new Promise<string>((done, fail) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        if (line.startsWith("ready: ")) done(line.slice("ready: ".length));
      });
      child.once("error", fail);
      child.once("exit", (code) => fail(new Error(`tracer ${own.join(" ")} ended with ${String(code)}`)));
    });
    return new Hub(child, folder, login);
  }

  static serve(): Promise<Hub> {
    return Hub.start("serve", "--listen", "127.0.0.1:0", "--otlp-grpc", "off", "--data", "{folder}");
  }

  static replay(file: string): Promise<Hub> {
    return Hub.start("replay", file, "--open=false");
  }

  get origin(): string {
    return new URL(this.login).origin;
  }

  /** Stops it in its tracks, as a machine that has no memory left does; its connections stay open. */
  freeze(): void {
    this.child.kill("SIGSTOP");
  }

  thaw(): void {
    this.child.kill("SIGCONT");
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
