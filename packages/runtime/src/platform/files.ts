import { closeSync, constants, fsyncSync, lstatSync, openSync, renameSync } from 'node:fs';
import { open, rename, type FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Flags for `open`. Windows lacks the last three; there they have no effect. */
export const openFlags = {
  read: constants.O_RDONLY,
  createNew: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
  folder: constants.O_DIRECTORY ?? 0,
  noFollow: constants.O_NOFOLLOW ?? 0,
  /** Opens a pipe without a writer immediately instead of blocking. */
  nonBlocking: constants.O_NONBLOCK ?? 0,
} as const;

/** Carries a code like the system's own errors. */
class LinkError extends Error {
  readonly code = 'ELOOP';

  constructor(path: string) {
    super(`This is a symbolic link: ${path}`);
  }
}

/** Opens a path unless it is a link. Windows cannot refuse links while opening, so the path is checked first. */
export async function openRefusingLinks(
  path: string,
  flags: number,
  { mode, platform = process.platform }: { readonly mode?: number; readonly platform?: NodeJS.Platform } = {},
): Promise<FileHandle> {
  if (platform === 'win32' && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new LinkError(path);
  return open(path, flags | openFlags.noFollow, mode);
}

/** Whether files have Unix modes. On Windows the permissions of the user's folder keep others out. */
export function hasFileModes(platform: NodeJS.Platform = process.platform): boolean {
  return platform !== 'win32';
}

/** Whether a folder can be flushed to disk. Windows cannot do this and offers nothing more durable than a rename. */
export function canSyncFolders(platform: NodeJS.Platform = process.platform): boolean {
  return platform !== 'win32';
}

/** Flushes a folder to disk, so that its entries survive a power loss. */
export async function syncFolder(path: string, platform: NodeJS.Platform = process.platform): Promise<void> {
  if (!canSyncFolders(platform)) return;
  await using folder = await open(path, 'r');
  await folder.sync();
}

/** The synchronous variant of `syncFolder`. */
export function syncFolderSync(path: string, platform: NodeJS.Platform = process.platform): void {
  if (!canSyncFolders(platform)) return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Error codes on Windows while another program, such as a virus scanner, has the file open. */
const busyFileCodes: ReadonlySet<unknown> = new Set(['EPERM', 'EACCES', 'EBUSY']);
const replacePausesMs: readonly number[] = [10, 20, 50, 100, 200, 400, 800];

type ReplaceFileOptions<Result> = {
  readonly platform?: NodeJS.Platform;
  readonly rename?: (from: string, to: string) => Result;
};

/** Renames a file and replaces an existing target. On Windows it retries for a while if the target is in use. */
export async function replaceFile(
  from: string,
  to: string,
  { platform = process.platform, rename: move = rename }: ReplaceFileOptions<Promise<void>> = {},
): Promise<void> {
  for (const pauseMs of platform === 'win32' ? replacePausesMs : []) {
    try {
      return await move(from, to);
    } catch (error) {
      if (!isFileBusyError(error)) throw error;
      await sleep(pauseMs);
    }
  }
  await move(from, to);
}

/** The synchronous variant of `replaceFile`. */
export function replaceFileSync(
  from: string,
  to: string,
  { platform = process.platform, rename: move = renameSync }: ReplaceFileOptions<void> = {},
): void {
  for (const pauseMs of platform === 'win32' ? replacePausesMs : []) {
    try {
      return move(from, to);
    } catch (error) {
      if (!isFileBusyError(error)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
  move(from, to);
}

function isFileBusyError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && busyFileCodes.has(error.code);
}

/**
 * Returns the system's code for a failed operation, such as `ENOENT`. Rethrows an error without a code, because it is a
 * bug.
 */
export function getSystemErrorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  throw error;
}
