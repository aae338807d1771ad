import type { StoredEntry } from '@pawl/core/memory';
import {
  storageLimits,
  listEntryWords,
  type EntryStorage,
  foldEntryText,
  getResultLimit,
  hasTags,
  toQueryCriteria,
  type QueryCriteria,
  type StorageQuery,
} from '@pawl/runtime/storage';
import { StoreError } from '@pawl/runtime/store';
import { translateRedisErrors, createRedisScript, type RedisClient } from '../redis/redis-client.ts';
import { defaultPrefix } from '../store/redis-store.ts';

export type RedisStorageOptions = {
  /** The owner of the memory, such as a folder. Each owner's memory is isolated. */
  readonly name: string;
  /** Prefix of all keys; defaults to `pawl`. */
  readonly prefix?: string;
};

/** Maximum number of distinct words indexed per entry; no human-readable text has more. */
const indexedWordsMax = 10_000;

/**
 * An agent's memory storage in Redis, for workers on any machine. Each change is one atomic script. Redis has no
 * built-in text search, so a word index is stored next to the entries.
 */
export function createRedisStorage(
  redis: RedisClient,
  { name, prefix = defaultPrefix }: RedisStorageOptions,
): EntryStorage {
  const keys = buildStorageKeys(prefix, name);
  const all = [keys.entries, keys.words, keys.names, keys.ages, keys.word];
  const [save, remove] = [
    createRedisScript(redis, saveEntriesScript),
    createRedisScript(redis, removeEntryScript),
  ];
  return {
    save: (entries) =>
      translateRedisErrors(async () => {
        // Validate all entries first, because a script cannot be rolled back.
        const args = entries.flatMap(toSaveArguments);
        if (args.length > 0) await save(all, args);
      }),
    load: (key) => translateRedisErrors(async () => parseStoredEntry(await redis.hget(keys.entries, key))),
    search: (query) => translateRedisErrors(() => searchStoredEntries(redis, keys, query)),
    list: ({ after, limit = storageLimits.listed } = {}) =>
      translateRedisErrors(async () => {
        if (limit < 1) return [];
        const from = after === undefined ? '-' : `(${after}`;
        const names = await redis.zrangebylex(keys.names, from, '+', 'LIMIT', 0, limit);
        return loadEntries(redis, keys, names);
      }),
    remove: (key) => translateRedisErrors(async () => (await remove(all, [key])) === 1),
    count: () => translateRedisErrors(() => redis.hlen(keys.entries)),
    // The storage does not own the connection.
    close: async () => undefined,
  };
}

function toSaveArguments(entry: StoredEntry): readonly (string | number)[] {
  const { key, savedAt } = entry;
  const isValid = typeof key === 'string' && Number.isFinite(savedAt);
  if (!isValid) {
    throw new StoreError('invalid', 'storage in Redis', 'an entry needs a string key and a time');
  }
  const words = [...listEntryWords(entry)].slice(0, indexedWordsMax).join(' ');
  // The newest entry has the lowest score, so that entries of the same age are sorted by key.
  return [key, JSON.stringify(entry), -savedAt, words];
}

/**
 * Both scripts work on the keys of one storage, which are all on the same cluster node. Keys of words are built from a
 * common prefix.
 *
 * KEYS: entries (key to entry), words (key to its words), names (keys in lexical order), ages (keys by age), and the
 * prefix of the word keys.
 */
const forgetWordsFunction = `
local function forget(key)
  local words = redis.call('HGET', KEYS[2], key)
  if not words then return false end
  for word in string.gmatch(words, '[^ ]+') do redis.call('ZREM', KEYS[5] .. word, key) end
  return true
end
`;

/** ARGV: for each entry its key, the entry, its age, and its words separated by spaces. */
const saveEntriesScript = `${forgetWordsFunction}
for i = 1, #ARGV, 4 do
  local key, age, words = ARGV[i], ARGV[i + 2], ARGV[i + 3]
  forget(key)
  redis.call('HSET', KEYS[1], key, ARGV[i + 1])
  redis.call('HSET', KEYS[2], key, words)
  redis.call('ZADD', KEYS[3], 0, key)
  redis.call('ZADD', KEYS[4], age, key)
  for word in string.gmatch(words, '[^ ]+') do redis.call('ZADD', KEYS[5] .. word, age, key) end
end
return 1
`;

/** ARGV: the key. */
const removeEntryScript = `${forgetWordsFunction}
if not forget(ARGV[1]) then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
return 1
`;

/** Page size for reads, because other clients are blocked during each one. */
const searchPageSize = 1_000;

/** Only the newest entries up to this number are searched. Entries that contain all query words are always found. */
const searchedEntriesMax = 50_000;

type StorageSearchHit = { readonly key: string; readonly hits: number; readonly age: number };

/** Sorts by number of matching terms, then newest first: the same results and order as the in-memory storage. */
async function searchStoredEntries(
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

/** The keys of one storage, all on the same cluster node. */
type StorageKeys = {
  /** A hash: entries by key. */
  readonly entries: string;
  /** A hash: the indexed words of each entry, needed to remove them when it changes. */
  readonly words: string;
  /** A sorted set: all keys in lexical order. */
  readonly names: string;
  /** A sorted set: all keys, newest first. */
  readonly ages: string;
  /** Key prefix: for each word, a sorted set of the keys of entries that contain it, newest first. */
  readonly word: string;
};

function buildStorageKeys(prefix: string, name: string): StorageKeys {
  const at = `${prefix}:{memory.${encodeURIComponent(name)}}`;
  return {
    entries: `${at}:entries`,
    words: `${at}:words`,
    names: `${at}:names`,
    ages: `${at}:ages`,
    word: `${at}:word:`,
  };
}

/** Loads the entries that still exist. */
async function loadEntries(
  redis: RedisClient,
  { entries }: StorageKeys,
  keys: readonly string[],
): Promise<readonly StoredEntry[]> {
  if (keys.length === 0) return [];
  return (await redis.hmget(entries, ...keys)).flatMap((json) => parseStoredEntry(json) ?? []);
}

/** Returns null for a missing or invalid entry, because other clients can write anything to Redis. */
function parseStoredEntry(json: string | null): StoredEntry | null {
  try {
    const entry: unknown = json === null ? null : JSON.parse(json);
    return isStoredEntry(entry) ? entry : null;
  } catch {
    return null;
  }
}

function isStoredEntry(value: unknown): value is StoredEntry {
  if (typeof value !== 'object' || value === null) return false;
  const [key, savedAt, kind] = ['key', 'savedAt', 'kind'].map((name): unknown => Reflect.get(value, name));
  const isWhole = Object.hasOwn(value, 'value');
  return isWhole && typeof key === 'string' && typeof savedAt === 'number' && typeof kind === 'string';
}

export type FolderStorageOptions = {
  /** The real path of the folder. */
  readonly dir: string;
  readonly tenant: string;
  readonly prefix?: string;
};

/** The shared memory of a folder, for all sessions of one tenant that work there, on any machine. */
export function createFolderStorage(
  redis: RedisClient,
  { dir, tenant, ...options }: FolderStorageOptions,
): EntryStorage {
  return createRedisStorage(redis, { name: `${tenant} ${dir}`, ...options });
}
