import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Json, RequestedCall } from '@pawl/core';
import { codeOf } from '../search/system-error.ts';
import { isInside } from '../tools/workspace-path.ts';
import { readShell, type ShellLine } from './shell-words.ts';

/** A path that a call is about: as it was asked for and where it leads, both from the root. */
export type SubjectPath = { readonly names: readonly string[]; readonly isInside: boolean };

/** What a call is about, as far as its arguments tell. */
export type CallSubject = {
  readonly paths: readonly SubjectPath[];
  /** For a call that runs a command line. */
  readonly line: ShellLine | null;
};

/** What tools call a path. */
const pathKeys = [
  'path',
  'file_path',
  'filePath',
  'file',
  'filename',
  'target_file',
  'cwd',
  'folder',
  'directory',
];

export function subjectOf(root: string, { args }: Pick<RequestedCall, 'args'>): CallSubject {
  const command = textAt(args, 'command');
  return {
    paths: pathKeys.flatMap((key) => {
      const path = textAt(args, key);
      return path === null ? [] : [lookUp(root, path)];
    }),
    line: command === null ? null : readShell(command),
  };
}

function textAt(args: Json, key: string): string | null {
  if (typeof args !== 'object' || args === null || !Object.hasOwn(args, key)) return null;
  const value = (args as { readonly [name: string]: Json })[key];
  return typeof value === 'string' ? value : null;
}

/** A link may lead to what a rule protects, so both its name and its end count. */
function lookUp(root: string, path: string): SubjectPath {
  const asked = resolve(root, path.replaceAll('\0', ''));
  const real = realOfNearest(asked);
  const names = [asked, real].map((each) => relative(root, each).replaceAll(sep, '/') || '.');
  return { names: [...new Set(names)], isInside: isInside(root, asked) && isInside(root, real) };
}

function realOfNearest(path: string): string {
  const missing: string[] = [];
  for (let at = path; dirname(at) !== at; at = dirname(at)) {
    try {
      return join(realpathSync(at), ...missing);
    } catch (error) {
      codeOf(error);
      missing.unshift(basename(at));
    }
  }
  return path;
}
