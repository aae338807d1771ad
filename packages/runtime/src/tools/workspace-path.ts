import { realpath } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { codeOf } from '../search/system-error.ts';

export type WorkspacePath =
  /** `path` is the way from the root as it was asked for, with `/` between names. */
  | { readonly kind: 'inside'; readonly path: string; readonly realPath: string }
  | { readonly kind: 'outside' }
  /** `code` is the system's, such as `ENOENT`. */
  | { readonly kind: 'failed'; readonly code: string };

/**
 * Where a path given by a model really leads. `root` is a real path. A path that leaves the root by `..`, by being
 * absolute or through a symbolic link is outside, and whether anything is there is not told.
 */
export async function resolveInWorkspace(root: string, path: string): Promise<WorkspacePath> {
  if (path.includes('\0')) return { kind: 'failed', code: 'ENOENT' };
  const wanted = resolve(root, path);
  if (!isInside(root, wanted)) return { kind: 'outside' };
  try {
    const realPath = await realpath(wanted);
    if (!isInside(root, realPath)) return { kind: 'outside' };
    return { kind: 'inside', path: relative(root, wanted).replaceAll(sep, '/'), realPath };
  } catch (error) {
    return { kind: 'failed', code: codeOf(error) };
  }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && resolve(root, way) === path;
}
