import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../search/system-error.ts';

/**
 * A folder that is held open. What is done at `at(name)` is done in this very folder, whatever anyone has put in the place
 * of its path, or of a folder above it, in the meantime.
 */
export type HeldFolder = {
  at(name: string): string;
  /** Makes what happened in the folder last through a loss of power. */
  sync(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Goes down from the root name by name and follows no link. `names` are those of a real path, so a link on the way was put
 * there after the path was looked up: the error then has the code `ELOOP` or `ENOTDIR`.
 */
export async function holdFolder(
  root: string,
  names: readonly string[],
  create = false,
): Promise<HeldFolder> {
  let path = root;
  let handle = await open(root, folderFlags);
  try {
    for (const name of names) {
      const below = pathIn(handle, path, name);
      if (create) await make(below, handle);
      const next = await open(below, folderFlags);
      await handle.close();
      handle = next;
      path = join(path, name);
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    at: (name) => pathIn(handle, path, name),
    sync: () => handle.sync(),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** Linux can name what lies in an open folder; elsewhere the path has to do, which leaves a moment for a swap. */
function pathIn(folder: FileHandle, path: string, name: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${folder.fd}/${name}` : join(path, name);
}

/** A new folder is there after the loss of power only once the one above it has been synced. */
async function make(path: string, above: FileHandle): Promise<void> {
  try {
    await mkdir(path);
    await above.sync();
  } catch (error) {
    unlessThere(error);
  }
}

function unlessThere(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}
