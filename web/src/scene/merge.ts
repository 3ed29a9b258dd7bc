/** Keeps the picture readable: tokens of one outcome and place become one, and there are never too many. */
import { getOrInsert } from "../base/getorinsert.ts";
import type { Journey, Step } from "../layout/types.ts";
import type { Mode, Token } from "./types.ts";

/** Tokens that set out on an edge within this time (µs) are one. */
const TOGETHER = 100_000;
/** More tokens than this are never drawn. */
export const MOST = 600;

/** A token with what decides whether it may become one with others. */
export interface Drawn {
  readonly token: Token;
  readonly journey: Journey;
  readonly step: Step;
}

/**
 * merge applies a lane's mode. Errors, conflicts and the pinned item stay single; what the filter leaves out is not
 * merged with what it shows. sought: a filter is on, which in a flow draws what it shows, unless that is too much too.
 */
export function merge(drawn: readonly Drawn[], mode: Mode, pinned: string | undefined, sought = false): Token[] {
  if (mode === "single") return drawn.map((d) => d.token);
  const out: Token[] = [];
  const crowds = mode === "merged" || (sought && drawn.length <= MOST);
  const groups = new Map<string, Crowd>();
  for (const d of drawn) {
    if (d.journey.single || d.token.item === pinned) out.push(d.token);
    else if (crowds) addTo(groups, likeOf(d), d.token);
  }
  return [...out, ...tokensOf(groups)];
}

/** bound keeps at most MOST tokens: the rest of each place becomes one, errors and the pinned item go last. */
export function bound(tokens: readonly Token[], pinned: string | undefined): Token[] {
  if (tokens.length <= MOST) return [...tokens];
  const groups = new Map<string, Crowd>();
  const single: Token[] = [];
  for (const token of tokens) {
    if (token.tone === "error" || token.item === pinned) single.push(token);
    else
      addTo(groups, ["all", token.lane, token.edge ?? token.node, token.tone, token.shape, token.dim].join("|"), token);
  }
  return [...tokensOf(groups), ...single].slice(-MOST);
}

/** Tokens on an edge are alike by when they set out, so that they stay together all along it. */
function likeOf({ token, step }: Drawn): string {
  const place = step.kind === "move" ? `${step.edge}${String(step.back)}` : step.node;
  const when = step.kind === "move" ? Math.floor(step.from / TOGETHER) : 0;
  return [token.lane, place, String(when), step.shape, step.tone, token.dim].join("|");
}

/** Tokens that become one: the first of them stands for all. */
interface Crowd {
  readonly first: Token;
  count: number;
}

function addTo(groups: Map<string, Crowd>, key: string, token: Token): void {
  getOrInsert(groups, key, () => ({ first: token, count: 0 })).count += token.count;
}

function oneOf(key: string, { first, count }: Crowd): Token {
  if (count === first.count) return first;
  const none = { sub: "", item: "", reconcile: "", write: "" };
  return { ...first, ...none, id: key, count, label: `×${String(count)}` };
}

function tokensOf(groups: ReadonlyMap<string, Crowd>): Token[] {
  return [...groups].map(([key, crowd]) => oneOf(key, crowd));
}
