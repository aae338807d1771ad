import type { StoredEntry } from '@pawl/core/memory';
import {
  foldEntryText,
  hasTags,
  toQueryCriteria,
  listEntryWords,
  getResultLimit,
  storageLimits,
  type EntryStorage,
  type StorageQuery,
} from './storage.ts';

/** Creates a storage that lives in memory, for documents that contain their storage and for tests. */
export function createInMemoryStorage(): EntryStorage {
  const entries = new Map<string, IndexedEntry>();
  const sortEntries = (): readonly IndexedEntry[] =>
    [...entries.values()].toSorted((a, b) => (a.entry.key < b.entry.key ? -1 : 1));
  return {
    async save(added) {
      for (const each of added.map(indexEntry)) entries.set(each.entry.key, each);
    },
    async load(key) {
      return entries.get(key)?.entry ?? null;
    },
    async search(query) {
      return rankEntries(sortEntries(), query);
    },
    async list({ after, limit = storageLimits.listed } = {}) {
      const from = sortEntries().filter(({ entry }) => after === undefined || entry.key > after);
      return from.slice(0, limit).map(({ entry }) => entry);
    },
    async remove(key) {
      return entries.delete(key);
    },
    async count() {
      return entries.size;
    },
    async close() {
      entries.clear();
    },
  };
}

type IndexedEntry = {
  readonly entry: StoredEntry;
  readonly key: string;
  readonly text: string;
  readonly words: ReadonlySet<string>;
};

function indexEntry(entry: StoredEntry): IndexedEntry {
  return { entry, key: entry.key.toLowerCase(), text: foldEntryText(entry), words: listEntryWords(entry) };
}

/** Ranks entries by the number of matched terms, then by age, newest first. */
function rankEntries(entries: readonly IndexedEntry[], query: StorageQuery): readonly StoredEntry[] {
  const { tags, terms, parts } = toQueryCriteria(query);
  const tagged = entries.filter(({ key }) => hasTags(key, tags));
  const scored = tagged.map((each) => ({
    each,
    hits: terms.filter((term) => matchesTerm(each, term)).length,
  }));
  const found =
    scored.some(({ hits }) => hits > 0) || terms.length === 0 ? scored : scoreSubstrings(tagged, parts);
  return found
    .filter(({ hits }) => hits > 0 || terms.length === 0)
    .toSorted((a, b) => b.hits - a.hits || b.each.entry.savedAt - a.each.entry.savedAt)
    .slice(0, getResultLimit(query))
    .map(({ each }) => each.entry);
}

function matchesTerm({ words }: IndexedEntry, term: readonly string[]): boolean {
  return term.length > 0 && term.every((word) => words.has(word));
}

/** Fallback: a term that matches no whole word may still match part of one. */
function scoreSubstrings(entries: readonly IndexedEntry[], parts: readonly string[]) {
  return entries.map((each) => ({ each, hits: parts.filter((part) => each.text.includes(part)).length }));
}
