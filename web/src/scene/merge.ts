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

/** What is drawn as one stays so until there are so many fewer: it must not come and go from frame to frame. */
const SLACK = 60;

/**
 * bound keeps at most MOST tokens: those of the fullest places become one each, as many as it takes. Errors and the
 * pinned item go last. before are the tokens of the scene before.
 */
export function bound(tokens: readonly Token[], pinned: string | undefined, before: readonly Token[] = []): Token[] {
  if (tokens.length <= MOST - SLACK) return [...tokens];
  const places = new Map<string, Token[]>();
  const single: Token[] = [];
  for (const token of tokens) {
    if (token.tone === "error" || token.item === pinned) single.push(token);
    else getOrInsert(places, placeOf(token), () => []).push(token);
  }
  const crowds = crowdsOf(places, tokens.length - MOST, new Set(before.map(({ id }) => id)));
  const drawn = [...places].flatMap(([place, there]) => (crowds.has(place) ? [asOne(place, there)] : there));
  return [...drawn, ...single].slice(-MOST);
}

function placeOf({ lane, edge, node, tone, shape, dim }: Token): string {
  return ["all", lane, edge ?? node, tone, shape, dim].join("|");
}

/** The places to draw as one, so that there are so many tokens fewer: those that are so already first, then the fullest. */
function crowdsOf(places: ReadonlyMap<string, readonly Token[]>, over: number, was: ReadonlySet<string>): Set<string> {
  const order = [...places].sort(([a, x], [b, y]) => Number(was.has(b)) - Number(was.has(a)) || y.length - x.length);
  const crowds = new Set<string>();
  for (const [place, { length }] of order) {
    if (over <= (was.has(place) ? -SLACK : 0)) break;
    crowds.add(place);
    over -= length - 1;
  }
  return crowds;
}

function asOne(place: string, tokens: readonly Token[]): Token {
  const groups = new Map<string, Crowd>();
  for (const token of tokens) addTo(groups, place, token);
  return tokensOf(groups)[0] as Token;
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
