import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { Palette } from "./shapes.ts";
import { Sprites } from "./sprites.ts";

const palette: Palette = {
  tone: { accent: "", ok: "", warn: "", error: "", own: "" },
  paper: "",
  surface: "",
  ink: "",
  quiet: "",
  line: "",
  sans: "sans",
  radius: 8,
  small: 13,
  label: 13,
};

/** The texts drawn so far. */
let drawn: string[] = [];

beforeEach(() => {
  drawn = [];
  const nothing = (): void => undefined;
  const measureText = (text: string): { width: number } => ({ width: 7 * text.length });
  const pen = { measureText, scale: nothing, strokeText: nothing, fillText: (text: string) => drawn.push(text) };
  const createElement = (): unknown => ({ getContext: () => ({ ...pen }) });
  Object.assign(globalThis, { document: { createElement } });
});

test("a label that finds no place is measured, and not drawn", () => {
  const sprites = new Sprites(palette, 1);
  assert.equal(sprites.lengthOf("web"), 21);
  assert.deepEqual(drawn, []);
  assert.deepEqual([sprites.of("web").width, sprites.of("web").width, drawn], [29, 29, ["web"]]);
});

test("labels that go on being shown are not drawn anew, however many others come and go", () => {
  const sprites = new Sprites(palette, 1);
  for (let i = 0; i < 5000; i++) {
    sprites.of("web");
    sprites.of(`web ×${String(i)}`);
  }
  assert.equal(drawn.filter((text) => text === "web").length, 1);
  sprites.of("web ×1");
  assert.equal(drawn.length, 5002, "of what is not shown any more only the newest are kept");
});
