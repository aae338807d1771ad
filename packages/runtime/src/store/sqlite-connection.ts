import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { canSyncFolders, hasFileModes, syncFolderSync, getSystemErrorCode } from '../platform/files.ts';
import { ReconnectingDatabase, openDatabase, setPragma, classifyFileError } from './sqlite-file.ts';
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

/** "pawl" in ASCII; marks the file as a Pawl store. */
const applicationId = 0x7061776c;

/**
 * Each migration upgrades the database by one version; released migrations are never changed. AUTOINCREMENT ensures
 * that the number of a removed session is never reused.
 */
export const storeMigrations: readonly string[] = [
  `CREATE TABLE sessions (
     number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, initial TEXT NOT NULL,
     owner TEXT NOT NULL, fence INTEGER NOT NULL, head INTEGER NOT NULL, hash TEXT NOT NULL, damage TEXT,
     profile TEXT NOT NULL, goal TEXT, status TEXT NOT NULL, updated_at REAL NOT NULL, steps INTEGER NOT NULL,
     snapshot_head INTEGER NOT NULL, snapshot_bytes INTEGER NOT NULL, tail_bytes INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX sessions_by_age ON sessions (updated_at DESC, id);
   CREATE TABLE events (
     session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE, seq INTEGER NOT NULL,
     text TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (session, seq)
   ) STRICT;
   CREATE TABLE fences (only INTEGER PRIMARY KEY CHECK (only = 1), last INTEGER NOT NULL) STRICT;
   INSERT INTO fences VALUES (1, 0);
   CREATE TABLE snapshots (
     session INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE, version INTEGER NOT NULL,
     head INTEGER NOT NULL, hash TEXT NOT NULL, text TEXT NOT NULL, checksum TEXT NOT NULL
   ) STRICT`,
  // The initial session contains the creation time, unless it is damaged.
  `ALTER TABLE sessions ADD COLUMN created_at REAL NOT NULL DEFAULT 0;
   ALTER TABLE sessions ADD COLUMN about TEXT;
   ALTER TABLE sessions ADD COLUMN parent_id TEXT;
   ALTER TABLE sessions ADD COLUMN parent_at INTEGER;
   UPDATE sessions SET created_at = CASE
     WHEN NOT json_valid(initial) THEN updated_at
     WHEN json_type(initial, '$.turn.since') IN ('integer', 'real') THEN json_extract(initial, '$.turn.since')
     ELSE updated_at
   END`,
  // Every append rewrites the whole row, so large immutable columns move to another table, and the index is dropped
  // because updating it on every append costs more than it saves for lists.
  `CREATE TABLE beginnings (
     session INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE, initial TEXT NOT NULL, about TEXT
   ) STRICT;
   INSERT INTO beginnings SELECT number, initial, about FROM sessions;
   DROP INDEX sessions_by_age;
   ALTER TABLE sessions DROP COLUMN initial;
   ALTER TABLE sessions DROP COLUMN about`,
  // An executed command has no text; its row remains only to deduplicate repeated requests. Numbers are never reused
  // here either.
  `CREATE TABLE commands (
     number INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
     request TEXT, text TEXT, UNIQUE (session, request)
   ) STRICT;
   CREATE INDEX commands_waiting ON commands (session, number) WHERE text IS NOT NULL`,
  // Earlier claims are unknown.
  `CREATE TABLE claims (
     number INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
     owner TEXT NOT NULL, at REAL NOT NULL, head INTEGER NOT NULL, status TEXT NOT NULL
   ) STRICT;
   CREATE INDEX claims_by_session ON claims (session, number)`,
  // The session and event numbers form one integer that is the table's own key: a two-column key needed a second
  // B-tree, and every append wrote a page of it. No event was ever stored under a number that does not fit.
  `CREATE TABLE places (
     place INTEGER PRIMARY KEY, text TEXT NOT NULL, hash TEXT NOT NULL,
     session INTEGER GENERATED ALWAYS AS (place >> 32), seq INTEGER GENERATED ALWAYS AS (place & 4294967295)
   ) STRICT;
   INSERT INTO places (place, text, hash)
     SELECT (session << 32) + seq, text, hash FROM events WHERE seq BETWEEN 0 AND 4294967295 ORDER BY session, seq;
   DROP TABLE events;
   ALTER TABLE places RENAME TO events;
   CREATE TRIGGER events_go_with_their_session AFTER DELETE ON sessions BEGIN
     DELETE FROM events WHERE place BETWEEN old.number << 32 AND (old.number << 32) + 4294967295;
   END`,
];

/** Throws before changing anything if the file is not a store of this version or an older one. */
export function checkStoreVersion(
  database: DatabaseSync,
  path: string,
  known: number = storeMigrations.length,
): number {
  // A single statement, because another process may be creating the tables right now.
  const header = database
    .prepare(
      `SELECT user_version AS version, application_id AS application, (SELECT count(*) FROM sqlite_schema) AS tables
       FROM pragma_user_version, pragma_application_id`,
    )
    .get();
  const [version, tables] = [Number(header?.['version']), Number(header?.['tables'])];
  const isOurs = header?.['application'] === applicationId;
  if (isOurs ? version === 0 : tables > 0 || version > 0) {
    throw new StoreError('unreadable', JSON.stringify(path), 'this database belongs to another program');
  }
  if (version > known)
    throw new StoreError('newer', JSON.stringify(path), `version ${version}, not ${known}`);
  return version;
}

/** Migrates the database completely or not at all. */
export function migrateStore(
  database: DatabaseSync,
  path: string,
  steps: readonly string[] = storeMigrations,
): void {
  if (checkStoreVersion(database, path, steps.length) === steps.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have migrated it while this one waited for the lock.
    const version = checkStoreVersion(database, path, steps.length);
    for (const step of steps.slice(version)) database.exec(step);
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${steps.length}; COMMIT`);
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
