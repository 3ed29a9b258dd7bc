/** What the page says about rows: pure, in the field's own words. */
import { count, countdown, duration, rate } from "../base/time.ts";
import type { Cause, Control, Hold, Object as FlowObject, Reconcile, Write } from "../base/rows.gen.ts";
import { lookOf } from "../layout/steps.ts";
import type { Tone } from "../layout/types.ts";
import { nameOf, outcome, refusedWord, word } from "../layout/words.ts";
import { isSlow } from "../model/holds.ts";
import { failed as failedResult, hasRefused } from "../model/samples.ts";
import { isTimer } from "../model/timers.ts";
import type { Followed, Model, Overtaken } from "../model/types.ts";
import { MERGED } from "../scene/modes.ts";
import type { Held, Mode } from "../scene/types.ts";

export { isRefused as writeFailed } from "../layout/writes.ts";
export { hasRefused, isSlow, lookOf, nameOf, outcome, word };

export type ChipTone = Tone | "quiet";

/** A word with its colour, and the text beside it. */
export interface Said {
  readonly chip: string;
  readonly tone: ChipTone;
  readonly text: string;
  /** Who did it, written strong behind the text. */
  readonly who: string;
}

/** span is a duration as the page writes it; what is shorter than the hundredth of a millisecond is told in µs. */
export function span(us: number): string {
  return us >= 0 && us < 10 ? `${String(Math.round(us))} µs` : duration(us);
}

/** spanOrNone is span, and a dash for a phase in which nothing was to be done. */
export function spanOrNone(us: number): string {
  return us < 1 ? "–" : span(us);
}

/** plural writes "1 cause", "2 causes". */
export function plural(n: number, one: string, many: string): string {
  return `${String(n)} ${n === 1 ? one : many}`;
}

/** matchSaid says how much a search has found: "0 of 1,204 match." */
export function matchSaid(n: number, of: number): string {
  return `${count(n)} of ${count(of)} match${n === 0 ? "." : ""}`;
}

/** crowdSaid says how a lane is drawn in which there is too much to draw all singly, and the rate where that is why. */
export function crowdSaid(mode: Mode, perSecond: number): string {
  if (perSecond < MERGED) return "Many alike: drawn together as ×n; errors and pinned singly";
  return `${mode === "flow" ? "Flow" : "Merged"} view: ${rate(perSecond)}/s; errors and pinned drawn singly`;
}

/** keptSaid says where the history begins; whole: the hub has no more of it. */
export function keptSaid({ size, shortened }: Pick<Model, "size" | "shortened">, whole: boolean): string {
  const lost = shortened > 0 ? `, ${count(shortened)} of what you look at had to go` : "";
  return `newest ${count(size)} ${whole ? "kept" : "shown"}${lost}`;
}

/** ordinal writes 1st, 2nd, 3rd, 4th. */
export function ordinal(n: number): string {
  const tens = n % 100;
  const ending = tens > 10 && tens < 14 ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th");
  return `${String(n)}${ending}`;
}

/** causeSaid puts one cause into words. The object that was reconciled, when it is given, is not named again. */
export function causeSaid(cause: Cause, object?: Pick<FlowObject, "kind" | "name">): Said {
  const who = cause.by === "self" ? "" : (cause.manager ?? "");
  switch (cause.what) {
    case "backoff":
      return { chip: "back-off", tone: "warn", text: "tried again after an error", who: "" };
    case "requeue_after":
      return { chip: "requeue after", tone: "warn", text: "the time it asked for is over", who: "" };
    case "resync":
      return { chip: "resync", tone: "quiet", text: "nothing changed", who: "" };
    default:
      return { ...chipOf(cause), text: changeOf(cause, who, object), who };
  }
}

function chipOf(cause: Cause): { chip: string; tone: ChipTone } {
  if (cause.by === "self") return { chip: "own write", tone: "own" };
  const quiet = cause.what === "initial_list" || cause.what === "relist";
  return { chip: word(cause.what), tone: quiet ? "quiet" : "accent" };
}

function changeOf(cause: Cause, who: string, own: Pick<FlowObject, "kind" | "name"> | undefined): string {
  const same = own !== undefined && own.kind === cause.kind && own.name === cause.name;
  const object = same ? "" : objectOf(cause);
  const by = who === "" ? "" : " by";
  if (cause.what === "delete") return `${object} deleted${by}`.trim();
  if (cause.what === "add") return `${object} appeared${who === "" ? "" : ", made by"}`;
  const changed = cause.changed ?? [];
  if (cause.what !== "update") return `${object}${by}`.trim();
  if (changed.length === 0) return who === "" ? object : `${object} changed by`.trim();
  return `${object === "" ? "" : `${object}: `}${changed.join(" and ")} changed${by}`;
}

function objectOf(cause: Cause): string {
  return [cause.kind ?? "", cause.name ?? ""].filter((part) => part !== "").join(" ");
}

/** causesShort is one line for a list: "update by kubectl", "own write", "3 causes: update, resync". */
export function causesShort(reconcile: Reconcile): string {
  const words = [...new Set(reconcile.causes.map((cause) => causeSaid(cause).chip))];
  const total = Object.values(reconcile.causeCounts).reduce((sum, n) => sum + n, 0);
  const n = Math.max(total, reconcile.causes.length);
  const only = reconcile.causes[0];
  if (only === undefined) return "";
  if (n === 1) return oneShort(only);
  return words.length === 1 ? `${words[0] ?? ""} ×${String(n)}` : `${String(n)} causes: ${words.join(", ")}`;
}

function oneShort(cause: Cause): string {
  const said = causeSaid(cause);
  if (said.who !== "") return `${said.chip} by ${said.who}`;
  return cause.by === "self" && cause.name !== undefined ? `${said.chip}: ${objectOf(cause)}` : said.chip;
}

/** failed tells whether a result is one that the page draws as an error. */
export function failed(reconcile: Reconcile): boolean {
  return failedResult(reconcile.result);
}

/** isBad tells whether a reconcile is one to look at: an error, or done though a write was refused. */
export function isBad(reconcile: Reconcile): boolean {
  return failed(reconcile) || hasRefused(reconcile);
}

/** kindSaid is the kind of an error where there is more to say than that it was one, else "". */
export function kindSaid(error: string | undefined): string {
  return error === undefined || error === "error" ? "" : error;
}

/** errorSaid says how a reconcile failed that no write explains: the result and the kind of the error, no word twice. */
export function errorSaid({ result, error }: Reconcile): Said {
  const kind = kindSaid(error);
  const text = kind === result ? "" : kind === "" && result === "error" ? "of no known kind" : kind;
  return { chip: word(result), tone: "error", text, who: "" };
}

/** took is Start to To, or to now while it runs. */
export function took(reconcile: Reconcile, now: number): number {
  return Math.max(0, (reconcile.to === 0 ? now : reconcile.to) - reconcile.start);
}

/** writeName is a write in a few letters: "POST pod", "PUT status". */
export function writeName(write: Write): string {
  const noun = write.subresource ?? "";
  return `${write.method} ${noun === "" ? write.resource.replace(/s$/, "") : noun}`;
}

/** failureSaid says what became of a write, and what had overtaken it: "PUT status of web refused: 409 Conflict, sent on rv 10427". */
export function failureSaid(write: Write, overtaken?: Pick<Overtaken, "cause">): Said {
  const { status, before = "", name = "", subresource = "" } = write;
  const fault = (write.fault ?? "") !== "";
  const verdict = status === 0 ? "no answer" : status < 500 ? "refused" : "failed";
  const answer = [status === 0 ? verdict : `${verdict}: ${String(status)}`, kindSaid(write.error)].join(" ").trim();
  const what = `${writeName(write)} ${subresource === "" || name === "" ? name : `of ${name}`}`.trim();
  const more = [
    before === "" ? "" : `sent on rv ${before}`,
    overtaken === undefined ? "" : overtakenSaid(write, overtaken.cause),
    fault ? "injected by a fault, on purpose" : "",
  ].filter((text) => text !== "");
  const text = `${what}${status === 0 ? ": " : " "}${[answer, ...more].join(", ")}`;
  return { chip: fault ? "fault" : status === 409 ? "conflict" : verdict, tone: "error", text, who: "" };
}

function overtakenSaid(write: Write, cause: Cause): string {
  const who = cause.by === "self" ? "an own write" : (cause.manager ?? "somebody whom the event does not name");
  const changed = cause.changed ?? [];
  const ago = write.from - cause.at;
  const when = ago > 0 ? ` ${span(ago)} before` : "";
  const seen = ago > 0 ? [] : [`seen ${span(-ago)} after`];
  const more = [...(changed.length === 0 ? [] : [changed.join(" and ")]), ...seen].join("; ");
  return `but ${who} had made rv ${cause.resourceVersion ?? ""}${more === "" ? "" : ` (${more})`}${when}`;
}

/** overtakenLink is what the link to the reconcile that made or saw a version says before its number, as of now. */
export function overtakenLink({ made, reconcile }: Pick<Overtaken, "made" | "reconcile">, now: number): string {
  return made ? "made by" : reconcile.start > now ? "seen later by" : "seen by";
}

/** What comes next, in words, with its colour. */
export interface NextSaid {
  readonly text: string;
  readonly more: string;
  readonly tone: Tone;
}

/** unbroken keeps a number and its unit on one line. */
export function unbroken(text: string): string {
  return text.replace(/(\d) (?=(?:µs|ms|s|min|h)\b)/g, "$1\u00a0");
}

/** nextSaid puts what follows a reconcile into words, as of now (true time, µs). */
export function nextSaid(reconcile: Reconcile, now: number, followed?: Followed): NextSaid {
  const said = followedBy(reconcile, now, followed);
  if (!hasRefused(reconcile)) return said;
  return { ...said, more: `${said.more} (${refusedWord(reconcile)})`.trim(), tone: "warn" };
}

function followedBy(reconcile: Reconcile, now: number, followed?: Followed): NextSaid {
  if (reconcile.to === 0) return { text: "Still running", more: "", tone: "accent" };
  const { why, requeues = 0 } = reconcile.next;
  switch (why) {
    case "backoff": {
      const words = { ahead: "Tries again in", over: "Tried again after", set: "Back-off of" };
      const said = timerSaid(reconcile, now, followed, words);
      const nth = requeues > 0 ? `(${ordinal(requeues)} time)` : "";
      const more = said.more === "" ? nth : nth === "" ? `but ${said.more}` : `${nth}; ${said.more}`;
      return { text: said.text, more, tone: "warn" };
    }
    case "requeue_after": {
      const words = { ahead: "Comes back in", over: "Came back after", set: "Asked to come back after" };
      const said = timerSaid(reconcile, now, followed, words);
      return { text: said.text, more: said.more === "" ? "as it asked for" : `but ${said.more}`, tone: "warn" };
    }
    case "requeue":
      return { text: "Goes round again at once", more: "", tone: "warn" };
    default:
      if (failed(reconcile)) return { text: "Given up until something changes", more: "", tone: "error" };
      return { text: "Done until something changes", more: "", tone: "ok" };
  }
}

interface TimerWords {
  readonly ahead: string;
  readonly over: string;
  readonly set: string;
}

/** What became of a timer: it runs, it brought the item back, or something else did so before it was over. */
function timerSaid(
  reconcile: Reconcile,
  now: number,
  { after, retry, nth }: Partial<Followed> = {},
  words: TimerWords,
): { readonly text: string; readonly more: string } {
  const { why, at = 0 } = reconcile.next;
  const whole = `${words.set} ${at > 0 ? duration(Math.max(0, at - reconcile.to)) : "unknown length"}`;
  if (after === undefined) {
    if (at > now) return { text: `${words.ahead} ${countdown(at - now)}`, more: "" };
    return { text: whole, more: "" };
  }
  const gone = (run: Reconcile): string => duration(Math.max(0, run.from - reconcile.to));
  if (after.key === retry?.key) {
    const also = after.causes.find((cause) => cause.what !== why);
    return {
      text: `${words.over} ${gone(after)}${also === undefined ? "" : `, together with ${cameSaid(also)}`}`,
      more: "",
    };
  }
  const [first] = after.causes;
  const more = `${first === undefined ? "something else" : cameSaid(first)} came first, after ${gone(after)}`;
  if (retry !== undefined) return { text: `${words.over} ${gone(retry)}, in reconcile ${String(nth)}`, more };
  return { text: why === "backoff" ? `${whole} set` : whole, more };
}

function cameSaid(cause: Cause): string {
  const { chip } = causeSaid(cause);
  // A timer is another reconcile's.
  return `a${isTimer(cause.what) ? "n earlier" : /^[aeiou]/.test(chip) ? "n" : ""} ${chip}`;
}

/** heldSaid says at which phase a worker is held and for how long: "web is held at apply · 12 s". */
export function heldSaid({ label, node, lasting, why }: Held): string {
  return `${label === "" ? "a worker" : label} is ${isSlow({ why }) ? "slowed" : "held"} at ${node} · ${countdown(lasting)}`;
}

/** What is asked for the words of holds. */
type Known = Pick<Model, "called" | "reconcile">;

/** heldWhere says who is held, or slowed down, and where: "web, a are held before apply". */
export function heldWhere(holds: readonly Hold[], model: Known): string {
  const said = (how: string): string[] => {
    const own = holds.filter((hold) => isSlow(hold) === (how !== "held"));
    const who = [...new Set(own.map((hold) => whoSaid(hold, model)))];
    const places = [...new Set(own.map((hold) => placeSaid(hold, model)))];
    const names =
      who.length > 3 ? `${who.slice(0, 2).join(", ")} and ${String(who.length - 2)} others` : who.join(", ");
    return own.length === 0 ? [] : [`${names} ${who.length > 1 ? "are" : "is"} ${how} ${places.join(", ")}`];
  };
  return [...said("held"), ...said("slowed")].join(", ");
}

function whoSaid({ controller, item = "" }: Hold, model: Known): string {
  return item === "" ? `a worker of ${controller}` : model.called(item);
}

/** A phase before which a worker is held has not begun; in one that has, it is held after the last answer to a write. */
function placeSaid({ phase, reconcile = "", from }: Hold, model: Known): string {
  const { phases = [], writes = [] } = model.reconcile(reconcile) ?? {};
  if (phases.filter((one) => one.from <= from).at(-1)?.name !== phase) return `before ${phase}`;
  const answered = writes.filter(({ to }) => to > 0 && to <= from).slice(-1);
  return `in ${phase}${answered.map(({ method, status }) => ` after ${method}: ${String(status)}`).join("")}`;
}

/** holdsWatch says that a command keeps the watch's events back. */
export function holdsWatch({ command, text }: Pick<Control, "command" | "text">): boolean {
  return command === "fault" && text.includes("held back the watch events");
}

/** forceSaid says what a command that stands does: "podset is paused before apply", "podset: watch events held". */
export function forceSaid(control: Control): string {
  const { controller, item = "", phase = "", command, text } = control;
  const whom = item === "" ? controller : item;
  if (command === "pause") return `${whom} is paused${phase === "" ? "" : ` before ${phase}`}`;
  if (command === "slow") return `${whom} is slowed down ${/\d[\d.e-]*×.*/.exec(text)?.[0] ?? ""}`.trim();
  return holdsWatch(control) ? `${controller}: watch events held` : text;
}
