import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { canSyncFolders, hasFileModes, syncFolderSync } from '../platform/files.ts';
import { getSystemErrorCode } from '../search/system-error.ts';
import { ReconnectingDatabase } from './reconnecting-database.ts';
import { openDatabase, setPragma, classifyFileError } from './sqlite-file.ts';
import { checkStoreVersion, migrateStore } from './sqlite-migrations.ts';
import { StoreError } from './store-error.ts';

export type SqliteStoreOptions = {
  /** Maximum file size; unlimited by default. */
  readonly bytesMax?: number;
  /** How long to wait while another process writes; defaults to 10 seconds. */
  readonly waitMs?: number;
};

const defaultBusyTimeoutMs = 10_000;

/** Opens a connection to a store file and creates the file if it does not exist. */
export function openStoreConnection(path: string, options: SqliteStoreOptions = {}): ReconnectingDatabase {
  let isFirst = true;
  return new ReconnectingDatabase(() => {
    // The file existed before and held sessions, so do not continue with a new empty one.
    if (!isFirst && !existsSync(path))
      throw new StoreError('unreadable', JSON.stringify(path), 'the file no longer exists');
    const database = connectDatabase(path, options);
    isFirst = false;
    return database;
  });
}

/** Opens one handle on a store; its committed transactions survive a power loss. */
export function connectDatabase(
  path: string,
  { bytesMax, waitMs = defaultBusyTimeoutMs }: SqliteStoreOptions = {},
): DatabaseSync {
  return translateStoreErrors(path, () => {
    createStoreFile(path);
    return openDatabase({
      path,
      waitMs,
      check(database) {
        checkStoreVersion(database, path);
        // Up to here, a foreign file has not been modified.
        restrictFileMode(path);
      },
      migrate(database) {
        if (bytesMax !== undefined) limitDatabaseSize(database, bytesMax);
        migrateStore(database, path);
      },
    });
  });
}

/**
 * Only the owner can read the file, and SQLite gives its companion files the same mode. An existing file is not opened
 * here, because closing it would release the locks that this process may hold on it.
 */
function createStoreFile(path: string): void {
  const folder = dirname(path);
  const firstMade = mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (getSystemErrorCode(error) !== 'EEXIST') throw error;
  }
  if (firstMade !== undefined) syncFolders(folder, dirname(firstMade));
}

/** SQLite syncs only the folder of its files, so a newly created parent folder could be lost after a power loss. */
function syncFolders(lowest: string, highest: string): void {
  if (!canSyncFolders()) return;
  for (let folder = lowest; folder.length >= highest.length; folder = dirname(folder)) {
    syncFolderSync(folder);
    if (folder === highest) return;
  }
}

function restrictFileMode(path: string): void {
  if (!hasFileModes()) return;
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
}

function limitDatabaseSize(database: DatabaseSync, bytesMax: number): void {
  const pageSize = Number(database.prepare('PRAGMA page_size').get()?.['page_size']);
  setPragma(database, 'max_page_count', Math.max(1, Math.floor(bytesMax / pageSize)));
}

/** Translates system and SQLite errors into store errors. */
export function translateStoreErrors<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const kind = error instanceof StoreError ? null : classifyFileError(error);
    if (kind === null || !(error instanceof Error)) throw error;
    throw new StoreError(kind, JSON.stringify(path), error.message, error);
  }
}
