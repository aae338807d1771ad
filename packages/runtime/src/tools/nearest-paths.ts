/** Finds the existing paths most similar to one that does not exist, best first. */
export function findNearestPaths(target: string, paths: readonly string[], limit: number): readonly string[] {
  // The end of a path is the most significant part; this bounds the cost for long inputs.
  const end = target.slice(-300);
  const name = listPathPairs(getBaseName(end));
  const whole = listPathPairs(end);
  return paths
    .map((path) => ({
      path,
      likeness:
        2 * computePairOverlap(name, listPathPairs(getBaseName(path))) +
        computePairOverlap(whole, listPathPairs(path)),
    }))
    .filter(({ likeness }) => likeness > 0.9)
    .toSorted((a, b) => b.likeness - a.likeness || (a.path < b.path ? -1 : 1))
    .slice(0, limit)
    .map(({ path }) => path);
}

function getBaseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Includes the start and end of the path, case-insensitively. */
function listPathPairs(path: string): ReadonlySet<string> {
  return listLetterPairs(` ${path.toLowerCase()} `);
}

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
