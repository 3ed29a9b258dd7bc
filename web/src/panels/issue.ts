/** A reconcile as text that one can paste into a bug report. */
import type { Cause, Read, Reconcile, Write } from "../base/rows.gen.ts";
import type { Model } from "../model/types.ts";
import { differences } from "./diff.ts";
import { missedBy, staleSaid } from "./proof.ts";
import {
  causeSaid,
  failureSaid,
  kindSaid,
  nextSaid,
  outcome,
  overtakenLink,
  span,
  spanOrNone,
  took,
  word,
  writeFailed,
  writeName,
} from "../view/words.ts";

/** issueText writes it as Markdown. now: true time, µs. Times of day are UTC, for whoever reads it elsewhere. */
export function issueText(
  reconcile: Reconcile,
  model: Pick<Model, "nth" | "followed" | "overtaken" | "until">,
  now: number,
): string {
  const { n, of } = model.nth(reconcile);
  const next = nextSaid(reconcile, now, model.followed(reconcile, now));
  return [
    `### ${reconcile.item}: ${outcome(reconcile)} after ${span(took(reconcile, now))}`,
    `Controller ${reconcile.controller}, reconcile ${String(n)} of ${String(of)}, worker ${String(reconcile.worker)}, ` +
      `${new Date(reconcile.start / 1000).toISOString()}, trace ${reconcile.key}`,
    part(
      "What failed",
      reconcile.writes.filter(writeFailed).map((write) => failureLine(reconcile, write, model, now)),
    ),
    part("Why it ran", reconcile.causes.map(causeLine)),
    part("How it went", reconcile.phases.map(phaseLine)),
    part(
      "Plan",
      reconcile.plan.map((action) => action.summary),
    ),
    part(
      "Reads",
      reconcile.reads.map((read) => readLine(read, reconcile, model)),
    ),
    part("Writes", writeLines(reconcile)),
    part("Spec and status", differences(reconcile).map(differenceLine)),
    `**Next**: ${[next.text, next.more].filter((s) => s !== "").join(" ")}`,
  ]
    .filter((text) => text !== "")
    .join("\n\n")
    .concat("\n");
}

function part(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [`**${title}**`, "", ...lines.map((line) => `- ${line}`)].join("\n");
}

/** The sentence of the panel, with the version in full and the reconcile that made or saw it. */
function failureLine(reconcile: Reconcile, write: Write, model: Pick<Model, "overtaken">, now: number): string {
  const overtaken = model.overtaken(reconcile, write);
  const { text } = failureSaid(write, overtaken);
  if (overtaken === undefined) return text;
  const { reconcile: run, nth } = overtaken;
  return `${text}; ${overtakenLink(overtaken, now)} reconcile ${String(nth)}, trace ${run.key}`;
}

function causeLine(cause: Cause): string {
  const { chip, text, who } = causeSaid(cause);
  const version = (cause.resourceVersion ?? "") === "" ? "" : `(resourceVersion ${cause.resourceVersion ?? ""})`;
  return [`${chip}:`, text, who, version].filter((s) => s !== "").join(" ");
}

function phaseLine(phase: Reconcile["phases"][number]): string {
  return `${phase.name}: ${phase.to === 0 ? "still going on" : spanOrNone(phase.to - phase.from)}`;
}

function readLine(read: Read, of: Reconcile, model: Pick<Model, "nth" | "until">): string {
  const missed = missedBy(read, of, model);
  const by = missed && `; made by reconcile ${String(missed.nth)}, trace ${missed.reconcile.key}`;
  const stale = read.stale === "yes" ? `, stale: ${staleSaid(read, of, missed)}${by ?? ""}` : "";
  return `${String(read.count)} ${read.kind} from the ${read.source === "api" ? "API server" : "cache"}${stale}`;
}

function writeLines(reconcile: Reconcile): string[] {
  const more = reconcile.writeCount - reconcile.writes.length;
  return [...reconcile.writes.map(writeLine), ...(more > 0 ? [`and ${String(more)} more`] : [])];
}

function writeLine(write: Write): string {
  const answer = write.to === 0 ? "no answer yet" : write.status === 0 ? "no answer" : String(write.status);
  const from = write.before ?? "";
  const to = write.after ?? "";
  const versions =
    from === "" && to === "" ? "" : `, resourceVersion ${[from, to].filter((s) => s !== "").join(" → ")}`;
  const error = word(kindSaid(write.error));
  return `${writeName(write)} ${write.name ?? ""}`.trim() + `: ${`${answer} ${error}`.trim()}${versions}`;
}

function differenceLine({ path, seen, written }: { path: string; seen: string; written: string }): string {
  return written === "" ? `${path}: ${seen}` : `${path}: ${seen} → ${written}`;
}
