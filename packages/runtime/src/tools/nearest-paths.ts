import { computePairOverlap, listLetterPairs } from './letter-pairs.ts';

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
