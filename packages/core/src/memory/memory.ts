import type { Json } from '@pawl/governor';
import {
  emptyDictionary,
  getDictionaryValue,
  iterateDictionary,
  deleteDictionaryKey,
  setDictionaryValue,
  type PersistentDictionary,
} from './persistent-dictionary.ts';
import type { MemorySettings } from './settings.ts';
import { countUtf8Bytes } from './estimate-tokens.ts';

/**
 * The kind of an entry: added by the agent, a line of one of the logs, or a stub for an entry that was moved to
 * storage.
 */
export type EntryKind = 'entry' | 'think-log' | 'evaluation-log' | 'command-log' | 'stub';

export type MemoryEntry = {
  /** One or more tags, as formatted by `normalizeTags`. */
  readonly key: string;
  readonly value: Json;
  readonly kind: EntryKind;
  /** Paging never moves a pinned entry to storage. */
  readonly pinned: boolean;
  readonly addedAt: number;
  /** When the entry was last written, loaded or pinned. */
  readonly touchedAt: number;
  /** Insertion number, increasing over all entries ever added; unique to this entry. */
  readonly order: number;
  /** Size of `"key":value` in compact JSON. */
  readonly bytes: number;
};

/**
 * The agent's working memory; plain JSON. Writing, finding and removing an entry cost the same at any size, and so does
 * the token count, because the byte total is updated incrementally.
 */
export type WorkingMemory = {
  readonly entries: PersistentDictionary<MemoryEntry>;
  /** Total over all entries. */
  readonly bytes: number;
  readonly nextOrder: number;
  readonly settings: MemorySettings;
};

export function createMemory(settings: MemorySettings): WorkingMemory {
  return { entries: emptyDictionary, bytes: 0, nextOrder: 1, settings };
}

export type EntryInput = {
  readonly key: string;
  readonly value: Json;
  readonly at: number;
  readonly kind?: EntryKind;
  readonly pinned?: boolean;
};

/** Writes an entry without checking the limits. An existing entry keeps its order and its pin. */
export function putEntry(
  memory: WorkingMemory,
  { key, value, at, kind = 'entry', pinned }: EntryInput,
): WorkingMemory {
  const before = findEntry(memory, key);
  return setEntry(memory, {
    key,
    value,
    kind,
    pinned: pinned ?? before?.pinned ?? false,
    addedAt: before?.addedAt ?? at,
    touchedAt: at,
    order: before?.order ?? memory.nextOrder,
    bytes: countEntryBytes(key, value),
  });
}

/** Sets a complete entry; its `bytes` must be correct. */
export function setEntry(memory: WorkingMemory, entry: MemoryEntry): WorkingMemory {
  const before = findEntry(memory, entry.key);
  return {
    ...memory,
    entries: setDictionaryValue(memory.entries, entry.key, entry),
    bytes: memory.bytes - (before?.bytes ?? 0) + entry.bytes,
    nextOrder: Math.max(memory.nextOrder, entry.order + 1),
  };
}

export function removeEntry(memory: WorkingMemory, key: string): WorkingMemory {
  const before = findEntry(memory, key);
  if (before === undefined) return memory;
  return { ...memory, entries: deleteDictionaryKey(memory.entries, key), bytes: memory.bytes - before.bytes };
}

export function findEntry(memory: WorkingMemory, key: string): MemoryEntry | undefined {
  return getDictionaryValue(memory.entries, key);
}

/** Returns all entries in insertion order. */
export function listEntries(memory: WorkingMemory): readonly MemoryEntry[] {
  return [...iterateDictionary(memory.entries)].toSorted((a, b) => a.order - b.order);
}

/** Counts tokens as a quarter of the UTF-8 bytes of working memory's compact JSON, rounded down. */
export function countMemoryTokens(memory: WorkingMemory): number {
  const commas = Math.max(0, memory.entries.size - 1);
  return Math.floor((memory.bytes + commas + 2) / 4);
}

/** Counts the tokens of any JSON value; `countMemoryTokens` must give the same result for working memory. */
export function countLkjTokens(workingMemory: Json): number {
  return Math.floor(countUtf8Bytes(JSON.stringify(workingMemory)) / 4);
}

/** Converts working memory to one JSON object. `fromEntries` makes even `__proto__` an ordinary field. */
export function toMemoryObject(memory: WorkingMemory): { readonly [key: string]: Json } {
  return Object.fromEntries(listEntries(memory).map(({ key, value }) => [key, value]));
}

export function countEntryBytes(key: string, value: Json): number {
  return countUtf8Bytes(JSON.stringify(key)) + 1 + countUtf8Bytes(JSON.stringify(value));
}

export function countEntryTokens(entry: MemoryEntry): number {
  return Math.floor(entry.bytes / 4);
}

/** Whether working memory has reached its paging limit. */
export function isPagingDue(memory: WorkingMemory): boolean {
  const { enable, maxTokens } = memory.settings.pagingLimit;
  return enable && countMemoryTokens(memory) >= maxTokens;
}

/** Whether paging must run before the next model call. */
export function isPagingRequired(memory: WorkingMemory): boolean {
  const { enable, maxTokens } = memory.settings.hardLimit;
  return enable && countMemoryTokens(memory) >= maxTokens;
}
