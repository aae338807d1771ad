import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isHandleLost } from './sqlite-file.ts';

/**
 * A way to a database that outlives its handle. After an error of the disk the handle is closed and never used again; the
 * next transaction opens another. Whether the one that failed was kept is to be read, not guessed.
 */
export class LastingConnection {
  readonly #open: () => DatabaseSync;
  #database: DatabaseSync;
  #isClosed = false;

  constructor(open: () => DatabaseSync) {
    this.#open = open;
    this.#database = open();
  }

  /** Sees one state of everything, whatever others write meanwhile. */
  read<Result>(work: () => Result): Result {
    return this.#transaction('BEGIN', work);
  }

  /** All of it or nothing. The lock is taken first, so that two processes cannot both read before either writes. */
  write<Result>(work: () => Result): Result {
    return this.#transaction('BEGIN IMMEDIATE', work);
  }

  /** For use within a transaction; it is prepared once for each handle. */
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
      if (isHandleLost(error) || !isRolledBack(database)) database.close();
      throw error;
    }
  }
}

function isRolledBack(database: DatabaseSync): boolean {
  try {
    if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
    return true;
  } catch {
    // The first error is the one to tell of.
    return false;
  }
}
