import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { codeOf } from '../search/system-error.ts';
import { LastingConnection } from './lasting-connection.ts';
import { openDatabase, setting, troubleOf } from './sqlite-file.ts';
import { checkVersion, migrate } from './sqlite-migrations.ts';
import { StoreError } from './store-error.ts';

export type ConnectionOptions = {
  /** How large the file may become; without it, as large as the disk allows. */
  readonly bytesMax?: number;
  /** How long to wait while another process writes; 10 seconds unless told otherwise. */
  readonly waitMs?: number;
};

const defaultWaitMs = 10_000;

/** A connection to a store in a file; the file is made if there is none. */
export function openConnection(path: string, options: ConnectionOptions = {}): LastingConnection {
  let isFirst = true;
  return new LastingConnection(() => {
    // The file was there before, with sessions in it: an empty one in its place is nothing to go on with.
    if (!isFirst && !existsSync(path))
      throw new StoreError('unreadable', JSON.stringify(path), 'the file is gone');
    const database = connect(path, options);
    isFirst = false;
    return database;
  });
}

/** One handle on a store, on which a transaction that has returned survives the loss of power. */
export function connect(
  path: string,
  { bytesMax, waitMs = defaultWaitMs }: ConnectionOptions = {},
): DatabaseSync {
  return translating(path, () => {
    makeFile(path);
    return openDatabase({
      path,
      waitMs,
      check(database) {
        checkVersion(database, path);
        // A file that is not ours has been left as it is up to here.
        keepPrivate(path);
      },
      migrate(database) {
        if (bytesMax !== undefined) limit(database, bytesMax);
        migrate(database, path);
      },
    });
  });
}

/**
 * Only its owner may read it, and SQLite gives the files beside it the same mode. A file that is already there is not opened
 * here: closing it again would release the locks that this process may hold on it.
 */
function makeFile(path: string): void {
  const folder = dirname(path);
  const firstMade = mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  if (firstMade !== undefined) keepFolders(folder, dirname(firstMade));
}

/** SQLite syncs the folder of its files and none above: after the loss of power, a new folder could be gone. */
function keepFolders(lowest: string, highest: string): void {
  // Windows cannot sync a folder.
  if (process.platform === 'win32') return;
  for (let folder = lowest; folder.length >= highest.length; folder = dirname(folder)) {
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    if (folder === highest) return;
  }
}

function keepPrivate(path: string): void {
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
}

function limit(database: DatabaseSync, bytesMax: number): void {
  const pageSize = Number(database.prepare('PRAGMA page_size').get()?.['page_size']);
  setting(database, 'max_page_count', Math.max(1, Math.floor(bytesMax / pageSize)));
}

/** Turns errors of the system and of SQLite into errors of the store. */
export function translating<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const trouble = error instanceof StoreError ? null : troubleOf(error);
    if (trouble === null || !(error instanceof Error)) throw error;
    throw new StoreError(trouble, JSON.stringify(path), error.message, error);
  }
}
