import { DatabaseSync } from 'node:sqlite';

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

/** SQLite calls it an error of the disk when there is no room for the index beside the log, without which it opens nothing. */
function isWithoutRoomForIndex(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 4874;
}

/** Has the code of the system. */
class NoRoom extends Error {
  readonly code = 'ENOSPC';

  constructor(cause: unknown) {
    super('there is no room for the files beside it', { cause });
  }
}

/** These hold for one handle only, so each says them again, and looks whether they took. */
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

/** Sets it, and says what it is then. */
export function setting(database: DatabaseSync, name: string, value: string | number): unknown {
  database.exec(`PRAGMA ${name} = ${value}`);
  return database.prepare(`PRAGMA ${name}`).get()?.[name];
}

/** SQLite waits for others except where it turns the write-ahead log on; there it fails at once. */
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

/** What the file or SQLite has against it. `unreadable` is all that is none of the others. */
export type FileTrouble = 'busy' | 'full' | 'invalid' | 'unreadable';

/** SQLite and the system give their errors a code; anything else is no matter of the file: null. */
export function troubleOf(error: unknown): FileTrouble | null {
  if (!(error instanceof Error && 'code' in error)) return null;
  if (error.code === 'ENOSPC') return 'full';
  return byNumber.get(sqliteNumber(error)) ?? 'unreadable';
}

/**
 * Whether the handle may not be used again. After an error of the disk nobody knows what it still holds, and asking once
 * more does not help: the system takes what it could not write for written from then on.
 */
export function isHandleLost(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && troubleOf(error) === 'unreadable';
}

/** The lower eight bits say the kind. */
function sqliteNumber(error: Error): number {
  return 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}

const byNumber: ReadonlyMap<number, FileTrouble> = new Map([
  [5, 'busy'],
  [6, 'busy'],
  [13, 'full'],
  [18, 'invalid'],
]);
