import assert from "node:assert/strict";
import { test } from "node:test";
import { EPOCH, reconcile, sample } from "../../test/rows.ts";
import { failed as drawnFailed } from "../view/words.ts";
import { addToBins, failed } from "./samples.ts";

test("bars, search and list call the same results failures, as the hub does", () => {
  for (const result of ["error", "terminal_error", "panic", "timeout", "lost", "other"]) {
    assert.equal(failed(result), true, result);
    assert.equal(drawnFailed(reconcile({ result })), true, result);
  }
  for (const result of ["", "success", "requeue", "requeue_after"]) {
    assert.equal(failed(result), false, result);
    assert.equal(drawnFailed(reconcile({ result })), false, result);
  }
});

test("a bar counts the writes that were refused, and no error for them", () => {
  const bins = [{ from: EPOCH, to: EPOCH + 1_000_000, count: 0, errors: 0, refused: 0 }];
  addToBins(bins, [{ ...sample(0, 3), byResult: { success: 3 }, failedWrites: 2 }], EPOCH, 1_000_000);
  assert.deepEqual([bins[0]?.errors, bins[0]?.refused], [0, 2]);
});

test("what was lost counts among the errors of a bar", () => {
  const bins = [{ from: EPOCH, to: EPOCH + 1_000_000, count: 0, errors: 0, refused: 0 }];
  addToBins(bins, [{ ...sample(0, 3), byResult: { success: 1, lost: 2 } }], EPOCH, 1_000_000);
  assert.deepEqual([bins[0]?.count, bins[0]?.errors], [3, 2]);
});
