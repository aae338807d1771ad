import type { StoredEntry } from '@pawl/core/memory';
import type { RedisClient } from '../redis-client.ts';

/** The keys of one storage, all on the same cluster node. */
export type StorageKeys = {
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

export function buildStorageKeys(prefix: string, name: string): StorageKeys {
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
export async function loadEntries(
  redis: RedisClient,
  { entries }: StorageKeys,
  keys: readonly string[],
): Promise<readonly StoredEntry[]> {
  if (keys.length === 0) return [];
  return (await redis.hmget(entries, ...keys)).flatMap((json) => parseStoredEntry(json) ?? []);
}

/** Returns null for a missing or invalid entry, because other clients can write anything to Redis. */
export function parseStoredEntry(json: string | null): StoredEntry | null {
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
