import type { Page } from "@playwright/test";

interface Row {
  controller?: string;
  name?: string;
  row: string;
  key: string;
}

/** Shows each row of the hub once more for every name: what a page sees when several controllers are attached. */
export async function multiply(page: Page, names: readonly string[]): Promise<void> {
  await page.routeWebSocket(/\/api\/v1\/watch/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      socket.send(typeof message === "string" ? multiplied(message, names) : message);
    });
  });
}

function multiplied(message: string, names: readonly string[]): string {
  const frame = JSON.parse(message) as { rows?: Row[] };
  const copies = (frame.rows ?? []).flatMap((row) => names.map((name) => renamed(row, name)));
  return frame.rows === undefined ? message : JSON.stringify({ ...frame, rows: [...frame.rows, ...copies] });
}

function renamed(row: Row, name: string): Row {
  const copy = { ...row, key: row.row === "controller" ? name : `${name}/${row.key}` };
  if (copy.controller !== undefined) copy.controller = name;
  if (row.row === "controller") copy.name = name;
  return copy;
}
