import type { StoredEntry } from '@pawl/core/memory';
import { storageLimits, listEntryWords, type EntryStorage } from '@pawl/runtime/storage';
import { StoreError } from '@pawl/runtime/store';
import type { RedisClient } from '../redis-client.ts';
import { translateRedisErrors } from '../redis-error.ts';
import { createRedisScript } from '../store/redis-script.ts';
import { defaultPrefix } from '../store/redis-store.ts';
import { searchStoredEntries } from './search.ts';
import { loadEntries, parseStoredEntry, buildStorageKeys } from './storage-entries.ts';

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
