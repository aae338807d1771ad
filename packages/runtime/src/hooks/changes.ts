import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { isSecretFile } from '../search/secret-files.ts';

/** A file that differs from the last commit, as `git status --porcelain -z` tells it. */
export type Change = { readonly path: string; readonly isNew: boolean };

export const statusArguments: readonly string[] = [
  'status',
  '--porcelain=v1',
  '-z',
  '--no-renames',
  '--untracked-files=all',
  '--ignore-submodules=all',
];

/** A repository inside the repository is told as a folder; it has a history of its own and is left alone. */
export function readStatus(text: string): readonly Change[] {
  return text
    .split('\0')
    .filter((entry) => entry.length > 3 && !entry.endsWith('/'))
    .map((entry) => ({ path: entry.slice(3), isNew: entry.startsWith('??') }));
}

/** Tells one version of each file from another, without reading it. */
export async function versionsOf(
  root: string,
  changes: readonly Change[],
): Promise<ReadonlyMap<string, string>> {
  const versions = changes.map(async ({ path }): Promise<[string, string]> => {
    const facts = await lstat(join(root, path)).catch(() => null);
    return [path, facts === null ? 'gone' : `${facts.ino} ${facts.size} ${facts.mtimeMs} ${facts.mode}`];
  });
  return new Map(await Promise.all(versions));
}

/** Why a file is not for a commit; null if it is. */
export function whyLeftOut(change: Change): string | null {
  // What is in the history already is no secret any more.
  if (change.isNew && isSecretFile(change.path)) return 'it may hold a secret';
  // Git could not be told which one is meant.
  return change.path.includes('\ufffd') ? 'its name is not text in UTF-8' : null;
}
