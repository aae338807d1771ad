import type { StoredEntry } from '@pawl/core';
import type { RedisClient } from '../redis-client.ts';

/** The keys of one storage: all on the same node of a cluster. */
export type StorageKeys = {
  /** A hash: the entries by their keys. */
  readonly entries: string;
  /** A hash: the words that each entry is found by, to forget them when it changes. */
  readonly words: string;
  /** A sorted set: the keys in their order. */
  readonly names: string;
  /** A sorted set: the keys, the newest first. */
  readonly ages: string;
  /** For each word a sorted set of the keys of those that have it, the newest first. */
  readonly word: string;
};

export function storageKeys(prefix: string, name: string): StorageKeys {
  const at = `${prefix}:{memory.${encodeURIComponent(name)}}`;
  return {
    entries: `${at}:entries`,
    words: `${at}:words`,
    names: `${at}:names`,
    ages: `${at}:ages`,
    word: `${at}:word:`,
  };
}

/** Those of the keys that are still there. */
export async function entriesOf(
  redis: RedisClient,
  { entries }: StorageKeys,
  keys: readonly string[],
): Promise<readonly StoredEntry[]> {
  if (keys.length === 0) return [];
  return (await redis.hmget(entries, ...keys)).flatMap((json) => readEntry(json) ?? []);
}

/** Null for what is not there, and for what is none: whoever may write to Redis may have written anything. */
export function readEntry(json: string | null): StoredEntry | null {
  try {
    const entry: unknown = json === null ? null : JSON.parse(json);
    return isEntry(entry) ? entry : null;
  } catch {
    return null;
  }
}

function isEntry(value: unknown): value is StoredEntry {
  if (typeof value !== 'object' || value === null) return false;
  const [key, savedAt, kind] = ['key', 'savedAt', 'kind'].map((name): unknown => Reflect.get(value, name));
  const isWhole = Object.hasOwn(value, 'value');
  return isWhole && typeof key === 'string' && typeof savedAt === 'number' && typeof kind === 'string';
}
