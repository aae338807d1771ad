import type { SkippedPath } from '@pawl/runtime';

/** Maximum number of skipped paths that are named; the rest are counted. */
const maxNamedSkips = 5;

const skipReasons: Record<SkippedPath['reason'], string> = {
  'too-large': 'it is too large to search',
  binary: 'it is not text',
  unreadable: 'it cannot be read; check its permissions',
  symlink: 'it is a symbolic link',
  special: 'it is not a regular file',
  secret: 'by its name it holds keys or passwords',
  'too-deep': 'it lies too many folders deep',
  'limit-reached': 'the folder is too large; this and all that comes after it was left out',
};

/** Skip reasons that are not reported, because most folders contain binary files and symbolic links. */
const expectedSkipReasons: ReadonlySet<SkippedPath['reason']> = new Set(['binary', 'symlink']);

/** Formats one line per skipped file, and one with the number of files not named. */
export function formatSkippedFiles(skips: readonly SkippedPath[]): readonly string[] {
  const told = skips.filter(({ reason }) => !expectedSkipReasons.has(reason));
  const named = told
    .slice(0, maxNamedSkips)
    .map(({ path, reason }) => `skipped ${path}: ${skipReasons[reason]}`);
  const rest = told.length - named.length;
  const binary = skips.filter(({ reason }) => reason === 'binary').length;
  return [
    ...named,
    ...(rest > 0 ? [`skipped ${rest} more like these`] : []),
    ...(binary > 0 ? [`skipped ${binary} ${binary === 1 ? 'file that is' : 'files that are'} not text`] : []),
  ];
}
