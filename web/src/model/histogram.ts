/** A quantile; rough: it is interpolated, and not that of the values themselves. */
export interface Quantile {
  readonly value: number;
  readonly rough: boolean;
}

/**
 * quantile reads the values themselves (in any order) where all of them are known. Else it reads their histogram by
 * powers of two, evenly within a bucket: buckets[i] counts values of at least 2^i and under 2^(i+1). q is in [0, 1]; no
 * values give 0.
 */
export function quantile(buckets: readonly number[], q: number, values: readonly number[]): Quantile {
  const total = buckets.reduce((sum, n) => sum + n, 0);
  if (total > 0 && total === values.length) return { value: exact(values, q * (total - 1)), rough: false };
  const rank = q * total;
  let below = 0;
  for (const [i, n] of buckets.entries()) {
    if (n > 0 && below + n >= rank) return { value: 2 ** i * (1 + Math.max(0, rank - below) / n), rough: true };
    below += n;
  }
  return { value: 0, rough: false };
}

/** The value at a place in their order, between its neighbours where that is between two. */
function exact(values: readonly number[], place: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const low = sorted[Math.floor(place)] ?? 0;
  return low + ((sorted[Math.ceil(place)] ?? low) - low) * (place % 1);
}
