/** Returns the quantile as one of the numbers; null if there are none. */
export function computeQuantile(numbers: readonly number[], share: number): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  const index = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1));
  return sorted[index] ?? null;
}

/** One-sided 95% z-score. */
const zScore95 = 1.6449;

/**
 * Returns the upper bound of the Wilson interval at 95%. With no hits in n it is about 2.7 / n; without cases it is 1.
 */
export function computeUpperBound(hits: number, of: number): number {
  if (of === 0) return 1;
  const share = hits / of;
  const middle = share + zScore95 ** 2 / (2 * of);
  const width = zScore95 * Math.sqrt((share * (1 - share)) / of + zScore95 ** 2 / (4 * of ** 2));
  return Math.min(1, (middle + width) / (1 + zScore95 ** 2 / of));
}

/** Returns how many runs without a hit bring the bound down to this share. */
export function computeRequiredRuns(bound: number): number {
  return Math.ceil((zScore95 ** 2 * (1 - bound)) / bound);
}

/** Returns an evenly distributed hash of the text, for deterministic partitioning. */
export function hashTextToNumber(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}
