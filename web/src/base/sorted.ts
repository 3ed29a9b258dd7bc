/** Lists kept in order, searched by halving. Additions near the end, the common case, are cheap. */

/** lowerBound is the first index whose value is at least x, of a list in the order of by. */
export function lowerBound<T>(list: readonly T[], x: number, by: (item: T) => number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const mid = (low + high) >>> 1;
    const item = list[mid];
    if (item !== undefined && by(item) < x) low = mid + 1;
    else high = mid;
  }
  return low;
}

/** insertSorted puts item behind those that are equal. */
export function insertSorted<T>(list: T[], item: T, by: (item: T) => number): void {
  const x = by(item);
  const last = list.at(-1);
  if (last === undefined || by(last) <= x) {
    list.push(item);
    return;
  }
  let i = lowerBound(list, x, by);
  for (let at = list[i]; at !== undefined && by(at) === x; at = list[i]) i++;
  list.splice(i, 0, item);
}

/** removeSorted takes out this very item; false when it is not there. */
export function removeSorted<T>(list: T[], item: T, by: (item: T) => number): boolean {
  const x = by(item);
  for (let i = lowerBound(list, x, by); ; i++) {
    const at = list[i];
    if (at === undefined || by(at) !== x) return false;
    if (at !== item) continue;
    list.splice(i, 1);
    return true;
  }
}

/** So near each other, they are taken out of a list at once. */
const NEAR = 100;

/**
 * removeAllSorted takes these very items out, those near each other at once: the oldest of a long list go many at a
 * time. Of what lies between the oldest and the newest nothing is looked at.
 */
export function removeAllSorted<T>(list: T[], gone: Iterable<T>, by: (item: T) => number): void {
  const found: number[] = [];
  for (const item of gone) {
    let i = lowerBound(list, by(item), by);
    while (i < list.length && list[i] !== item && by(list[i] as T) === by(item)) i++;
    if (list[i] === item) found.push(i);
  }
  found.sort((a, b) => a - b);
  for (let first = found.length, end = first; end > 0; end = first) {
    do first--;
    while (first > 0 && (found[first] as number) - (found[first - 1] as number) < NEAR);
    let to = found[first] as number;
    let next = first;
    for (let i = to; next < end; i++) {
      if (i === found[next]) next++;
      else list[to++] = list[i] as T;
    }
    list.splice(to, end - first);
  }
}

/** replaceSorted puts item where before was, of the same value; false when before is not there. */
export function replaceSorted<T>(list: T[], before: T, item: T, by: (item: T) => number): boolean {
  const x = by(before);
  for (let i = lowerBound(list, x, by); i < list.length; i++) {
    const at = list[i];
    if (at === undefined || by(at) !== x) return false;
    if (at !== before) continue;
    list[i] = item;
    return true;
  }
  return false;
}

/** compareLists orders lists by the first number in which they differ; what is no number decides nothing. */
export function compareLists(a: readonly number[], b: readonly number[]): number {
  for (const [i, x] of a.entries()) {
    const d = x - (b[i] ?? 0);
    if (d !== 0 && !Number.isNaN(d)) return d;
  }
  return 0;
}
