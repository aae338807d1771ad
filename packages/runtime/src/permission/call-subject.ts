import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Json, RequestedCall } from '@pawl/core';
import { codeOf } from '../search/system-error.ts';
import { isInside } from '../tools/workspace-path.ts';
import { readShell, type ShellLine } from './shell-words.ts';

/** A path that a call is about: as it was asked for and where it leads, both from the root. */
export type SubjectPath = {
  readonly names: readonly string[];
  readonly isInside: boolean;
  /** Whether it is under a name by which tools call the one path that they work on. */
  readonly isMain: boolean;
};

/** What a call is about, as far as its arguments tell. */
export type CallSubject = {
  readonly paths: readonly SubjectPath[];
  /** Whether there are more paths than are looked at. */
  readonly hasMore: boolean;
  /** For a call that runs a command line. */
  readonly line: ShellLine | null;
};

/** What tools call the path that they work on. */
const mainKeys = [
  'path',
  'file_path',
  'filePath',
  'file',
  'filename',
  'file_name',
  'target_file',
  'cwd',
  'folder',
  'directory',
];

/** What they call the paths of a call that has several; what stands there may be something else. */
const otherKeys = ['source', 'destination', 'old_path', 'new_path', 'paths', 'files'];

/** Each path is looked up on the disk. */
const pathsMax = 1_000;

export function subjectOf(root: string, { args }: Pick<RequestedCall, 'args'>): CallSubject {
  const command = at(args, 'command');
  const given = [...mainKeys, ...otherKeys].flatMap((key) =>
    textsIn(at(args, key)).map((path) => ({ path, isMain: mainKeys.includes(key) })),
  );
  return {
    paths: given.slice(0, pathsMax).map(({ path, isMain }) => ({ ...lookUp(root, path), isMain })),
    hasMore: given.length > pathsMax,
    line: typeof command === 'string' ? readShell(command) : null,
  };
}

function at(args: Json, key: string): Json | undefined {
  if (typeof args !== 'object' || args === null || !Object.hasOwn(args, key)) return undefined;
  return (args as { readonly [name: string]: Json })[key];
}

function textsIn(value: Json | undefined): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((each) => typeof each === 'string');
}

/** A link may lead to what a rule protects, so both its name and its end count. */
function lookUp(root: string, path: string): Omit<SubjectPath, 'isMain'> {
  const asked = resolve(root, path.replaceAll('\0', ''));
  const real = realOfNearest(asked);
  const names = [asked, real].map((each) => relative(root, each).replaceAll(sep, '/') || '.');
  return { names: [...new Set(names)], isInside: isInside(root, asked) && isInside(root, real) };
}

function realOfNearest(path: string): string {
  const missing: string[] = [];
  for (let place = path; dirname(place) !== place; place = dirname(place)) {
    try {
      return join(realpathSync(place), ...missing);
    } catch (error) {
      codeOf(error);
      missing.unshift(basename(place));
    }
  }
  return path;
}
