import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { checkVersion, migrate } from './sqlite-migrations.ts';
import { StoreError, type StoreErrorCode } from './store-error.ts';

export type ConnectionOptions = {
  /** How large the file may become; without it, as large as the disk allows. */
  readonly bytesMax?: number;
  /** How long to wait while another process writes. */
  readonly waitMs?: number;
};

/** A connection on which a transaction that has returned survives the loss of power. */
export function connect(path: string, options: ConnectionOptions = {}): DatabaseSync {
  const { bytesMax, waitMs = 10_000 } = options;
  return translating(path, () => {
    makeFile(path);
    const database = new DatabaseSync(path, { timeout: waitMs });
    try {
      checkVersion(database, path);
      // A file that is not ours has been left as it is up to here.
      keepPrivate(path);
      waitingFor(waitMs, () => configure(database, path, bytesMax));
      migrate(database, path);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/**
 * Only its owner may read it, and SQLite gives the files beside it the same mode. A file that is there is not opened here:
 * closing it again would take the locks off it that this process may hold.
 */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function keepPrivate(path: string): void {
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
}

/** These hold for one connection only, so each says them again, and looks whether they took. */
function configure(database: DatabaseSync, path: string, bytesMax: number | undefined): void {
  const set = (name: string, value: string | number): unknown => {
    database.exec(`PRAGMA ${name} = ${value}`);
    return database.prepare(`PRAGMA ${name}`).get()?.[name];
  };
  if (set('journal_mode', 'WAL') !== 'wal' || set('synchronous', 'FULL') !== 2) {
    throw new StoreError('unreadable', JSON.stringify(path), 'its folder cannot hold a write-ahead log');
  }
  if (bytesMax === undefined) return;
  const pageSize = Number(database.prepare('PRAGMA page_size').get()?.['page_size']);
  set('max_page_count', Math.max(1, Math.floor(bytesMax / pageSize)));
}

/** SQLite waits for others except where it turns the write-ahead log on; there it fails at once. */
function waitingFor(waitMs: number, work: () => void): void {
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    try {
      return work();
    } catch (error) {
      if (waitedMs >= waitMs || !(error instanceof Error && 'code' in error) || codeOf(error) !== 'busy')
        throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
}

const pauseMs = 5;

/** What the file or SQLite says against it, as an error of the store. */
export function translating<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    // SQLite and the system give their errors a code; anything else is no matter of the file.
    if (error instanceof StoreError || !(error instanceof Error && 'code' in error)) throw error;
    throw new StoreError(codeOf(error), JSON.stringify(path), error.message, error);
  }
}

/** By SQLite's own numbers, of which the lower eight bits say the kind, and by those of the system. */
function codeOf(error: Error & { readonly code: unknown }): StoreErrorCode {
  if (error.code === 'ENOSPC') return 'full';
  const number = 'errcode' in error ? Number(error.errcode) & 0xff : 0;
  return byNumber.get(number) ?? 'unreadable';
}

const byNumber: ReadonlyMap<number, StoreErrorCode> = new Map([
  [5, 'busy'],
  [6, 'busy'],
  [13, 'full'],
  [18, 'invalid'],
]);
