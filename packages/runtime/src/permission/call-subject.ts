import { realpathSync } from 'node:fs';
import type { Json, RequestedCall } from '@pawl/core';
import { explainUnsafePath, getPlatformPaths, toSlashes } from '../platform/platform.ts';
import { getSystemErrorCode } from '../platform/files.ts';
import { isInsideRoot } from '../tools/workspace.ts';
import { parseShellLine, type ShellLine } from './shell-words.ts';

/** A path in a call's arguments: as requested and as resolved, both relative to the root. */
export type SubjectPath = {
  readonly names: readonly string[];
  readonly isInside: boolean;
  /** Whether its argument name is one that tools use for their main path. */
  readonly isMain: boolean;
};

/** The paths and commands that a call's arguments refer to. */
export type CallSubject = {
  readonly paths: readonly SubjectPath[];
  /** Whether the call has more paths than are checked. */
  readonly hasMore: boolean;
  /** The parsed command line, if the call runs one. */
  readonly line: ShellLine | null;
  /** The platform whose rules for names and command lines apply. */
  readonly platform: NodeJS.Platform;
};

/** Argument names that tools use for their main path. */
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

/** Argument names for further paths; their values may be something else. */
const otherKeys = ['source', 'destination', 'old_path', 'new_path', 'paths', 'files'];

/** Limited because each path is resolved on disk. */
const pathsMax = 1_000;

export function resolveCallSubject(
  root: string,
  { args }: Pick<RequestedCall, 'args'>,
  platform: NodeJS.Platform = process.platform,
): CallSubject {
  const command = getCallArgument(args, 'command');
  const candidates = [...mainKeys, ...otherKeys].flatMap((key) =>
    toStringList(getCallArgument(args, key)).map((path) => ({ path, isMain: mainKeys.includes(key) })),
  );
  return {
    paths: candidates
      .slice(0, pathsMax)
      .map(({ path, isMain }) => ({ ...resolveSubjectPath(root, path, platform), isMain })),
    hasMore: candidates.length > pathsMax,
    line: typeof command === 'string' ? parseShellLine(command, platform) : null,
    platform,
  };
}

function getCallArgument(args: Json, key: string): Json | undefined {
  if (typeof args !== 'object' || args === null || !Object.hasOwn(args, key)) return undefined;
  return (args as { readonly [name: string]: Json })[key];
}

function toStringList(value: Json | undefined): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((each) => typeof each === 'string');
}

/** A link may lead to a path that a rule protects, so both its name and its target count. */
function resolveSubjectPath(
  root: string,
  path: string,
  platform: NodeJS.Platform,
): Omit<SubjectPath, 'isMain'> {
  const paths = getPlatformPaths(platform);
  const requested = paths.resolve(root, path.replaceAll('\0', ''));
  const real = resolveNearestRealPath(requested, platform);
  const names = [requested, real].map((each) => toSlashes(paths.relative(root, each), platform) || '.');
  const isSafe = explainUnsafePath(paths.relative(root, requested), platform) === null;
  const inside = [requested, real].every((each) => isInsideRoot(root, each, platform));
  return { names: [...new Set(names)], isInside: isSafe && inside };
}

/** The native lookup also returns the true case of a name and expands Windows short names (`GIT~1`). */
function resolveNearestRealPath(path: string, platform: NodeJS.Platform): string {
  const paths = getPlatformPaths(platform);
  const missing: string[] = [];
  for (let current = path; paths.dirname(current) !== current; current = paths.dirname(current)) {
    try {
      return paths.join(realpathSync.native(current), ...missing);
    } catch (error) {
      getSystemErrorCode(error);
      missing.unshift(paths.basename(current));
    }
  }
  return path;
}
