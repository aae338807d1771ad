import type { Skip } from '@pawl/runtime';

/** How many skipped paths are named one by one; the rest are counted. */
const namedMax = 5;

const reasons: Record<Skip['reason'], string> = {
  'too-large': 'it is too large to search',
  binary: 'it is not text',
  unreadable: 'it cannot be read; check its permissions',
  symlink: 'it is a symbolic link',
  special: 'it is not a regular file',
  secret: 'by its name it holds keys or passwords',
  'too-deep': 'it lies too many folders deep',
  'limit-reached': 'the folder is too large; this and all that comes after it was left out',
};

/** Skips nobody needs to hear of: most folders have pictures and links in them. */
const expected: ReadonlySet<Skip['reason']> = new Set(['binary', 'symlink']);

/** One line for each file that was left out, and one with the count of those that are not named. */
export function skipLines(skips: readonly Skip[]): readonly string[] {
  const told = skips.filter(({ reason }) => !expected.has(reason));
  const named = told.slice(0, namedMax).map(({ path, reason }) => `skipped ${path}: ${reasons[reason]}`);
  const rest = told.length - named.length;
  const binary = skips.filter(({ reason }) => reason === 'binary').length;
  return [
    ...named,
    ...(rest > 0 ? [`skipped ${rest} more like these`] : []),
    ...(binary > 0 ? [`skipped ${binary} ${binary === 1 ? 'file that is' : 'files that are'} not text`] : []),
  ];
}
