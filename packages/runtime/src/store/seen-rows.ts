import type { SessionRow } from './rows.ts';

/** A row of a session, and the number under which its events are kept. */
export type SeenRow = { readonly number: number; readonly row: SessionRow };

/** Far more sessions than one process works on. */
const seenMax = 1_000;

/**
 * The rows that one connection has read or written: they are as they were for as long as no other connection has written
 * anything. So an append need not read what the append before it has just written.
 */
export class SeenRows {
  readonly #rows = new Map<string, SeenRow>();
  readonly #version: () => number;
  #seenAt = Number.NaN;
  #isCurrent = false;

  /** `version` changes whenever another connection has written. */
  constructor(version: () => number) {
    this.#version = version;
  }

  /** Around each transaction: within it, nothing changes but what it changes itself. */
  during<Result>(transaction: () => Result): Result {
    try {
      return transaction();
    } catch (error) {
      // Nobody knows what is there now, nor whether it is still the same connection.
      this.#rows.clear();
      throw error;
    } finally {
      this.#isCurrent = false;
    }
  }

  find(id: string, read: (id: string) => SeenRow | undefined): SeenRow | undefined {
    if (!this.#isCurrent) this.#catchUp();
    const seen = this.#rows.get(id) ?? read(id);
    if (seen !== undefined) this.keep(seen);
    return seen;
  }

  keep(seen: SeenRow): void {
    if (this.#rows.size >= seenMax) this.#rows.clear();
    this.#rows.set(seen.row.id, seen);
  }

  forget(id: string): void {
    this.#rows.delete(id);
  }

  #catchUp(): void {
    const version = this.#version();
    if (version !== this.#seenAt) this.#rows.clear();
    this.#seenAt = version;
    this.#isCurrent = true;
  }
}
