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
import { storageLimits, getEntryText, type StorageQuery } from './storage.ts';

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
