/** What stands beside a token under the pointer: whose it is, what it does, how long it really took. */
import type { Reconcile } from "../base/rows.gen.ts";
import { tookOf } from "../model/known.ts";
import type { Model } from "../model/types.ts";
import type { Token } from "../scene/types.ts";
import { h } from "./dom.ts";
import { manyOf } from "./labels.ts";
import { span, word } from "./words.ts";

/** tipOf gives a tip's lines, the first of them its title. */
export function tipOf(token: Token, model: Pick<Model, "reconcile" | "nth" | "holds">): readonly string[] {
  const run = model.reconcile(token.reconcile);
  const named = (token.kind === "pass" || token.kind === "wait") && token.item !== "";
  const title = named ? token.item : token.label;
  return [manyOf(title, token.count), doing(token), ...passLines(token, run, model)].filter((line) => line !== "");
}

function doing({ kind, sub, item }: Token): string {
  switch (kind) {
    case "pass":
      return sub;
    case "write":
      return `write: ${sub}`;
    case "event":
      return `event for ${item}: ${sub}`;
    case "wait":
      return `waits: ${word(sub)}`;
  }
}

function passLines(token: Token, run: Reconcile | undefined, model: Pick<Model, "nth" | "holds">): string[] {
  if (run === undefined) return [];
  const { n, of } = model.nth(run);
  const nth = `reconcile ${String(n)} of ${String(of)}`;
  if (token.kind !== "pass") return [token.kind === "event" ? "" : `of ${nth}`];
  const took = token.node && tookOf(run, token.node, Infinity, model.holds());
  return [nth, took?.over === true ? `${token.node ?? ""} took ${span(took.lasting)}` : ""];
}

/** Where a tip points to. */
export interface Spot {
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

/** The tip of one lane. It stays with its token while that moves. */
export class Tip {
  private readonly root = h("div", { class: "tip", hidden: true, "aria-hidden": "true" });
  private token = "";

  constructor(picture: HTMLElement) {
    picture.append(this.root);
  }

  /** Shows a token's tip, or none. */
  show(token: Token | undefined, model: Model): void {
    if (token === undefined) return this.hide();
    const [title = "", ...lines] = tipOf(token, model);
    this.root.replaceChildren(h("strong", {}, title), ...lines.map((line) => h("span", {}, line)));
    this.root.hidden = false;
    this.token = token.id;
  }

  /** Moves with the token; ends when that is gone. at: what it may stand above or below, in CSS pixels of the picture. */
  follow(tokens: readonly Token[], at: (token: Token) => Spot): void {
    if (this.root.hidden) return;
    const token = tokens.find(({ id }) => id === this.token);
    if (token === undefined) return this.hide();
    const { x, top, bottom } = at(token);
    const { offsetWidth: w, offsetHeight: tall } = this.root;
    const room = this.root.parentElement?.clientWidth ?? Infinity;
    const left = Math.max(6, Math.min(room - w - 6, x - w / 2));
    const y = top > tall + 16 ? top - tall - 10 : bottom + 10;
    this.root.style.transform = `translate(${String(Math.round(left))}px, ${String(Math.round(y))}px)`;
  }

  private hide(): void {
    this.root.hidden = true;
    this.token = "";
  }
}
