import { expect, test } from "@playwright/test";

import { Hub } from "./hub.ts";

test("what cannot be read of the stream is told, counted and skipped, and the rest goes on", async ({ page }) => {
  const hub = await Hub.serve();
  try {
    let say: (message: string) => void = () => undefined;
    await page.routeWebSocket(/\/api\/v1\/watch/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((message) => {
        socket.send(message);
      });
      say = (message) => {
        socket.send(message);
      };
    });
    await page.goto(hub.login);
    await expect(page.locator("#transport")).toContainText("following");
    const rows = [{ row: "reconcile", key: "r1", from: "soon" }, { row: "unheard" }];
    say(JSON.stringify({ type: "rows", offset: 1, now: Date.now() * 1000, rows, gone: [] }));
    const notice = page.locator("#notice");
    await expect(notice).toContainText('2 rows could not be read and were skipped · a row of kind "unheard"');
    say("<html>502</html>");
    await expect(notice).toContainText(
      "3 rows could not be read and were skipped · a frame that is not JSON: <html>502",
    );
    await hub.send();
    await expect(page.locator('[data-part="reconciles"]')).not.toHaveText("0");
    await notice.getByRole("button", { name: "OK" }).click();
    await expect(notice).not.toContainText("could not be read");
    say("{}");
    await expect(notice).toContainText("4 rows could not be read");
  } finally {
    await hub.stop();
  }
});
