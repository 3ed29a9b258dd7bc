import { expect, test } from "@playwright/test";
import { Hub, open } from "./hub.ts";

interface Row {
  readonly row: string;
  readonly item: string;
  readonly to: number;
  readonly nth: number;
}

// A hub of its own: to the others nothing is attached.
let hub: Hub;
test.beforeAll(async () => {
  hub = await Hub.serve();
});
test.afterAll(() => hub.stop());

test("of the item that is selected nothing is left out, whatever the load, and its numbers have no hole", async ({
  page,
}) => {
  test.slow();
  let elided = 0;
  const pins: string[] = [];
  const come = new Map<string, Set<number>>();
  const gather = ({ row, item, to, nth }: Row): void => {
    if (row === "reconcile" && to > 0) come.set(item, (come.get(item) ?? new Set()).add(nth));
  };
  page.on("websocket", (socket) => {
    socket.on("framesent", ({ payload }) => pins.push(String(payload)));
    socket.on("framereceived", ({ payload }) => {
      const frame = JSON.parse(String(payload)) as { reconciles?: number; rows?: readonly Row[] };
      elided += frame.reconciles ?? 0;
      frame.rows?.forEach(gather);
    });
  });
  await open(page, hub);
  const load = hub.send(3000, 8, "-items", "60", "-writes", "0");
  await expect.poll(() => elided, { timeout: 30_000 }).toBeGreaterThan(2000);
  expect(pins, "nothing is selected").toEqual([]);
  await page.locator("#details .run").first().click();
  await expect.poll(() => pins.length).toBe(1);
  const { item, controller } = JSON.parse(pins[0] ?? "") as { item: string; controller: string };
  expect(controller).toBe("load-1");
  await load;

  const kept = await (await hub.api(`rows?row=reconcile&item=${item}`)).text();
  const numbers = kept.split("\n").flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as Row).nth]));
  expect(numbers.length).toBeGreaterThan(100);
  const lacks = (of: string): number[] => numbers.filter((n) => come.get(of)?.has(n) !== true);
  await expect.poll(() => lacks(item)).toEqual([]);
  const other = [...come.keys()].find((one) => one !== item) ?? "";
  expect(lacks(other).length, `${other} is sampled`).toBeGreaterThan(0);

  await page.keyboard.press("Escape");
  await expect.poll(() => pins.slice(1)).toEqual(['{"type":"pin","controller":"","item":""}']);
});
