import { expect, test } from "./demo.ts";

test("kill -9 of the hub: it comes back with every reconcile, and the page resumes by itself", async ({
  demo,
  dash,
}) => {
  await expect(dash.locator("#status")).toContainText("1 controller");
  const finished = (await demo.reconciles("default/*")).filter((run) => run.to > 0);
  expect(finished.length).toBeGreaterThan(0);

  const started = demo.log.find((line) => /hub ready/.test(line)) ?? "";
  const pid = Number(/process (\d+)/.exec(started)?.[1]);
  expect(pid).toBeGreaterThan(0);
  process.kill(pid, "SIGKILL");

  await expect(dash.locator("#notice")).toContainText(/Reconnecting in \d+ s/);
  await expect(dash.locator("#notice")).toContainText(/Connected again/, { timeout: 20_000 });
  expect(demo.log.some((line) => /died/.test(line))).toBe(true);

  const again = new Map((await demo.reconciles("default/*")).map((run) => [run.key, run]));
  for (const run of finished) expect(again.get(run.key)).toEqual(run);
});
