import type { Page } from "@playwright/test";

interface Row {
  controller?: string;
  name?: string;
  row: string;
  key: string;
}

/**
 * Shows each row of the hub once more for every name: what a page sees when several controllers are attached. Those that
 * have gone are shown as attached where attached is given.
 */
export async function multiply(page: Page, names: readonly string[], attached = false): Promise<void> {
  await page.routeWebSocket(/\/api\/v1\/(embed\/)?watch/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      socket.send(typeof message === "string" ? multiplied(message, names, attached) : message);
    });
  });
}

function multiplied(message: string, names: readonly string[], attached: boolean): string {
  const frame = JSON.parse(message) as { rows?: Row[] };
  if (frame.rows === undefined) return message;
  const rows = frame.rows.map((row) => (attached && row.row === "controller" ? { ...row, connected: true } : row));
  const copies = rows.flatMap((row) => names.map((name) => renamed(row, name)));
  return JSON.stringify({ ...frame, rows: [...rows, ...copies] });
}

function renamed(row: Row, name: string): Row {
  const copy = { ...row, key: row.row === "controller" ? name : `${name}/${row.key}` };
  if (copy.controller !== undefined) copy.controller = name;
  if (row.row === "controller") copy.name = name;
  return copy;
}
