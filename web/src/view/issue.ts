/** A reconcile as text that one can paste into a bug report. It is of the script that is loaded for that: what the page has already is given to it. */
import type { Cause, Reconcile, Write } from "../base/rows.gen.ts";
import type { Model } from "../model/types.ts";
import type * as Diff from "./diff.ts";
import type * as Words from "./words.ts";

/** How the page says things. */
export type Said = Pick<typeof Diff, "differences"> &
  Pick<
    typeof Words,
    "causeSaid" | "kindSaid" | "nextSaid" | "outcome" | "plural" | "span" | "took" | "word" | "writeName"
  >;

let page: Said;

/** issueText writes it as Markdown. now: true time, µs. Times of day are UTC, for whoever reads it elsewhere. */
export function issueText(reconcile: Reconcile, model: Pick<Model, "nth" | "after">, now: number, said: Said): string {
  page = said;
  const { n, of } = model.nth(reconcile);
  const next = page.nextSaid(reconcile, now, model.after(reconcile));
  return joined(
    "\n\n",
    `### ${reconcile.item}: ${page.outcome(reconcile)} after ${page.span(page.took(reconcile, now))}`,
    `Controller ${reconcile.controller}, reconcile ${String(n)} of ${String(of)}, worker ${String(reconcile.worker)}, ` +
      `${new Date(reconcile.start / 1000).toISOString()}, trace ${reconcile.key}`,
    part("Why it ran", reconcile.causes.map(causeLine)),
    part("How it went", reconcile.phases.map(phaseLine)),
    part(
      "Plan",
      reconcile.plan.map((action) => action.summary),
    ),
    part("Reads", reconcile.reads.map(readLine)),
    part("Writes", writeLines(reconcile)),
    part("Spec and status", page.differences(reconcile).map(differenceLine)),
    `**Next**: ${joined(" ", next.text, next.more)}`,
  ).concat("\n");
}

/** Texts that are not empty, in one. */
function joined(by: string, ...texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join(by);
}

function part(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `**${title}**\n\n- ${lines.join("\n- ")}`;
}

function causeLine(cause: Cause): string {
  const { chip, text, who } = page.causeSaid(cause);
  const { resourceVersion: rv = "" } = cause;
  const version = rv === "" ? "" : `(resourceVersion ${rv})`;
  return joined(" ", `${chip}:`, text, who, version);
}

function phaseLine(phase: Reconcile["phases"][number]): string {
  return `${phase.name}: ${phase.to === 0 ? "still going on" : page.span(phase.to - phase.from)}`;
}

function readLine(read: Reconcile["reads"][number]): string {
  const stale = read.stale === "yes" ? `, stale by ${page.plural(read.staleBy ?? 1, "own write", "own writes")}` : "";
  return `${String(read.count)} ${read.kind} from the ${read.source === "api" ? "API server" : "cache"}${stale}`;
}

function writeLines(reconcile: Reconcile): string[] {
  const more = reconcile.writeCount - reconcile.writes.length;
  return [...reconcile.writes.map(writeLine), ...(more > 0 ? [`and ${String(more)} more`] : [])];
}

function writeLine(write: Write): string {
  const answer = write.to === 0 ? "no answer yet" : write.status === 0 ? "no answer" : String(write.status);
  const rv = joined(" → ", write.before ?? "", write.after ?? "");
  const versions = rv === "" ? "" : `, resourceVersion ${rv}`;
  const error = page.word(page.kindSaid(write.error));
  return `${joined(" ", page.writeName(write), write.name ?? "")}: ${joined(" ", answer, error)}${versions}`;
}

function differenceLine({ path, seen, written }: { path: string; seen: string; written: string }): string {
  return written === "" ? `${path}: ${seen}` : `${path}: ${seen} → ${written}`;
}
