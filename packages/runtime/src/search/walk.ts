import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ignore } from './ignore.ts';
import type { IndexLimits } from './limits.ts';
import { isSecretFile } from './secret-files.ts';

export type SkipReason =
  | 'too-large'
  | 'binary'
  | 'unreadable'
  | 'symlink'
  | 'special'
  /** By its name it holds keys or passwords. */
  | 'secret'
  | 'too-deep'
  /** This path and all after it: the index is full. */
  | 'limit-reached';

/** A file or folder that was meant to be looked at and was not. */
export type Skip = { readonly path: string; readonly reason: SkipReason };

export type Found =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'ignored'; readonly path: string }
  | { readonly kind: 'skip'; readonly skip: Skip };

type Tree = {
  readonly root: string;
  readonly ignore: Ignore;
  readonly limits: IndexLimits;
};

/**
 * Everything below the root, each folder's files before its sub-folders, names in code unit order: the same folder gives
 * the same walk everywhere, and when a limit cuts it short, what is nearest to the root has been seen.
 * Nothing is opened here but folders, and no symbolic link is followed. Throws when the root itself cannot be listed.
 */
export async function* walk(tree: Tree): AsyncGenerator<Found, void, undefined> {
  let entries = 0;
  const pending: { readonly path: string; readonly depth: number }[] = [{ path: '', depth: 0 }];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const { path, depth } = folder;
    const listed = await list(tree.root, path);
    if (listed === null) yield skip(path, 'unreadable');
    const folders: string[] = [];
    for (const entry of listed ?? []) {
      const child = path === '' ? entry.name : `${path}/${entry.name}`;
      if (++entries > tree.limits.entries) return yield skip(child, 'limit-reached');
      if (tree.ignore(child, entry.isDirectory())) yield { kind: 'ignored', path: child };
      else if (!entry.isDirectory()) yield classify(child, entry);
      else if (depth + 1 > tree.limits.depth) yield skip(child, 'too-deep');
      else folders.push(child);
    }
    for (const child of folders.toReversed()) pending.push({ path: child, depth: depth + 1 });
  }
}

/** Null when a folder has gone or is closed to us; without the root there is nothing to walk. */
async function list(root: string, path: string): Promise<readonly Dirent[] | null> {
  try {
    const entries = await readdir(join(root, path), { withFileTypes: true });
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (path === '') throw error;
    return null;
  }
}

function classify(path: string, entry: Dirent): Found {
  if (entry.isFile()) return isSecretFile(path) ? skip(path, 'secret') : { kind: 'file', path };
  return skip(path, entry.isSymbolicLink() ? 'symlink' : 'special');
}

function skip(path: string, reason: SkipReason): Found {
  return { kind: 'skip', skip: { path, reason } };
}
