/** The short words that stand beside tokens. */
import type { Cause, Reconcile, Write } from "../base/rows.gen.ts";
import { hasRefused } from "../model/samples.ts";

export { nameOf } from "../model/names.ts";

/** word writes one of the contract's words as people do: back-off, requeue after. */
export function word(name: string): string {
  return name === "backoff" ? "back-off" : name.replaceAll("_", " ");
}

/** isOwnWrite: an update by the controller itself that changed no spec. */
export function isOwnWrite(cause: Cause): boolean {
  return cause.by === "self" && cause.what === "update" && !(cause.changed ?? []).includes("spec");
}

/** causeWord says what a cause is: update, resync, own write, add by self. */
export function causeWord(cause: Cause): string {
  if (isOwnWrite(cause)) return "own write";
  const change = cause.what === "add" || cause.what === "update" || cause.what === "delete";
  return change && cause.by === "self" ? `${word(cause.what)} by self` : word(cause.what);
}

/** causesWord sums a pass's causes up: the one there is, or how many; a retry among them is named. */
export function causesWord(pass: Reconcile): string {
  const [first] = pass.causes;
  const n = causeCount(pass);
  if (n > 1) return (pass.causeCounts["backoff"] ?? 0) > 0 ? retryWord(pass, n) : `${String(n)} causes`;
  // What is counted and not listed has a word at least.
  return first === undefined ? word(Object.keys(pass.causeCounts)[0] ?? "") : causeWord(first);
}

/** retryWord says what came together with a back-off: back-off + update, back-off + 3 more. */
function retryWord(pass: Reconcile, n: number): string {
  const others = [...new Set(pass.causes.map(causeWord))].filter((said) => said !== "back-off");
  const [other] = others;
  if (other === undefined) return `${String(n)} causes`;
  return others.length === 1 && n === 2 ? `back-off + ${other}` : `back-off + ${String(n - 1)} more`;
}

/** causeCount is exact also where only the first and last causes are listed. */
export function causeCount(pass: Reconcile): number {
  const counted = Object.values(pass.causeCounts).reduce((sum, n) => sum + n, 0);
  return Math.max(counted, pass.causes.length);
}

/** writeWord names a request: POST pods, PUT podsets/status. */
export function writeWord(write: Write): string {
  const sub = write.subresource ?? "";
  return `${write.method} ${write.resource}${sub === "" ? "" : `/${sub}`}`;
}

/** answerWord names the answer: 201, 409 Conflict. */
export function answerWord(write: Write): string {
  const status = write.status > 0 ? String(write.status) : "";
  return [status, write.error ?? ""].filter((s) => s !== "").join(" ");
}

/** outcome is the result in a word or two: "running", "Conflict", "requeue after", "done, 1 write refused". */
export function outcome(pass: Reconcile): string {
  if (pass.to === 0) return "running";
  if (hasRefused(pass)) return `${pass.result === "success" ? "done" : word(pass.result)}, ${refusedWord(pass)}`;
  return (pass.error ?? "") === "" ? word(pass.result) : (pass.error ?? "");
}

/** refusedWord counts the writes that were refused: "1 write refused". No answer, or the server's own error, is no refusal. */
export function refusedWord({ failedWrites: n, writes }: Reconcile): string {
  const failed = writes.some(({ status }) => status === 0 || status >= 500);
  return `${String(n)} write${n === 1 ? "" : "s"} ${failed ? "failed" : "refused"}`;
}
