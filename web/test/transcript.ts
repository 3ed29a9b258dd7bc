/** Transcripts: what a scene shows over time, as text that can be read and reviewed. UPDATE=1 rewrites them. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { geometry } from "../src/base/geometry.gen.ts";
import type { Layout } from "../src/layout/layout.ts";
import { scene } from "../src/scene/scene.ts";
import type { Scene } from "../src/scene/types.ts";

const TICK = 50;
const here = dirname(fileURLToPath(import.meta.url));

/** transcript says from from (µs) on for lasting ms, every 50 ms, what has become different: tokens by place and look, lit boxes, slots and rings. */
export function transcript(layout: Layout, from: number, lasting: number): string {
  const lines: string[] = [];
  let before = new Map<string, string>();
  for (let ms = 0; ms <= lasting; ms += TICK) {
    const now = thingsOf(scene(layout, from + ms * 1000, { geometry }));
    for (const [id, text] of now) if (before.get(id) !== text) lines.push(`${stamp(ms)} ${id} ${text}`);
    for (const id of before.keys()) if (!now.has(id)) lines.push(`${stamp(ms)} ${id} gone`);
    before = now;
  }
  return `${lines.join("\n")}\n`;
}

/** matches compares with the file test/testdata/<name>.txt. */
export function matches(name: string, text: string): void {
  const path = join(here, "testdata", `${name}.txt`);
  if (process.env["UPDATE"] === "1") {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  assert.ok(existsSync(path), `no ${path}: write it with UPDATE=1 and read it`);
  assert.equal(text, readFileSync(path, "utf8"), `${name} differs: read the difference, then UPDATE=1`);
}

function thingsOf(drawn: Scene): Map<string, string> {
  const things = new Map<string, string>();
  for (const token of drawn.tokens) {
    const place = token.edge === undefined ? `at ${token.node ?? ""}` : `on ${token.edge}`;
    const n = token.count > 1 ? ` ×${String(token.count)}` : "";
    things.set(`${token.kind} ${token.id}`, `${place}: ${token.tone} ${token.shape}${n} "${token.label}" ${token.sub}`);
  }
  for (const node of drawn.nodes) {
    const duration = node.duration < 0 || node.open ? "" : ` ${String(node.duration / 1000)} ms`;
    things.set(`box ${node.node}`, `${node.tone}${node.open ? " open" : ""}${duration}`);
  }
  for (const edge of drawn.edges) if (edge.own) things.set(`line ${edge.edge}`, "own");
  for (const lane of drawn.lanes) {
    for (const slot of lane.queue) things.set(`slot ${slot.item}`, slot.sub);
    for (const ring of lane.waiting) things.set(`ring ${ring.item}`, `${ring.why}, try ${String(ring.requeues)}`);
    for (const held of lane.held) {
      things.set(`held ${held.node}`, `${held.label} of worker ${String(held.worker)} by ${held.why}`);
    }
    if (lane.behind !== undefined) things.set("cache", `${lane.behind.label} ${String(lane.behind.writes)} behind`);
  }
  return things;
}

function stamp(ms: number): string {
  return `${(ms / 1000).toFixed(2).padStart(6)}s`;
}
