/** Who may import whom, and that the pure layers know neither the page nor the clock. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const src = join(dirname(fileURLToPath(import.meta.url)), "../src");
const MAY: Readonly<Record<string, readonly string[]>> = {
  base: [],
  model: ["base"],
  net: ["base", "model"],
  layout: ["base", "model"],
  scene: ["base", "model", "layout"],
  view: ["base", "model", "net", "layout", "scene"],
  // These scripts are loaded by themselves: what they import of the view is in both.
  classroom: ["base", "model", "view"],
  picture: ["scene", "view"],
  panels: ["base", "model", "layout", "view"],
};
const PAGE = /\b(?:window|document|navigator|localStorage|location)\s*[.[(]/;
const CLOCK = /\b(?:Date\.now|Math\.random|performance\.|setTimeout|setInterval|requestAnimationFrame|new Date\(\))/;

interface Source {
  readonly layer: string;
  readonly name: string;
  readonly code: string;
}

function sources(): Source[] {
  return Object.keys(MAY).flatMap((layer) =>
    readdirSync(join(src, layer))
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => ({ layer, name: `${layer}/${name}`, code: bare(readFileSync(join(src, layer, name), "utf8")) })),
  );
}

/** Code without comments: those may speak of anything. */
function bare(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "");
}

test("layers import only what is below them", () => {
  for (const { layer, name, code } of sources()) {
    for (const [, path = ""] of code.matchAll(/from "([^"]+)"/g)) {
      assert.ok(path.startsWith("."), `${name} imports the package ${path}`);
      const to = /^\.\.\/([a-z]+)\//.exec(path)?.[1] ?? layer;
      assert.ok(to === layer || MAY[layer]?.includes(to), `${name} imports ${path}`);
    }
  }
});

test("base, model, net, layout and scene know neither the page nor a clock", () => {
  for (const { layer, name, code } of sources()) {
    if (["view", "classroom", "picture", "panels"].includes(layer)) continue;
    assert.doesNotMatch(code, PAGE, name);
    assert.doesNotMatch(code, CLOCK, name);
  }
});

test("no any and no non-null assertion", () => {
  for (const { name, code } of sources()) {
    assert.doesNotMatch(code, /(?::|\bas|<) any\b/, name);
    assert.doesNotMatch(code, /[\w)\]]!(?:\.|;|\)|\[|,)/, name);
  }
});
