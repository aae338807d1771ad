import type { StoredEntry } from '@pawl/core';
import { foldedText, hasTags, soughtBy, wordsOfEntry } from './matching.ts';
import { foundLimit, storageLimits, type Storage, type StorageQuery } from './storage.ts';

/** Keeps entries for as long as the process lives; for a document that has its storage inside, and for tests. */
export function createInMemoryStorage(): Storage {
  const entries = new Map<string, Shelved>();
  const inOrder = (): readonly Shelved[] =>
    [...entries.values()].toSorted((a, b) => (a.entry.key < b.entry.key ? -1 : 1));
  return {
    async save(added) {
      for (const each of added.map(shelve)) entries.set(each.entry.key, each);
    },
    async load(key) {
      return entries.get(key)?.entry ?? null;
    },
    async search(query) {
      return rank(inOrder(), query);
    },
    async list({ after, limit = storageLimits.listed } = {}) {
      const from = inOrder().filter(({ entry }) => after === undefined || entry.key > after);
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

type Shelved = {
  readonly entry: StoredEntry;
  readonly key: string;
  readonly text: string;
  readonly words: ReadonlySet<string>;
};

function shelve(entry: StoredEntry): Shelved {
  return { entry, key: entry.key.toLowerCase(), text: foldedText(entry), words: wordsOfEntry(entry) };
}

/** Those with more of the words first, then the newest. */
function rank(entries: readonly Shelved[], query: StorageQuery): readonly StoredEntry[] {
  const { tags, terms, parts } = soughtBy(query);
  const tagged = entries.filter(({ key }) => hasTags(key, tags));
  const scored = tagged.map((each) => ({ each, hits: terms.filter((term) => has(each, term)).length }));
  const found = scored.some(({ hits }) => hits > 0) || terms.length === 0 ? scored : byPart(tagged, parts);
  return found
    .filter(({ hits }) => hits > 0 || terms.length === 0)
    .toSorted((a, b) => b.hits - a.hits || b.each.entry.savedAt - a.each.entry.savedAt)
    .slice(0, foundLimit(query))
    .map(({ each }) => each.entry);
}

function has({ words }: Shelved, term: readonly string[]): boolean {
  return term.length > 0 && term.every((word) => words.has(word));
}

/** What is not a word of any entry may still be part of one. */
function byPart(entries: readonly Shelved[], parts: readonly string[]) {
  return entries.map((each) => ({ each, hits: parts.filter((part) => each.text.includes(part)).length }));
}
