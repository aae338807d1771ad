import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isHandleLost } from './sqlite-file.ts';

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
    let preparedOn: DatabaseSync | null = null;
    let prepared: StatementSync | null = null;
    return () => {
      if (prepared === null || preparedOn !== this.#database) {
        preparedOn = this.#database;
        prepared = preparedOn.prepare(sql);
      }
      return prepared;
    };
  }

  close(): void {
    this.#isClosed = true;
    if (this.#database.isOpen) this.#database.close();
  }

  #transaction<Result>(begin: string, work: () => Result): Result {
    if (!this.#database.isOpen && !this.#isClosed) this.#database = this.#open();
    const database = this.#database;
    try {
      database.exec(begin);
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
