/** Lists the character bigrams of a text. */
export function listLetterPairs(text: string): ReadonlySet<string> {
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)));
}

/** Sørensen–Dice coefficient: 1 for identical pairs, 0 for none in common; it tolerates swapped or missing letters. */
export function computePairOverlap(pairs: ReadonlySet<string>, others: ReadonlySet<string>): number {
  if (pairs.size + others.size === 0) return 0;
  let shared = 0;
  for (const pair of pairs) if (others.has(pair)) shared += 1;
  return (2 * shared) / (pairs.size + others.size);
}
