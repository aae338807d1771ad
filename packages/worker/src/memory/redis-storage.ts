import type { StoredEntry } from '@pawl/core';
import { storageLimits, StoreError, wordsOfEntry, type Storage } from '@pawl/runtime';
import type { RedisClient } from '../redis-client.ts';
import { translated } from '../redis-error.ts';
import { scriptOn } from '../store/script.ts';
import { defaultPrefix } from '../store/redis-store.ts';
import { searchIn } from './search.ts';
import { entriesOf, readEntry, storageKeys } from './storage-entries.ts';
import { removeScript, saveScript } from './storage-scripts.ts';

export type RedisStorageOptions = {
  /** Whose memory it is, such as that of a folder. Each has its own, which nobody else sees. */
  readonly name: string;
  /** What all keys begin with; `pawl` unless told otherwise. */
  readonly prefix?: string;
};

/** An entry can be found by this many different words; no text that anybody reads has more. */
const wordsMax = 10_000;

/**
 * The shelf of an agent's memory in Redis, for workers on any machine. Each change is one script, so nobody ever sees half
 * of it. Redis has no search of its own: which entries have which word is kept beside them.
 */
export function redisStorage(
  redis: RedisClient,
  { name, prefix = defaultPrefix }: RedisStorageOptions,
): Storage {
  const keys = storageKeys(prefix, name);
  const all = [keys.entries, keys.words, keys.names, keys.ages, keys.word];
  const [save, remove] = [scriptOn(redis, saveScript), scriptOn(redis, removeScript)];
  return {
    save: (entries) =>
      translated(async () => {
        // All entries are checked first: a script is not undone.
        const args = entries.flatMap(argumentsFor);
        if (args.length > 0) await save(all, args);
      }),
    load: (key) => translated(async () => readEntry(await redis.hget(keys.entries, key))),
    search: (query) => translated(() => searchIn(redis, keys, query)),
    list: ({ after, limit = storageLimits.listed } = {}) =>
      translated(async () => {
        if (limit < 1) return [];
        const from = after === undefined ? '-' : `(${after}`;
        const found = await redis.zrangebylex(keys.names, from, '+', 'LIMIT', 0, limit);
        return entriesOf(redis, keys, found);
      }),
    remove: (key) => translated(async () => (await remove(all, [key])) === 1),
    count: () => translated(() => redis.hlen(keys.entries)),
    // The connection is not the storage's.
    close: async () => undefined,
  };
}

function argumentsFor(entry: StoredEntry): readonly (string | number)[] {
  const { key, savedAt } = entry;
  const isFit = typeof key === 'string' && Number.isFinite(savedAt);
  if (!isFit) {
    throw new StoreError('invalid', 'storage in Redis', 'an entry has a text for its key and a time');
  }
  const words = [...wordsOfEntry(entry)].slice(0, wordsMax).join(' ');
  // The newest have the lowest number, so that those of the same age come in the order of their keys.
  return [key, JSON.stringify(entry), -savedAt, words];
}
