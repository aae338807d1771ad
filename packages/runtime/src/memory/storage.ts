import type { StoredEntry } from '@pawl/core';

export type StorageQuery = {
  /** Each must be part of the key, whatever its case. */
  readonly tags: readonly string[];
  /** Words anybody may have written, to be found in the value or the key. Nothing in it is an operator. */
  readonly text: string;
  /** How many at most; never more than `storageLimits.found`. */
  readonly limit?: number;
};

/**
 * The shelf: as much as there is room for, kept until it is removed.
 * Contract: `save` resolves only when all its entries are kept, or rejects and keeps none; an entry replaces what was under
 * its key. No query is an error: one that means nothing finds nothing. Entries with all the words of a query come before
 * those with only some.
 */
export type Storage = {
  save(entries: readonly StoredEntry[]): Promise<void>;
  load(key: string): Promise<StoredEntry | null>;
  search(query: StorageQuery): Promise<readonly StoredEntry[]>;
  /** In the order of keys, from the first one after `after` on. */
  list(part?: { readonly after?: string; readonly limit?: number }): Promise<readonly StoredEntry[]>;
  /** Whether there was something to remove. */
  remove(key: string): Promise<boolean>;
  count(): Promise<number>;
  close(): Promise<void>;
};

export const storageLimits = {
  found: 200,
  foundIfNotSaid: 20,
  listed: 500,
  tags: 16,
  substringTerms: 4,
} as const;

export function foundLimit({ limit = storageLimits.foundIfNotSaid }: StorageQuery): number {
  return Math.min(Math.max(Math.trunc(limit) || 0, 0), storageLimits.found);
}

/** The words of an entry, as a reader sees them. */
export function textOf({ value }: StoredEntry): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** All entries, a page at a time, so that a large storage does not have to be held whole. */
export async function* everyEntry(
  storage: Pick<Storage, 'list'>,
): AsyncGenerator<StoredEntry, void, undefined> {
  let page = await storage.list();
  while (page.length > 0) {
    yield* page;
    const last = page.at(-1);
    page = last === undefined ? [] : await storage.list({ after: last.key });
  }
}
