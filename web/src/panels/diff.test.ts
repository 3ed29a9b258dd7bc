import assert from "node:assert/strict";
import { test } from "node:test";
import { reconcile, write } from "../../test/rows.ts";
import { differences, pieces, shortPath, threeWays } from "./diff.ts";

test("only what was written to the object itself, and arrived, is a difference", () => {
  const field = (path: string, value: string): { path: string; value: string } => ({ path, value });
  const status = { method: "PUT", resource: "podsets", subresource: "status", name: "web", status: 200 };
  const run = reconcile({
    object: {
      kind: "PodSet",
      name: "web",
      fields: [field("spec.replicas", "5"), field("status.readyReplicas", "3"), field("status.replicas", "3")],
    },
    writes: [
      write({ name: "web-x", fields: [field("status.replicas", "9")] }),
      write({ ...status, fields: [field("status.replicas", "5"), field("status.readyReplicas", "3")] }),
      write({ ...status, status: 409, fields: [field("status.replicas", "8")] }),
    ],
  });
  assert.deepEqual(differences(run), [
    { path: "spec.replicas", seen: "5", written: "" },
    { path: "status.replicas", seen: "3", written: "5" },
    { path: "status.readyReplicas", seen: "3", written: "" },
  ]);
  assert.equal(shortPath("status.conditions.Ready.reason"), "Ready.reason");
});

test("the name of a field breaks after dots and before capitals only", () => {
  assert.deepEqual(pieces("Ready.observedGeneration"), ["Ready.", "observed", "Generation"]);
  assert.deepEqual(pieces("clusterIPs.v4"), ["cluster", "IPs.", "v4"]);
});

test("spec, observed and written stand side by side; what does not differ is told apart", () => {
  const rows = threeWays([
    { path: "spec.replicas", seen: "5", written: "" },
    { path: "status.replicas", seen: "3", written: "5" },
    { path: "spec.image", seen: "a", written: "" },
    { path: "status.image", seen: "b", written: "" },
    { path: "status.ready", seen: "3", written: "" },
  ]);
  assert.deepEqual(
    rows.map(({ path, spec, observed, written, changed }) => [path, spec, observed, written, changed]),
    [
      ["replicas", "5", "3", "5", true],
      ["image", "a", "b", "", true],
      ["ready", "", "3", "", false],
    ],
  );
});
