import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { explainUnsafePath, getPlatformPaths, toSlashes } from '../platform/platform.ts';
import { getSystemErrorCode } from '../platform/files.ts';
import { createSerialRunner } from '../platform/serial-runner.ts';

/** The state shared by the tools of one folder. */
export type AgentWorkspace = {
  /** A real path. */
  readonly root: string;
  /** The known files, for suggesting similar paths. */
  readonly paths: readonly string[];
  /** Records the last version of a file that the agent saw, to detect changes by others. */
  recordVersion(realPath: string, version: string): void;
  /** Whether the file differs from the version last seen; false if it was never seen. */
  isOutdated(realPath: string, version: string): boolean;
  /** Runs tasks one after the other, so that concurrent calls do not overwrite each other. */
  runExclusive<Result>(task: () => Promise<Result>): Promise<Result>;
};

/** Maximum number of files tracked; the least recently seen are evicted first. */
const rememberedFilesMax = 10_000;

/** All tools of one folder must share one workspace. */
export function createWorkspace(root: string, paths: readonly string[] = []): AgentWorkspace {
  const versions = new Map<string, string>();
  return {
    root,
    paths,
    recordVersion(realPath, version) {
      // Delete first, so that insertion order is the order of last use.
      versions.delete(realPath);
      versions.set(realPath, version);
      const [oldest] = versions.keys();
      if (versions.size > rememberedFilesMax && oldest !== undefined) versions.delete(oldest);
    },
    isOutdated(realPath, version) {
      const known = versions.get(realPath);
      return known !== undefined && known !== version;
    },
    runExclusive: createSerialRunner(),
  };
}

export type WorkspacePath =
  /** `path` is the requested path relative to the root, with `/` separators; `realPath` is its resolved target. */
  | { readonly kind: 'inside'; readonly path: string; readonly realPath: string }
  | { readonly kind: 'outside' }
  /** `code` is the system's error code, such as `ENOENT`. */
  | { readonly kind: 'failed'; readonly code: string };

/**
 * Resolves a path given by a model. `root` is a real path. A path that leaves the root by `..`, by being absolute or
 * through a symbolic link is "outside", which does not reveal whether the target exists.
 */
export async function resolveWorkspacePath(root: string, path: string): Promise<WorkspacePath> {
  return resolveContainedPath(root, path, async (target) => realpath(target));
}

/** Like `resolveWorkspacePath`, for a path that may not exist yet: resolves the existing part and appends the rest. */
export async function resolveNewWorkspacePath(root: string, path: string): Promise<WorkspacePath> {
  return resolveContainedPath(root, path, findNearestRealPath);
}

async function resolveContainedPath(
  root: string,
  path: string,
  resolveReal: (path: string) => Promise<string>,
): Promise<WorkspacePath> {
  if (path.includes('\0')) return { kind: 'failed', code: 'ENOENT' };
  const target = resolve(root, path);
  if (leadsOutside(root, path, process.platform)) return { kind: 'outside' };
  if (explainUnsafePath(path, process.platform) !== null) return { kind: 'failed', code: 'EINVAL' };
  try {
    const realPath = await resolveReal(target);
    if (!isInsideRoot(root, realPath)) return { kind: 'outside' };
    return { kind: 'inside', path: toSlashes(relative(root, target)), realPath };
  } catch (error) {
    return { kind: 'failed', code: getSystemErrorCode(error) };
  }
}

/** Returns the real path of the nearest existing ancestor with the missing names appended. */
async function findNearestRealPath(path: string): Promise<string> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(await realpath(at), ...missing);
    } catch (error) {
      if (getSystemErrorCode(error) !== 'ENOENT' || dirname(at) === at) throw error;
      missing.unshift(basename(at));
    }
  }
}

/** Whether a path resolved against the root leaves it, before links are followed. */
export function leadsOutside(root: string, path: string, platform: NodeJS.Platform): boolean {
  // On every platform, an absolute Windows path is an attempt to leave the root, not a file name. On Windows, so is
  // `C:name`, because it depends on the drive's current folder.
  const isWindowsPath =
    /^(?:[a-z]:[\\/]|\\\\)/i.test(path) || (platform === 'win32' && /^[a-z]:/i.test(path));
  return isWindowsPath || !isInsideRoot(root, getPlatformPaths(platform).resolve(root, path), platform);
}

/** Whether an absolute path is the root or below it. Windows drives have no relative path between them. */
export function isInsideRoot(
  root: string,
  path: string,
  platform: NodeJS.Platform = process.platform,
): boolean {
  const paths = getPlatformPaths(platform);
  const relativePath = paths.relative(root, path);
  return (
    relativePath !== '..' &&
    !relativePath.startsWith(`..${paths.sep}`) &&
    !paths.isAbsolute(relativePath) &&
    paths.resolve(root, relativePath) === path
  );
}

/** Quotes, escapes and truncates a path, because a model can put anything into it. */
export function quotePath(path: string): string {
  return JSON.stringify(path === '' ? '.' : path.slice(0, 300));
}
