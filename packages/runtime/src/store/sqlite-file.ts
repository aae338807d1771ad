import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** SQLite result codes; `indexSize` is the extended code SQLITE_IOERR_SHMSIZE. */
export const sqliteCodes = {
  busy: 5,
  locked: 6,
  full: 13,
  tooBig: 18,
  notADatabase: 26,
  indexSize: 4_874,
} as const;

export type SqliteFileOptions = {
  readonly path: string;
  /** How long to wait while another process writes. */
  readonly waitMs: number;
  /** Throws if the file is not usable, before anything is changed. */
  readonly check: (database: DatabaseSync) => void;
  /** Creates or migrates the tables. */
  readonly migrate: (database: DatabaseSync) => void;
};

/** Opens a database in which committed transactions survive a power loss. */
export function openDatabase({ path, waitMs, check, migrate }: SqliteFileOptions): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: waitMs });
  try {
    check(database);
    retryWhileBusy(waitMs, () => configureDatabase(database));
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw isIndexSpaceError(error) ? new NoSpaceError(error) : error;
  }
}

/** SQLite reports a disk error when there is no space for the shared-memory index of its write-ahead log. */
function isIndexSpaceError(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteCodes.indexSize;
}

/** Carries the system's error code. */
class NoSpaceError extends Error {
  readonly code = 'ENOSPC';

  constructor(cause: unknown) {
    super('there is no space for its companion files', { cause });
  }
}

/** These settings apply to a single handle, so each handle sets them and checks that they took effect. */
function configureDatabase(database: DatabaseSync): void {
  if (
    setPragma(database, 'journal_mode', 'WAL') !== 'wal' ||
    setPragma(database, 'synchronous', 'FULL') !== 2
  ) {
    throw new NoWriteAheadLogError();
  }
}

/** Carries the same code as SQLite's own errors. */
class NoWriteAheadLogError extends Error {
  readonly code = 'ERR_SQLITE_ERROR';

  constructor() {
    super('its folder does not support a write-ahead log');
  }
}

/** Sets a pragma and returns its resulting value. */
export function setPragma(database: DatabaseSync, name: string, value: string | number): unknown {
  database.exec(`PRAGMA ${name} = ${value}`);
  return database.prepare(`PRAGMA ${name}`).get()?.[name];
}

/** SQLite's busy timeout does not apply when it turns on the write-ahead log, so retry here. */
function retryWhileBusy(waitMs: number, work: () => void): void {
  for (let waitedMs = 0; ; waitedMs += busyPauseMs) {
    try {
      return work();
    } catch (error) {
      if (waitedMs >= waitMs || classifyFileError(error) !== 'busy') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyPauseMs);
    }
  }
}

const busyPauseMs = 5;

/** Classifies a file error of the system or SQLite; `unreadable` covers everything else. */
export type FileErrorKind = 'busy' | 'full' | 'invalid' | 'unreadable';

/**
 * Errors of SQLite and the system have a code. Returns null for an error without one, which is unrelated to the file.
 */
export function classifyFileError(error: unknown): FileErrorKind | null {
  if (!(error instanceof Error && 'code' in error)) return null;
  if (error.code === 'ENOSPC') return 'full';
  return errorKindsByCode.get(getSqliteCode(error)) ?? 'unreadable';
}

/**
 * Whether the handle must not be used again. After a disk error its state is unknown, and a retry does not help: the
 * system then treats the failed writes as written.
 */
function isHandleLost(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && classifyFileError(error) === 'unreadable';
}

/** The lower eight bits are the primary result code. */
function getSqliteCode(error: Error): number {
  return 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}

const errorKindsByCode: ReadonlyMap<number, FileErrorKind> = new Map([
  [sqliteCodes.busy, 'busy'],
  [sqliteCodes.locked, 'busy'],
  [sqliteCodes.full, 'full'],
  [sqliteCodes.tooBig, 'invalid'],
]);

/**
 * A database connection that outlives its handle. After a disk error it closes the handle, and the next transaction
 * opens a new one. The caller must read whether the failed transaction was committed.
 */
export class ReconnectingDatabase {
  readonly #open: () => DatabaseSync;
  #database: DatabaseSync;
  #isClosed = false;

  constructor(open: () => DatabaseSync) {
    this.#open = open;
    this.#database = open();
  }

  /** Runs `work` on a consistent view, isolated from concurrent writes. */
  read<Result>(work: () => Result): Result {
    return this.#transaction('BEGIN', work);
  }

  /**
   * Runs `work` atomically. It acquires the lock first, so that two processes cannot both read before either writes.
   */
  write<Result>(work: () => Result): Result {
    return this.#transaction('BEGIN IMMEDIATE', work);
  }

  /** For use within a transaction; prepares the statement once per handle. */
  statement(sql: string): () => StatementSync {
    let preparedDatabase: DatabaseSync | null = null;
    let prepared: StatementSync | null = null;
    return () => {
      if (prepared === null || preparedDatabase !== this.#database) {
        preparedDatabase = this.#database;
        prepared = preparedDatabase.prepare(sql);
      }
      return prepared;
    };
  }

  close(): void {
    this.#isClosed = true;
    if (this.#database.isOpen) this.#database.close();
  }

  #transaction<Result>(beginStatement: string, work: () => Result): Result {
    if (!this.#database.isOpen && !this.#isClosed) this.#database = this.#open();
    const database = this.#database;
    try {
      database.exec(beginStatement);
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      if (isHandleLost(error) || !tryRollback(database)) database.close();
      throw error;
    }
  }
}

function tryRollback(database: DatabaseSync): boolean {
  try {
    if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
    return true;
  } catch {
    // The first error is the one to report.
    return false;
  }
}
