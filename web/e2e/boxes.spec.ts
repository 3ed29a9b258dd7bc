import type { Page } from "@playwright/test";

import { Hub, expect, test } from "./hub.ts";

/** A row of the hub, as far as this test makes new ones of it. */
interface Row {
  readonly key: string;
  readonly [field: string]: unknown;
}

const phases = ["dequeue", "fetch", "compute", "apply", "requeue"];

/** A reconcile like another one, of an item of its own: how long it has been in each phase, µs, 0 while it still is. */
function like(row: Row, name: string, from: number, lasting: Readonly<Record<string, number>>): Row {
  let t = from;
  const passed = Object.entries(lasting).map(([phase, us]) => ({ name: phase, from: t, to: us === 0 ? 0 : (t += us) }));
  const to = passed.at(-1)?.to ?? 0;
  const own = { key: name, item: `default/${name}`, from, start: from, to, result: to === 0 ? "" : "success" };
  return { ...row, ...own, phases: passed, causes: [], causeCounts: {}, reads: [], plan: [], writes: [] };
}

/** What the boxes say in which nothing is. */
async function notes(page: Page): Promise<Record<string, string>> {
  const said = await page
    .locator("tracer-lane [data-node]:not(.is-lit)")
    .evaluateAll((all) =>
      all.map((g) => [g.dataset["node"] ?? "", g.querySelector('[data-part="note"]')?.textContent ?? ""] as const),
    );
  return Object.fromEntries(said.filter(([node]) => phases.includes(node)));
}

/** Opens the page of a hub that knows these rows too; gives back what tells it of another one. */
async function opened(page: Page, hub: Hub, known: readonly Row[]): Promise<(row: Row) => void> {
  let send: (row: Row) => void = () => undefined;
  await page.routeWebSocket(/\/api\/v1\/watch/, (socket) => {
    socket.connectToServer().onMessage((message) => {
      const frame = JSON.parse(String(message)) as { type: string; rows?: Row[] };
      const first = frame.type === "snapshot" ? { ...frame, rows: [...(frame.rows ?? []), ...known] } : frame;
      socket.send(JSON.stringify(first));
    });
    send = (row) => {
      socket.send(JSON.stringify({ type: "rows", offset: 1, now: Date.now() * 1000, rows: [row], gone: [] }));
    };
  });
  await page.goto(hub.login);
  await expect(page.locator('tracer-lane [data-part="reconciles"]')).not.toHaveText("0");
  return (row) => {
    send(row);
  };
}

test("boxes speak of the last finished reconcile when nothing passes, and after End, as on a page that has just come", async ({
  page,
  context,
}) => {
  const hub = await Hub.serve();
  try {
    await hub.send(4, 1, "-items", "1");
    const [line = ""] = (await (await hub.api("rows?row=reconcile&limit=1")).text()).split("\n");
    const made = JSON.parse(line) as Row;
    const tell = await opened(page, hub, []);
    const apply = page.locator('tracer-lane [data-node="apply"]');

    // One is seen in apply; when it has left, one that had nothing to apply is the last that is over.
    const from = Date.now() * 1000;
    const early = { dequeue: 1_000, fetch: 13_000, compute: 2_000 };
    tell(like(made, "early", from, { ...early, apply: 0 }));
    await expect(apply).toHaveClass(/is-lit/);
    const rows = [
      like(made, "early", from, { ...early, apply: 300_000, requeue: 1_000 }),
      like(made, "late", from + 200_000, { dequeue: 4_000, fetch: 3_000, compute: 7_000, requeue: 5_000 }),
    ];
    for (const row of rows) tell(row);
    const last = { dequeue: "4 ms", fetch: "3 ms", compute: "7 ms", apply: "", requeue: "5 ms" };
    await expect.poll(() => notes(page)).toEqual(last);

    // Another one stays in fetch, and has left its time at dequeue, where it has been seen.
    rows.push(like(made, "open", Date.now() * 1000, { dequeue: 9_000, fetch: 0 }));
    for (const row of rows.slice(2)) tell(row);
    await expect(page.locator('tracer-lane [data-node="fetch"]')).toHaveClass(/is-lit/);
    const rest = { dequeue: last.dequeue, compute: last.compute, apply: "", requeue: last.requeue };
    await expect.poll(() => notes(page)).toEqual({ ...rest, dequeue: "9 ms" });

    await page.locator('[data-go="early"]').click();
    await page.keyboard.press(".");
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowRight");
    await expect(apply).toHaveClass(/is-lit/);
    await page.keyboard.press("End");
    await expect.poll(() => notes(page)).toEqual(rest);
    const fresh = await context.newPage();
    await opened(fresh, hub, rows);
    await expect.poll(() => notes(fresh)).toEqual(rest);
  } finally {
    await hub.stop();
  }
});
