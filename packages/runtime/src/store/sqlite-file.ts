import { DatabaseSync } from 'node:sqlite';

/** Result codes of SQLite; `indexSize` is the extended code SQLITE_IOERR_SHMSIZE. */
export const sqliteCodes = {
  busy: 5,
  locked: 6,
  full: 13,
  tooBig: 18,
  notADatabase: 26,
  indexSize: 4_874,
} as const;

export type SqliteFile = {
  readonly path: string;
  /** How long to wait while another process writes. */
  readonly waitMs: number;
  /** Throws when the file is not one to use, and has changed nothing. */
  readonly check: (database: DatabaseSync) => void;
  /** Makes the tables, or brings them up to date. */
  readonly migrate: (database: DatabaseSync) => void;
};

/** A database in which a transaction that has returned survives the loss of power. */
export function openDatabase({ path, waitMs, check, migrate }: SqliteFile): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: waitMs });
  try {
    check(database);
    waitingFor(waitMs, () => configure(database));
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw isWithoutRoomForIndex(error) ? new NoRoom(error) : error;
  }
}

/** SQLite reports it as an error of the disk when there is no room for the index beside its log. */
function isWithoutRoomForIndex(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteCodes.indexSize;
}

/** Has the code of the system. */
class NoRoom extends Error {
  readonly code = 'ENOSPC';

  constructor(cause: unknown) {
    super('there is no room for the files beside it', { cause });
  }
}

/** These settings hold for one handle only: each sets them again, and checks that they took effect. */
function configure(database: DatabaseSync): void {
  if (setting(database, 'journal_mode', 'WAL') !== 'wal' || setting(database, 'synchronous', 'FULL') !== 2) {
    throw new NoWriteAheadLog();
  }
}

/** Has a code as SQLite's own errors do. */
class NoWriteAheadLog extends Error {
  readonly code = 'ERR_SQLITE_ERROR';

  constructor() {
    super('its folder cannot hold a write-ahead log');
  }
}

/** Sets a pragma, and returns what it is then. */
export function setting(database: DatabaseSync, name: string, value: string | number): unknown {
  database.exec(`PRAGMA ${name} = ${value}`);
  return database.prepare(`PRAGMA ${name}`).get()?.[name];
}

/** SQLite waits for others, except when it turns on the write-ahead log: there it fails at once. */
function waitingFor(waitMs: number, work: () => void): void {
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    try {
      return work();
    } catch (error) {
      if (waitedMs >= waitMs || troubleOf(error) !== 'busy') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
}

const pauseMs = 5;

/** What is wrong with the file, by the system or by SQLite. `unreadable` is all that is none of the others. */
export type FileTrouble = 'busy' | 'full' | 'invalid' | 'unreadable';

/** SQLite and the system give their errors a code. Null for an error without one: it has nothing to do with the file. */
export function troubleOf(error: unknown): FileTrouble | null {
  if (!(error instanceof Error && 'code' in error)) return null;
  if (error.code === 'ENOSPC') return 'full';
  return byNumber.get(sqliteNumber(error)) ?? 'unreadable';
}

/**
 * Whether the handle may not be used again. After an error of the disk nobody knows what it still holds, and asking once
 * more does not help: from then on the system takes what it could not write as written.
 */
export function isHandleLost(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && troubleOf(error) === 'unreadable';
}

/** The lower eight bits say the kind. */
function sqliteNumber(error: Error): number {
  return 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}

const byNumber: ReadonlyMap<number, FileTrouble> = new Map([
  [sqliteCodes.busy, 'busy'],
  [sqliteCodes.locked, 'busy'],
  [sqliteCodes.full, 'full'],
  [sqliteCodes.tooBig, 'invalid'],
]);
