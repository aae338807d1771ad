import { overlap, pairsOf } from './letter-pairs.ts';

/** The existing paths most like one that does not exist, best first. */
export function nearestPaths(wanted: string, paths: readonly string[], limit: number): readonly string[] {
  // The end of a path says most, and no path is longer than this.
  const end = wanted.slice(-300);
  const name = pathPairs(baseName(end));
  const whole = pathPairs(end);
  return paths
    .map((path) => ({
      path,
      likeness: 2 * overlap(name, pathPairs(baseName(path))) + overlap(whole, pathPairs(path)),
    }))
    .filter(({ likeness }) => likeness > 0.9)
    .toSorted((a, b) => b.likeness - a.likeness || (a.path < b.path ? -1 : 1))
    .slice(0, limit)
    .map(({ path }) => path);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Also of its beginning and its end, in whatever case. */
function pathPairs(path: string): ReadonlySet<string> {
  return pairsOf(` ${path.toLowerCase()} `);
}
