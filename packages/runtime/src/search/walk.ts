import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { IgnoreFilter } from './ignore.ts';
import type { IndexLimits } from './limits.ts';
import { isSecretFile } from './secret-files.ts';

export type SkipReason =
  | 'too-large'
  | 'binary'
  | 'unreadable'
  | 'symlink'
  | 'special'
  /** Its name suggests keys or passwords. */
  | 'secret'
  | 'too-deep'
  /** This path and all later ones: the index is full. */
  | 'limit-reached';

/** A file or folder that should have been read but was not. */
export type SkippedPath = { readonly path: string; readonly reason: SkipReason };

export type WalkEntry =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'ignored'; readonly path: string }
  | { readonly kind: 'skip'; readonly skip: SkippedPath };

type WalkOptions = {
  readonly root: string;
  readonly ignore: IgnoreFilter;
  readonly limits: IndexLimits;
};

/**
 * Walks everything below the root: files before subfolders, names in code unit order. The same folder gives the same
 * walk everywhere, and if a limit ends it early, the paths nearest to the root have been visited. It opens only folders
 * and follows no symbolic links. Throws if the root itself cannot be listed.
 */
export async function* walkTree(tree: WalkOptions): AsyncGenerator<WalkEntry, void, undefined> {
  let entries = 0;
  const pending: { readonly path: string; readonly depth: number }[] = [{ path: '', depth: 0 }];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const { path, depth } = folder;
    const listed = await listFolder(tree.root, path);
    if (listed === null) yield createSkip(path, 'unreadable');
    const folders: string[] = [];
    for (const entry of listed ?? []) {
      const child = path === '' ? entry.name : `${path}/${entry.name}`;
      if (++entries > tree.limits.entries) return yield createSkip(child, 'limit-reached');
      if (tree.ignore(child, entry.isDirectory())) yield { kind: 'ignored', path: child };
      else if (!entry.isDirectory()) yield classifyEntry(child, entry);
      else if (depth + 1 > tree.limits.depth) yield createSkip(child, 'too-deep');
      else folders.push(child);
    }
    for (const child of folders.toReversed()) pending.push({ path: child, depth: depth + 1 });
  }
}

/** Returns null if a folder is gone or inaccessible; throws for the root. */
async function listFolder(root: string, path: string): Promise<readonly Dirent[] | null> {
  try {
    const entries = await readdir(join(root, path), { withFileTypes: true });
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (path === '') throw error;
    return null;
  }
}

function classifyEntry(path: string, entry: Dirent): WalkEntry {
  if (entry.isFile()) return isSecretFile(path) ? createSkip(path, 'secret') : { kind: 'file', path };
  return createSkip(path, entry.isSymbolicLink() ? 'symlink' : 'special');
}

function createSkip(path: string, reason: SkipReason): WalkEntry {
  return { kind: 'skip', skip: { path, reason } };
}
