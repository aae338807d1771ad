import type { SkippedPath } from '@pawl/runtime/search';

/** Maximum number of skipped paths that are named; the rest are counted. */
const maxNamedSkips = 5;

const skipReasons: Record<SkippedPath['reason'], string> = {
  'too-large': 'it is too large to search',
  binary: 'it is not text',
  unreadable: 'it cannot be read; check its permissions',
  symlink: 'it is a symbolic link',
  special: 'it is not a regular file',
  secret: 'its name suggests that it contains secrets',
  'too-deep': 'it is nested too deeply',
  'limit-reached': 'the folder is too large; this path and all later ones were skipped',
};

/** Skip reasons that are not reported, because most folders contain binary files and symbolic links. */
const expectedSkipReasons: ReadonlySet<SkippedPath['reason']> = new Set(['binary', 'symlink']);

/** Formats one line per skipped file, and one with the number of files not named. */
export function formatSkippedFiles(skips: readonly SkippedPath[]): readonly string[] {
  const reported = skips.filter(({ reason }) => !expectedSkipReasons.has(reason));
  const named = reported
    .slice(0, maxNamedSkips)
    .map(({ path, reason }) => `skipped ${path}: ${skipReasons[reason]}`);
  const rest = reported.length - named.length;
  const binary = skips.filter(({ reason }) => reason === 'binary').length;
  return [
    ...named,
    ...(rest > 0 ? [`skipped ${rest} more`] : []),
    ...(binary > 0 ? [`skipped ${binary} ${binary === 1 ? 'file that is' : 'files that are'} not text`] : []),
  ];
}
