import type { StoredEntry } from '@pawl/core/memory';
import {
  foldEntryText,
  getResultLimit,
  hasTags,
  toQueryCriteria,
  type QueryCriteria,
  type StorageQuery,
} from '@pawl/runtime/storage';
import type { RedisClient } from '../redis-client.ts';
import { loadEntries, type StorageKeys } from './storage-entries.ts';

/** Page size for reads, because other clients are blocked during each one. */
const searchPageSize = 1_000;

/** Only the newest entries up to this number are searched. Entries that contain all query words are always found. */
const searchedEntriesMax = 50_000;

type StorageSearchHit = { readonly key: string; readonly hits: number; readonly age: number };

/** Sorts by number of matching terms, then newest first: the same results and order as the in-memory storage. */
export async function searchStoredEntries(
  redis: RedisClient,
  keys: StorageKeys,
  query: StorageQuery,
): Promise<readonly StoredEntry[]> {
  const [criteria, limit] = [toQueryCriteria(query), getResultLimit(query)];
  if (limit === 0) return [];
  if (criteria.terms.length === 0) return listNewestEntries(redis, keys, criteria.tags, limit);
  const hits = await findByWords(redis, keys, criteria);
  if (hits.length === 0) return findBySubstring(redis, keys, criteria, limit);
  return loadEntries(redis, keys, rankStorageHits(hits, limit));
}

function rankStorageHits(hits: readonly StorageSearchHit[], limit: number): readonly string[] {
  return hits
    .toSorted((a, b) => b.hits - a.hits || a.age - b.age || (a.key < b.key ? -1 : 1))
    .slice(0, limit)
    .map(({ key }) => key);
}

async function listNewestEntries(
  redis: RedisClient,
  keys: StorageKeys,
  tags: readonly string[],
  limit: number,
): Promise<readonly StoredEntry[]> {
  const keysFound: string[] = [];
  for await (const page of iteratePagesByAge(redis, keys, tags)) {
    keysFound.push(...page.map(({ key }) => key));
    if (keysFound.length >= limit) break;
  }
  return loadEntries(redis, keys, keysFound.slice(0, limit));
}

/**
 * For each term, finds the entries that contain all its words, and separately those that contain the words of every
 * term.
 */
async function findByWords(
  redis: RedisClient,
  keys: StorageKeys,
  { tags, terms }: QueryCriteria,
): Promise<readonly StorageSearchHit[]> {
  const possible = terms.filter((words) => words.length > 0);
  const whole = possible.length > 1 && possible.length === terms.length ? [possible.flat()] : [];
  const [all = [], ...each] = await Promise.all(
    [whole.flat(), ...possible].map((words) => findEntriesWithWords(redis, keys, words)),
  );
  const hitsByKey = new Map<string, StorageSearchHit>();
  const count = (key: string, age: number, hits: number): void => {
    if (hasTags(key.toLowerCase(), tags)) hitsByKey.set(key, { key, age, hits });
  };
  for (const [key, age] of each.flat()) count(key, age, (hitsByKey.get(key)?.hits ?? 0) + 1);
  for (const [key, age] of all) count(key, age, terms.length);
  return [...hitsByKey.values()];
}

type KeyAge = readonly [key: string, age: number];

/** Finds the entries that contain all the words. */
async function findEntriesWithWords(
  redis: RedisClient,
  { word }: StorageKeys,
  words: readonly string[],
): Promise<readonly KeyAge[]> {
  const sets = [...new Set(words)].map((each) => `${word}${each}`);
  const [only] = sets;
  if (only === undefined) return [];
  if (sets.length > 1) {
    return parseKeyAges(await redis.zinter(sets.length, ...sets, 'AGGREGATE', 'MAX', 'WITHSCORES'));
  }
  return parseKeyAges(await redis.zrange(only, 0, searchedEntriesMax - 1, 'WITHSCORES'));
}

/** Fallback: a query that matches no whole word may still match part of one. */
async function findBySubstring(
  redis: RedisClient,
  keys: StorageKeys,
  { tags, parts }: QueryCriteria,
  limit: number,
): Promise<readonly StoredEntry[]> {
  const matches: StorageSearchHit[] = [];
  for await (const page of iteratePagesByAge(redis, keys, tags)) {
    const entries = await loadEntries(
      redis,
      keys,
      page.map(({ key }) => key),
    );
    for (const entry of entries) {
      const text = foldEntryText(entry);
      const hits = parts.filter((part) => text.includes(part)).length;
      if (hits > 0) matches.push({ key: entry.key, hits, age: -entry.savedAt });
    }
  }
  return loadEntries(redis, keys, rankStorageHits(matches, limit));
}

/** Iterates over the keys that have the tags, newest first. */
async function* iteratePagesByAge(
  redis: RedisClient,
  { ages }: StorageKeys,
  tags: readonly string[],
): AsyncGenerator<readonly { readonly key: string; readonly age: number }[], void, undefined> {
  for (let from = 0; from < searchedEntriesMax; from += searchPageSize) {
    const page = parseKeyAges(await redis.zrange(ages, from, from + searchPageSize - 1, 'WITHSCORES'));
    if (page.length === 0) return;
    yield page.filter(([key]) => hasTags(key.toLowerCase(), tags)).map(([key, age]) => ({ key, age }));
  }
}

/** Redis returns members and scores alternately. */
function parseKeyAges(reply: readonly string[]): readonly KeyAge[] {
  return reply.flatMap((key, index) => (index % 2 === 0 ? [[key, Number(reply[index + 1])] as const] : []));
}
