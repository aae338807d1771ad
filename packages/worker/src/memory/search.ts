import type { StoredEntry } from '@pawl/core';
import { foldedText, foundLimit, hasTags, soughtBy, type Sought, type StorageQuery } from '@pawl/runtime';
import type { RedisClient } from '../redis-client.ts';
import { entriesOf, type StorageKeys } from './storage-entries.ts';

/** How much is read from Redis at once: others have to wait meanwhile. */
const pageSize = 1_000;

/** If there are more entries, only the newest are looked at. Those with all the words of a query are always found. */
const lookedAtMax = 50_000;

type Found = { readonly key: string; readonly hits: number; readonly age: number };

/** Those with more of the words first, then the newest: what storage in memory finds, and in the same order. */
export async function searchIn(
  redis: RedisClient,
  keys: StorageKeys,
  query: StorageQuery,
): Promise<readonly StoredEntry[]> {
  const [sought, limit] = [soughtBy(query), foundLimit(query)];
  if (limit === 0) return [];
  if (sought.terms.length === 0) return newest(redis, keys, sought.tags, limit);
  const found = await byWords(redis, keys, sought);
  if (found.length === 0) return byParts(redis, keys, sought, limit);
  return entriesOf(redis, keys, best(found, limit));
}

function best(found: readonly Found[], limit: number): readonly string[] {
  return found
    .toSorted((a, b) => b.hits - a.hits || a.age - b.age || (a.key < b.key ? -1 : 1))
    .slice(0, limit)
    .map(({ key }) => key);
}

async function newest(
  redis: RedisClient,
  keys: StorageKeys,
  tags: readonly string[],
  limit: number,
): Promise<readonly StoredEntry[]> {
  const found: string[] = [];
  for await (const page of pagesByAge(redis, keys, tags)) {
    found.push(...page.map(({ key }) => key));
    if (found.length >= limit) break;
  }
  return entriesOf(redis, keys, found.slice(0, limit));
}

/** For each term the entries that have all its words, and first of all those that have the words of every term. */
async function byWords(
  redis: RedisClient,
  keys: StorageKeys,
  { tags, terms }: Sought,
): Promise<readonly Found[]> {
  const possible = terms.filter((words) => words.length > 0);
  const whole = possible.length > 1 && possible.length === terms.length ? [possible.flat()] : [];
  const [all = [], ...each] = await Promise.all(
    [whole.flat(), ...possible].map((words) => withAll(redis, keys, words)),
  );
  const found = new Map<string, Found>();
  const count = (key: string, age: number, hits: number): void => {
    if (hasTags(key.toLowerCase(), tags)) found.set(key, { key, age, hits });
  };
  for (const [key, age] of each.flat()) count(key, age, (found.get(key)?.hits ?? 0) + 1);
  for (const [key, age] of all) count(key, age, terms.length);
  return [...found.values()];
}

type Aged = readonly [key: string, age: number];

/** The entries that have all of some words. */
async function withAll(
  redis: RedisClient,
  { word }: StorageKeys,
  words: readonly string[],
): Promise<readonly Aged[]> {
  const sets = [...new Set(words)].map((each) => `${word}${each}`);
  const [only] = sets;
  if (only === undefined) return [];
  if (sets.length > 1) {
    return aged(await redis.zinter(sets.length, ...sets, 'AGGREGATE', 'MAX', 'WITHSCORES'));
  }
  return aged(await redis.zrange(only, 0, lookedAtMax - 1, 'WITHSCORES'));
}

/** What is not a word of any entry may still be part of one. */
async function byParts(
  redis: RedisClient,
  keys: StorageKeys,
  { tags, parts }: Sought,
  limit: number,
): Promise<readonly StoredEntry[]> {
  const found: Found[] = [];
  for await (const page of pagesByAge(redis, keys, tags)) {
    const entries = await entriesOf(
      redis,
      keys,
      page.map(({ key }) => key),
    );
    for (const entry of entries) {
      const text = foldedText(entry);
      const hits = parts.filter((part) => text.includes(part)).length;
      if (hits > 0) found.push({ key: entry.key, hits, age: -entry.savedAt });
    }
  }
  return entriesOf(redis, keys, best(found, limit));
}

/** The keys that have the tags, the newest first. */
async function* pagesByAge(
  redis: RedisClient,
  { ages }: StorageKeys,
  tags: readonly string[],
): AsyncGenerator<readonly { readonly key: string; readonly age: number }[], void, undefined> {
  for (let from = 0; from < lookedAtMax; from += pageSize) {
    const page = aged(await redis.zrange(ages, from, from + pageSize - 1, 'WITHSCORES'));
    if (page.length === 0) return;
    yield page.filter(([key]) => hasTags(key.toLowerCase(), tags)).map(([key, age]) => ({ key, age }));
  }
}

/** Redis gives members and scores by turns. */
function aged(told: readonly string[]): readonly Aged[] {
  return told.flatMap((key, index) => (index % 2 === 0 ? [[key, Number(told[index + 1])] as const] : []));
}
