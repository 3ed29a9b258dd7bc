/** What the hub has found wrong: with the reconciles that show it, and as text for an issue. */
import type { Finding } from "../base/rows.gen.ts";
import { clock } from "../base/time.ts";
import type { Model } from "../model/types.ts";
import { h } from "../view/dom.ts";
import { findingsAt, mark, ruleSaid } from "../view/findings.ts";
import { goLink } from "../view/parts.ts";
import type { Scope, View } from "../view/scope.ts";
import { causesShort, outcome, plural } from "../view/words.ts";

/** As many reconciles are named as evidence. */
const shown = 6;

export const findingsView: View = {
  sign: ({ model, t }) =>
    findingsAt(model.findings(), t)
      .map((f) => `${f.key} ${String(f.to)} ${String(f.evidence.length)}`)
      .join(),
  nodes: (scope) => [
    h("h2", { class: "panel-title" }, "Findings"),
    ...findingsAt(scope.model.findings(), scope.t).map((finding) => article(finding, scope)),
  ],
};

function article(finding: Finding, { model, zone }: Scope): HTMLElement {
  const { key, rule, item, summary, from, to, evidence } = finding;
  const name = h("button", { class: "link", type: "button", "data-item": item, "data-of": finding.controller }, item);
  const last = to > 0 ? ` to ${clock(to, zone)}` : "";
  const proof = h("p", { class: "proof" }, "Evidence: ");
  const known = evidence.flatMap((id) => model.reconcile(id) ?? []);
  for (const run of known.slice(0, shown)) proof.append(goLink(run, model.nth(run).n), " ");
  const more = evidence.length - Math.min(shown, known.length);
  if (more > 0) proof.append(`and ${plural(more, "other", "others")}`);
  return h(
    "article",
    { class: "part finding" },
    h("p", {}, mark(rule), " ", item !== "" && name),
    h("p", {}, summary),
    h("p", { class: "rv" }, `${finding.controller}, ${clock(from, zone)}${last}`),
    proof,
    h("p", { class: "copies" }, copyButton(key)),
  );
}

function copyButton(key: string): HTMLElement {
  return h(
    "button",
    { class: "button small", type: "button", "data-take": "finding", "data-key": key },
    "Copy as issue",
  );
}

/** findingText is a finding as Markdown for an issue. Times are UTC, for whoever reads it elsewhere. */
export function findingText(finding: Finding, model: Pick<Model, "reconcile" | "nth">): string {
  const { rule, item, controller, summary, from, to, evidence } = finding;
  const iso = (us: number): string => new Date(us / 1000).toISOString();
  const lines = evidence.map((id) => {
    const run = model.reconcile(id);
    if (run === undefined) return `- trace ${id}`;
    return `- reconcile ${String(model.nth(run).n)}, ${iso(run.start)}: ${causesShort(run)}; ${outcome(run)}; trace ${id}`;
  });
  const head = `### ${item === "" ? controller : item}: ${ruleSaid(rule)}\n\n${summary}\n\n`;
  const when = `Controller ${controller}, rule ${rule}, ${iso(from)}${to > 0 ? ` to ${iso(to)}` : ""}\n`;
  return `${head}${when}${lines.length > 0 ? `\n**Evidence**\n\n${lines.join("\n")}\n` : ""}`;
}
