import type { StoredEntry } from '@pawl/core/memory';
import {
  parseSearchTerms,
  foldWord,
  extractHiddenWords,
  isUnspaced,
  segmentWords,
  splitIdentifier,
  stemWord,
} from '../search/words.ts';

export type StorageQuery = {
  /** Each must be a substring of the key, case-insensitively. */
  readonly tags: readonly string[];
  /** Free text to find in the value or the key; contains no operators. */
  readonly text: string;
  /** Maximum number of results, capped at `storageLimits.found`. */
  readonly limit?: number;
};

/**
 * Long-term storage of entries.
 * Contract: `save` persists all entries or rejects and persists none; an entry replaces the previous one with its key.
 * No query is an error: a query that matches nothing returns an empty list. Entries that match all words rank before
 * those that match only some.
 */
export type EntryStorage = {
  save(entries: readonly StoredEntry[]): Promise<void>;
  load(key: string): Promise<StoredEntry | null>;
  search(query: StorageQuery): Promise<readonly StoredEntry[]>;
  /** Returns entries in key order, starting after the key `after`. */
  list(range?: { readonly after?: string; readonly limit?: number }): Promise<readonly StoredEntry[]>;
  /** Resolves to whether the key existed. */
  remove(key: string): Promise<boolean>;
  count(): Promise<number>;
  close(): Promise<void>;
};

export const storageLimits = {
  found: 200,
  foundDefault: 20,
  listed: 500,
  tags: 16,
  substringTerms: 4,
} as const;

/** Returns the number of results a query asks for, clamped to `storageLimits.found`. */
export function getResultLimit({ limit = storageLimits.foundDefault }: StorageQuery): number {
  return Math.min(Math.max(Math.trunc(limit) || 0, 0), storageLimits.found);
}

/** Returns the value as searchable text. */
export function getEntryText({ value }: StoredEntry): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Iterates over all entries in pages, so that a large storage is never fully in memory. */
export async function* iterateEntries(
  storage: Pick<EntryStorage, 'list'>,
): AsyncGenerator<StoredEntry, void, undefined> {
  let page = await storage.list();
  while (page.length > 0) {
    yield* page;
    const last = page.at(-1);
    page = last === undefined ? [] : await storage.list({ after: last.key });
  }
}

export type StorageErrorCode = 'not-a-database' | 'not-ours' | 'too-new' | 'unusable';

/** A storage file cannot be used. The one-line message gives the problem, the path and the fix. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;
  readonly path: string;

  constructor(code: StorageErrorCode, path: string, cause?: unknown) {
    const reason = cause instanceof Error ? ` (${cause.message})` : '';
    super(`${storageErrorText[code]}: ${JSON.stringify(path)}${reason}. ${storageErrorAdvice[code]}`, {
      cause,
    });
    this.code = code;
    this.path = path;
  }
}

const storageErrorText: Record<StorageErrorCode, string> = {
  'not-a-database': 'This file is not a storage database',
  'not-ours': 'This database belongs to another program',
  'too-new': 'This storage was written by a newer version of Pawl',
  unusable: 'This storage cannot be opened',
};

const storageErrorAdvice: Record<StorageErrorCode, string> = {
  'not-a-database': 'Use another file; this one was not changed.',
  'not-ours': 'Use another file; this one was not changed.',
  'too-new': 'Update Pawl, or use another file.',
  unusable: 'Check that the folder exists and is writable.',
};

/** A parsed query: words that can be compared with those of an entry. */
export type QueryCriteria = {
  /** Each must be a substring of the lowercased key. */
  readonly tags: readonly string[];
  /** One item per term: an entry matches a term if it has all of its words. A term without words never matches. */
  readonly terms: readonly (readonly string[])[];
  /** Substrings to search for if no term matches any entry. */
  readonly parts: readonly string[];
};

/** For storages without a full-text index, so that every storage returns the same results. */
export function toQueryCriteria(query: StorageQuery): QueryCriteria {
  const terms = parseSearchTerms(query.text).map(({ text }) => text);
  return {
    tags: query.tags.slice(0, storageLimits.tags).map((tag) => tag.toLowerCase()),
    terms: terms.map(listTermWords),
    parts: terms.slice(0, storageLimits.substringTerms).map(foldWord),
  };
}

/** Lists the stemmed words by which an entry is found. */
export function listEntryWords(entry: StoredEntry): ReadonlySet<string> {
  const text = `${entry.key} ${getEntryText(entry)}`;
  return new Set(stemWords(`${text} ${extractHiddenWords(text)}`));
}

/** Returns the normalized text for substring matching. */
export function foldEntryText(entry: StoredEntry): string {
  return foldWord(`${entry.key} ${getEntryText(entry)}`);
}

/** `key` must be lowercase, like the tags in `QueryCriteria`. */
export function hasTags(key: string, tags: readonly string[]): boolean {
  return tags.every((tag) => key.includes(tag));
}

function listTermWords(term: string): readonly string[] {
  const parts = isUnspaced(term) ? segmentWords(term) : splitIdentifier(term);
  return [...new Set(parts.flatMap((part) => stemWords(part)))];
}

function stemWords(text: string): readonly string[] {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => stemWord(word));
}
