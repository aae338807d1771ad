import type { StoredEntry } from '@pawl/core';
import { termsOf } from '../search/terms.ts';
import { fold, hiddenWords, isUnspaced, segment, splitIdentifier, stem } from '../search/words.ts';
import { storageLimits, textOf, type StorageQuery } from './storage.ts';

/** What a query looks for, in words that can be compared with those of an entry. */
export type Sought = {
  /** Each must be part of the key, in small letters. */
  readonly tags: readonly string[];
  /** One for each term: the words that an entry must have for the term to be found in it. A term without words never is. */
  readonly terms: readonly (readonly string[])[];
  /** What is looked for inside words when no term is found in any entry. */
  readonly parts: readonly string[];
};

/** For storages without a search engine of their own, so that all of them find the same. */
export function soughtBy(query: StorageQuery): Sought {
  const terms = termsOf(query.text).map(({ text }) => text);
  return {
    tags: query.tags.slice(0, storageLimits.tags).map((tag) => tag.toLowerCase()),
    terms: terms.map(wordsOfTerm),
    parts: terms.slice(0, storageLimits.substringTerms).map(fold),
  };
}

/** The words that an entry is found by, each in the form that all its endings share. */
export function wordsOfEntry(entry: StoredEntry): ReadonlySet<string> {
  const text = `${entry.key} ${textOf(entry)}`;
  return new Set(stemsOf(`${text} ${hiddenWords(text)}`));
}

/** The text in which parts of words are looked for. */
export function foldedText(entry: StoredEntry): string {
  return fold(`${entry.key} ${textOf(entry)}`);
}

/** `key` in small letters, as the tags of `soughtBy` are. */
export function hasTags(key: string, tags: readonly string[]): boolean {
  return tags.every((tag) => key.includes(tag));
}

function wordsOfTerm(term: string): readonly string[] {
  const parts = isUnspaced(term) ? segment(term) : splitIdentifier(term);
  return [...new Set(parts.flatMap((part) => stemsOf(part)))];
}

function stemsOf(text: string): readonly string[] {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => stem(word));
}
