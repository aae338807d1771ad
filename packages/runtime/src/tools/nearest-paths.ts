/** The existing paths most like one that does not exist, best first. */
export function nearestPaths(wanted: string, paths: readonly string[], limit: number): readonly string[] {
  // The end of a path says most, and what is longer than any path is none.
  const end = wanted.slice(-300);
  const name = pairsOf(baseName(end));
  const whole = pairsOf(end);
  return paths
    .map((path) => ({ path, likeness: 2 * overlap(name, baseName(path)) + overlap(whole, path) }))
    .filter(({ likeness }) => likeness > 0.9)
    .toSorted((a, b) => b.likeness - a.likeness || (a.path < b.path ? -1 : 1))
    .slice(0, limit)
    .map(({ path }) => path);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Sørensen–Dice over pairs of letters: 1 for the same, 0 for nothing in common; swapped or missing letters cost little. */
function overlap(pairs: ReadonlySet<string>, other: string): number {
  const others = pairsOf(other);
  const shared = [...pairs].filter((pair) => others.has(pair)).length;
  return (2 * shared) / (pairs.size + others.size);
}

function pairsOf(text: string): ReadonlySet<string> {
  const padded = ` ${text.toLowerCase()} `;
  return new Set(Array.from({ length: padded.length - 1 }, (_, index) => padded.slice(index, index + 2)));
}
