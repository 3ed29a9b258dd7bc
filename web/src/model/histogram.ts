/**
 * quantile reads a histogram by powers of two: buckets[i] counts values of at least 2^i and under 2^(i+1). The
 * value is interpolated evenly within its bucket. q is in [0, 1]; an empty histogram gives 0.
 */
export function quantile(buckets: readonly number[], q: number): number {
  const total = buckets.reduce((sum, n) => sum + n, 0);
  if (total <= 0) return 0;
  const rank = q * total;
  let below = 0;
  for (const [i, n] of buckets.entries()) {
    if (n > 0 && below + n >= rank) return 2 ** i * (1 + Math.max(0, rank - below) / n);
    below += n;
  }
  return 2 ** buckets.length;
}
