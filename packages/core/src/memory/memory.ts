import type { Json } from '../json.ts';
import { emptyDictionary, valueAt, valuesOf, withoutKey, withValue, type Dictionary } from './dictionary.ts';
import type { MemorySettings } from './settings.ts';
import { utf8Bytes } from './utf8.ts';

/**
 * What an entry is: something the agent put there, a line of one of the logs, or a stub that says where something went
 * that was moved to storage.
 */
export type EntryKind = 'entry' | 'think-log' | 'evaluation-log' | 'command-log' | 'stub';

export type Entry = {
  /** One or several tags, as `normalTags` writes them. */
  readonly key: string;
  readonly value: Json;
  readonly kind: EntryKind;
  /** Never moved to storage by paging. */
  readonly pinned: boolean;
  readonly addedAt: number;
  /** When it was last written, loaded or pinned. */
  readonly touchedAt: number;
  /** Counts up over all entries there ever were: the order they came in, and a name no other entry has. */
  readonly order: number;
  /** Of `"key":value` in compact JSON. */
  readonly bytes: number;
};

/**
 * What the agent holds in mind; plain JSON. Writing, finding and removing an entry cost the same at any size, and so does
 * the token count, since bytes are kept as entries come and go.
 */
export type Memory = {
  readonly entries: Dictionary<Entry>;
  /** The sum over all entries. */
  readonly bytes: number;
  readonly nextOrder: number;
  readonly settings: MemorySettings;
};

export function emptyMemory(settings: MemorySettings): Memory {
  return { entries: emptyDictionary, bytes: 0, nextOrder: 1, settings };
}

export type Put = {
  readonly key: string;
  readonly value: Json;
  readonly at: number;
  readonly kind?: EntryKind;
  readonly pinned?: boolean;
};

/** Writes an entry as it is, without a look at the limits. What was under the key before keeps its place and its pin. */
export function put(memory: Memory, { key, value, at, kind = 'entry', pinned }: Put): Memory {
  const before = findEntry(memory, key);
  return withEntry(memory, {
    key,
    value,
    kind,
    pinned: pinned ?? before?.pinned ?? false,
    addedAt: before?.addedAt ?? at,
    touchedAt: at,
    order: before?.order ?? memory.nextOrder,
    bytes: entryBytes(key, value),
  });
}

/** Puts a whole entry in its place; its `bytes` must be right. */
export function withEntry(memory: Memory, entry: Entry): Memory {
  const before = findEntry(memory, entry.key);
  return {
    ...memory,
    entries: withValue(memory.entries, entry.key, entry),
    bytes: memory.bytes - (before?.bytes ?? 0) + entry.bytes,
    nextOrder: Math.max(memory.nextOrder, entry.order + 1),
  };
}

export function drop(memory: Memory, key: string): Memory {
  const before = findEntry(memory, key);
  if (before === undefined) return memory;
  return { ...memory, entries: withoutKey(memory.entries, key), bytes: memory.bytes - before.bytes };
}

export function findEntry(memory: Memory, key: string): Entry | undefined {
  return valueAt(memory.entries, key);
}

/** All entries, in the order they came in. */
export function entriesOf(memory: Memory): readonly Entry[] {
  return [...valuesOf(memory.entries)].toSorted((a, b) => a.order - b.order);
}

/** The compact JSON of working memory, by its UTF-8 bytes: a quarter of them, rounded down. */
export function tokensOf(memory: Memory): number {
  const commas = Math.max(0, memory.entries.size - 1);
  return Math.floor((memory.bytes + commas + 2) / 4);
}

/** The same for any value: what `tokensOf` is held to. */
export function lkjTokens(workingMemory: Json): number {
  return Math.floor(utf8Bytes(JSON.stringify(workingMemory)) / 4);
}

/** Working memory as one JSON object. `fromEntries` makes even `__proto__` a field like any other. */
export function workingObject(memory: Memory): { readonly [key: string]: Json } {
  return Object.fromEntries(entriesOf(memory).map(({ key, value }) => [key, value]));
}

export function entryBytes(key: string, value: Json): number {
  return utf8Bytes(JSON.stringify(key)) + 1 + utf8Bytes(JSON.stringify(value));
}

export function entryTokens(entry: Entry): number {
  return Math.floor(entry.bytes / 4);
}

/** Paging is due. */
export function needsPaging(memory: Memory): boolean {
  const { enable, maxTokens } = memory.settings.pagingLimit;
  return enable && tokensOf(memory) >= maxTokens;
}

/** Paging must come before the model is asked again. */
export function mustPage(memory: Memory): boolean {
  const { enable, maxTokens } = memory.settings.hardLimit;
  return enable && tokensOf(memory) >= maxTokens;
}
