import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

import { type Page, test as base } from "@playwright/test";

/** One line of GET /api/v1/rows, as far as these tests look at it. */
export interface ReconcileLine {
  key: string;
  item: string;
  result: string;
  from: number;
  to: number;
  failedWrites: number;
  plan: { summary: string }[];
  phases: { name: string }[];
  writes: { method: string; resource: string; status: number; after?: string }[];
  causes: { what: string; by: string; kind?: string; write?: { reconcile: string } }[];
}

const root = resolve(import.meta.dirname, "..", "..");
const binary = process.env["TRACER_BIN"] ?? join(root, "bin", "tracer");

/** A real demo: control plane, hub, reconciler. Ends with everything it started. */
export class Demo {
  readonly log: string[] = [];

  private constructor(
    private readonly child: ChildProcess,
    readonly data: string,
    readonly login: string,
    readonly token: string,
  ) {}

  static async start(...more: string[]): Promise<Demo> {
    const data = await mkdtemp(join(tmpdir(), "tracer-e2e-"));
    const token = "e2e-token-for-the-presenter";
    const args = ["demo", "--open=false", "--listen", "127.0.0.1:0", "--data", data, "--token", token, ...more];
    const child = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"] });
    const log: string[] = [];
    createInterface({ input: child.stderr }).on("line", (line) => log.push(line));
    const login = await new Promise<string>((done, fail) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        if (line.startsWith("ready: ")) done(line.slice("ready: ".length));
      });
      child.once("error", fail);
      child.once("exit", (code) => fail(new Error(`the demo ended with ${String(code)}:\n${log.join("\n")}`)));
    });
    const demo = new Demo(child, data, login, token);
    demo.log.push(...log);
    createInterface({ input: child.stderr }).on("line", (line) => demo.log.push(line));
    return demo;
  }

  /** The viewers' link, where the demo shares. */
  get viewersLink(): string {
    const link = this.log
      .map((line) => /^ {2}(http:\S+token=\S+)/.exec(line)?.[1])
      .find((found) => found !== undefined);
    if (link === undefined) throw new Error(`the demo says no viewers' link:\n${this.log.join("\n")}`);
    return link;
  }

  get origin(): string {
    return new URL(this.login).origin;
  }

  async reconciles(item: string): Promise<ReconcileLine[]> {
    const url = `${this.origin}/api/v1/rows?row=reconcile&item=${encodeURIComponent(item)}`;
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${this.token}` } });
    if (!answer.ok) throw new Error(`${url}: ${String(answer.status)} ${await answer.text()}`);
    const lines = (await answer.text()).split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line) as ReconcileLine);
  }

  action(name: string, args: Record<string, string>): Promise<string> {
    return this.post(`actions/${name}`, args);
  }

  /** Gives a command to the controller, as the presenter. */
  command(given: Record<string, string | number>): Promise<string> {
    return this.post("control", given);
  }

  /** Asks the API for something, as the presenter; answers its text, and fails with it where that was refused. */
  async post(path: string, given: object): Promise<string> {
    const answer = await fetch(`${this.origin}/api/v1/${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json" },
      body: JSON.stringify(given),
    });
    const body = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${String(answer.status)} ${body}`);
    return body;
  }

  async stop(): Promise<void> {
    const ended = new Promise((done) => this.child.once("exit", done));
    if (this.child.exitCode === null) {
      this.child.kill("SIGINT");
      await ended;
    }
    await rm(this.data, { recursive: true, force: true });
  }
}

/** A test with a demo (one for the worker) and a page that has logged in to it. */
export const test = base.extend<{ dash: Page }, { demo: Demo }>({
  demo: [
    async ({}, use) => {
      const demo = await Demo.start("--share=127.0.0.1:0");
      await use(demo);
      await demo.stop();
    },
    { scope: "worker", timeout: 90_000 },
  ],
  dash: async ({ page, demo }, use) => {
    await page.goto(demo.login);
    // The page is there before its script: wait for what the script does last.
    await page.locator("#keys-open:not([hidden])").waitFor({ state: "attached" });
    await use(page);
  },
});

/** Chooses a theme as one does: in the menu. */
export async function choose(page: Page, theme: string): Promise<void> {
  await page.locator("#menu summary").click();
  await page.locator(`[data-theme-choice="${theme}"]`).click();
}

export { expect } from "@playwright/test";
