import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { isSecretFile } from '../search/walk.ts';

/** A file that differs from the last commit, as listed by `git status --porcelain -z`. */
export type GitFileChange = { readonly path: string; readonly isNew: boolean };

export const gitStatusArguments: readonly string[] = [
  'status',
  '--porcelain=v1',
  '-z',
  '--no-renames',
  '--untracked-files=all',
  '--ignore-submodules=all',
];

/** Parses the output of git status. Nested repositories appear as folders and are skipped. */
export function parseGitStatus(text: string): readonly GitFileChange[] {
  return text
    .split('\0')
    .filter((entry) => entry.length > 3 && !entry.endsWith('/'))
    .map((entry) => ({ path: entry.slice(3), isNew: entry.startsWith('??') }));
}

/** Fingerprints each file from its metadata, without reading its contents. */
export async function readFileVersions(
  root: string,
  changes: readonly GitFileChange[],
): Promise<ReadonlyMap<string, string>> {
  const versions = changes.map(async ({ path }): Promise<[string, string]> => {
    const stats = await lstat(join(root, path)).catch(() => null);
    return [path, stats === null ? 'gone' : `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.mode}`];
  });
  return new Map(await Promise.all(versions));
}

/** Returns why a file must not be committed; null if it may be. */
export function getExclusionReason(change: GitFileChange): string | null {
  // A file that is already in the history is no longer secret.
  if (change.isNew && isSecretFile(change.path)) return 'it may contain a secret';
  // Its name cannot be passed to git unambiguously.
  return change.path.includes('\ufffd') ? 'its name is not valid UTF-8' : null;
}
