import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { codeOf } from '../search/system-error.ts';

export type WorkspacePath =
  /** `path` is the way from the root as it was asked for, with `/` between names; `realPath` is where it leads. */
  | { readonly kind: 'inside'; readonly path: string; readonly realPath: string }
  | { readonly kind: 'outside' }
  /** `code` is the system's, such as `ENOENT`. */
  | { readonly kind: 'failed'; readonly code: string };

/**
 * Where a path given by a model really leads. `root` is a real path. A path that leaves the root by `..`, by being
 * absolute or through a symbolic link is outside, and whether anything is there is not told.
 */
export async function resolveInWorkspace(root: string, path: string): Promise<WorkspacePath> {
  return resolveWith(root, path, async (wanted) => realpath(wanted));
}

/** The same for a path that need not exist yet: what does exist of it is followed, and the rest is put after it. */
export async function resolveNewInWorkspace(root: string, path: string): Promise<WorkspacePath> {
  return resolveWith(root, path, realOfNearest);
}

async function resolveWith(
  root: string,
  path: string,
  realOf: (path: string) => Promise<string>,
): Promise<WorkspacePath> {
  if (path.includes('\0')) return { kind: 'failed', code: 'ENOENT' };
  const wanted = resolve(root, path);
  // On every system: a path of another system's kind is no name, but an attempt to leave.
  if (!isInside(root, wanted) || /^(?:[a-z]:[\\/]|\\\\)/i.test(path)) return { kind: 'outside' };
  try {
    const realPath = await realOf(wanted);
    if (!isInside(root, realPath)) return { kind: 'outside' };
    return { kind: 'inside', path: relative(root, wanted).replaceAll(sep, '/'), realPath };
  } catch (error) {
    return { kind: 'failed', code: codeOf(error) };
  }
}

/** The real path of the nearest folder above that exists, with the missing names after it. */
async function realOfNearest(path: string): Promise<string> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(await realpath(at), ...missing);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || dirname(at) === at) throw error;
      missing.unshift(basename(at));
    }
  }
}

export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && resolve(root, way) === path;
}

/** In quotes with escapes and not for ever: a path from a model may hold anything. */
export function quoted(path: string): string {
  return JSON.stringify(path === '' ? '.' : path.slice(0, 300));
}
