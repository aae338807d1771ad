import { nearestPaths } from './nearest-paths.ts';
import { failure, type ToolResult } from './tool.ts';
import { quoted, resolveNewInWorkspace, type WorkspacePath } from './workspace-path.ts';
import type { Workspace } from './workspace.ts';

type Inside = Extract<WorkspacePath, { readonly kind: 'inside' }>;
type Place =
  | { readonly ok: true; readonly place: Inside }
  | { readonly ok: false; readonly refusal: ToolResult };

/** Nobody keeps files at the end of a longer path. */
const pathCharsMax = 1_000;

/** Where a file that is to be changed or made lies, or why it cannot lie there. */
export async function placeToChange(workspace: Workspace, path: string): Promise<Place> {
  if (/\p{Cc}/u.test(path) || !path.isWellFormed()) {
    const what = 'has a control character or half a character in it';
    return refuse(failure('invalid', `The path ${quoted(path)} ${what}. Use a plain name.`));
  }
  if (path.length > pathCharsMax) return refuse(fileFailure('ENAMETOOLONG', path, workspace));
  const place = await resolveNewInWorkspace(workspace.root, path);
  if (place.kind === 'outside') return refuse(outside(path));
  if (place.kind === 'failed') return refuse(fileFailure(place.code, path, workspace));
  if (path.includes('\\')) {
    return refuse(failure('invalid', `${quoted(path)} has a backslash in it. Put "/" between names.`));
  }
  return { ok: true, place };
}

function refuse(refusal: ToolResult): Place {
  return { ok: false, refusal };
}

export function outside(path: string): ToolResult {
  return failure(
    'denied',
    `${quoted(path)} is outside the folder. Give a path relative to the folder, without "..".`,
  );
}

/** Why a file could not be changed, in words, by the system's code. */
export function fileFailure(code: string, path: string, { paths }: Pick<Workspace, 'paths'>): ToolResult {
  const name = quoted(path);
  switch (code) {
    case 'ENOENT':
      return failure('failed', `There is no file ${name}. ${suggestion(path, paths)}`);
    case 'EISDIR':
      return failure('failed', `${name} is a folder. Give the path of a file.`);
    case 'ENOTDIR':
    case 'ELOOP':
      return failure(
        'failed',
        `A part of ${name} is a file or a link, not a folder. Look with glob, and use the real path.`,
      );
    case 'EFTYPE':
    case 'ENXIO':
      return failure('failed', `${name} is a link to nothing or not a regular file. Use another path.`);
    case 'ESTALE':
      return failure('failed', `${name} has changed since it was read. Read it again before you change it.`);
    case 'ENAMETOOLONG':
      return failure('invalid', `The path ${name} is too long (${code}). Use shorter names.`);
    case 'ENOSPC':
    case 'EDQUOT':
      return failure('failed', `There is no room to write ${name} (${code}). Nothing was changed.`);
    default:
      return failure('failed', `${name} cannot be used (${code}). Nothing was changed; use another file.`);
  }
}

function suggestion(path: string, paths: readonly string[]): string {
  const near = nearestPaths(path, paths, 3).map(quoted);
  if (near.length === 0) return 'Use glob to find it, or write to make it.';
  return `Try ${near.join(' or ')}; use write to make a new one.`;
}
