import type { FileHandle } from 'node:fs/promises';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { canSyncFolders, openFlags, openRefusingLinks, getSystemErrorCode } from '../platform/files.ts';

/**
 * An open folder. Operations on `at(name)` act on this very folder, even if its path or a parent folder is replaced in
 * the meantime.
 */
export type FolderHandle = {
  at(name: string): string;
  /** Makes changes in the folder survive a power loss. */
  sync(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

const folderFlags = openFlags.read | openFlags.folder;

/**
 * Descends from the root folder by folder without following links. `names` come from a real path, so a link on the way
 * was created after the path was resolved; the error code is then `ELOOP` or `ENOTDIR`.
 */
export async function openFolderHandle(
  root: string,
  names: readonly string[],
  create = false,
): Promise<FolderHandle> {
  let path = root;
  let handle = await openRefusingLinks(root, folderFlags);
  try {
    for (const name of names) {
      const below = getHandlePath(handle, path, name);
      if (create) await makeSyncedFolder(below, handle);
      const next = await openFolder(below);
      await handle.close();
      handle = next;
      path = join(path, name);
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    at: (name) => getHandlePath(handle, path, name),
    sync: () => syncHandle(handle),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** Linux can address entries relative to an open folder; elsewhere the path is used, which leaves a race window. */
function getHandlePath(folder: FileHandle, path: string, name: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${folder.fd}/${name}` : join(path, name);
}

/** A new folder survives a power loss only once its parent folder has been synced. */
async function makeSyncedFolder(path: string, above: FileHandle): Promise<void> {
  try {
    await mkdir(path);
    await syncHandle(above);
  } catch (error) {
    ignoreExisting(error);
  }
}

/** Windows has no flag that opens only folders, so check the type after opening. */
async function openFolder(path: string): Promise<FileHandle> {
  const handle = await openRefusingLinks(path, folderFlags);
  if (openFlags.folder !== 0 || (await handle.stat()).isDirectory()) return handle;
  await handle.close();
  throw new NotAFolderError(path);
}

/** Carries a code like the system's own errors. */
class NotAFolderError extends Error {
  readonly code = 'ENOTDIR';

  constructor(path: string) {
    super(`This is not a folder: ${path}`);
  }
}

async function syncHandle(folder: FileHandle): Promise<void> {
  if (canSyncFolders()) await folder.sync();
}

function ignoreExisting(error: unknown): void {
  if (getSystemErrorCode(error) !== 'EEXIST') throw error;
}
