import type { SessionRow } from './rows.ts';

/** A session row and the session number under which its events are stored. */
export type CachedRow = { readonly number: number; readonly row: SessionRow };

/** Far more sessions than one process runs. */
const cachedRowsMax = 1_000;

/**
 * Caches the rows that one connection has read or written; they stay valid until another connection writes. An append
 * therefore need not reread what the previous append wrote.
 */
export class RowCache {
  readonly #rows = new Map<string, CachedRow>();
  readonly #version: () => number;
  #cachedVersion = Number.NaN;
  #isCurrent = false;

  /** `version` changes whenever another connection writes. */
  constructor(version: () => number) {
    this.#version = version;
  }

  /** Wraps each transaction: within it, only its own writes change anything. */
  runTransaction<Result>(transaction: () => Result): Result {
    try {
      return transaction();
    } catch (error) {
      // The stored state and the connection itself are unknown after an error.
      this.#rows.clear();
      throw error;
    } finally {
      this.#isCurrent = false;
    }
  }

  find(id: string, read: (id: string) => CachedRow | undefined): CachedRow | undefined {
    if (!this.#isCurrent) this.#refresh();
    const cached = this.#rows.get(id) ?? read(id);
    if (cached !== undefined) this.put(cached);
    return cached;
  }

  put(cached: CachedRow): void {
    if (this.#rows.size >= cachedRowsMax) this.#rows.clear();
    this.#rows.set(cached.row.id, cached);
  }

  remove(id: string): void {
    this.#rows.delete(id);
  }

  #refresh(): void {
    const version = this.#version();
    if (version !== this.#cachedVersion) this.#rows.clear();
    this.#cachedVersion = version;
    this.#isCurrent = true;
  }
}
