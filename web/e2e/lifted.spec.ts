import { choose, expect, test } from "./demo.ts";
import { fitsTheHall } from "./hall.ts";

test("what a lesson waits for is said as it is; who lifts its hold reads where Next begins again", async ({
  dash,
  demo,
}) => {
  test.setTimeout(150_000);
  const lesson = dash.locator("#lesson");
  const next = lesson.locator('[data-do="next"]');
  const beat = lesson.locator('[data-part="beat"]');
  await demo.post("lessons/lesson-4/start", { beat: 2 });
  await expect(beat).toHaveText("beat 2 of 9", { timeout: 60_000 });
  await expect(lesson).toHaveAttribute("data-state", "question");

  // With the controller paused the answer does not come. Nothing is listed that would give it away.
  await demo.post("control", { command: "pause", controller: "podset" });
  await next.click();
  await expect(lesson).toHaveAttribute("data-state", "waiting");
  await expect(lesson.locator(".lesson-came li")).toHaveCount(0);
  // Next rests, and says why; the hub is not asked.
  const refused: string[] = [];
  dash.on("console", (message) => {
    if (message.type() === "error") refused.push(message.text());
  });
  await expect(next).toHaveAttribute("aria-disabled", "true");
  await next.click({ force: true });
  await expect(lesson).toContainText(
    "Not yet: the beat still waits for the answer. Wait, restart the beat or go back.",
  );
  expect(refused).toEqual([]);
  await demo.post("control", { command: "resume", controller: "podset" });
  await expect(lesson).toHaveAttribute("data-state", "done", { timeout: 30_000 });

  await next.click();
  await expect(beat).toHaveText("beat 3 of 9");
  // While the beat acts, Next is seen to do nothing.
  await next.evaluate((button) => {
    new MutationObserver(() => {
      if (button.ariaDisabled === "true") document.body.dataset["rested"] = "yes";
    }).observe(button, { attributes: true });
  });
  await next.click();
  await expect(lesson).toHaveAttribute("data-state", "done");
  await expect(dash.locator("body")).toHaveAttribute("data-rested", "yes");
  await expect(next).toHaveAttribute("aria-disabled", "false");
  await next.click();
  await expect(beat).toHaveText("beat 4 of 9");

  await dash.locator("#control .stand").getByRole("button", { name: "Lift" }).click();
  await expect(lesson.getByRole("status")).toHaveText("The hold of beat 3 was lifted: Next begins beat 3 again.");
  await expect(next).toHaveText("Next: begin beat 3 again");
  await dash.screenshot({ path: "test-results/lifted-light.png" });
  await choose(dash, "projector");
  await fitsTheHall(dash);
  await dash.screenshot({ path: "test-results/lifted-projector.png" });
  await choose(dash, "light");

  await next.click();
  await expect(beat).toHaveText("beat 3 of 9");
  await expect(lesson).toContainText("The hold of beat 3 was lifted. We begin here again.");
  await expect(lesson).toHaveAttribute("data-state", "ready", { timeout: 30_000 });
  await next.click();
  await expect(lesson).toHaveAttribute("data-state", "done", { timeout: 30_000 });
  await lesson.getByRole("button", { name: "Stop" }).click();
  await expect(lesson).toBeHidden();
});
