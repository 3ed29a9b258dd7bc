/** standing are, of rows with an interval, those that hold t. */
export function standing<R extends { readonly from: number; readonly to: number }>(
  rows: Map<string, R>,
  t: number,
): R[] {
  return [...rows.values()].filter((row) => row.from <= t && (row.to === 0 || row.to > t));
}
