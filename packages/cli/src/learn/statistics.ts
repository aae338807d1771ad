/** The value below which this share of the numbers lies, taken from the numbers themselves; null where there are none. */
export function quantile(numbers: readonly number[], share: number): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  const index = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1));
  return sorted[index] ?? null;
}

/** One chance in twenty that the truth is above the bound. */
const z = 1.6449;

/**
 * What a share may well be in truth when it was so many of so many: the upper bound of Wilson's interval, at 95 %. With no
 * hits in n it is about 2.7 / n; of nothing it is 1.
 */
export function upperBound(hits: number, of: number): number {
  if (of === 0) return 1;
  const share = hits / of;
  const middle = share + z ** 2 / (2 * of);
  const width = z * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  return Math.min(1, (middle + width) / (1 + z ** 2 / of));
}

/** How many runs without a hit it takes for the bound to come down to this share. */
export function neededFor(bound: number): number {
  return Math.ceil((z ** 2 * (1 - bound)) / bound);
}

/** A number that depends on the text alone, spread evenly: for dividing things up in the same way each time. */
export function spread(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}
