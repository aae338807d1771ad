import type { Json } from '@pawl/governor';
import { appendArrayItem, replaceArrayItem } from '../conversation/conversation.ts';
import { countUtf8Bytes } from './estimate-tokens.ts';
import { toTagKey } from './memory-action.ts';
import type { MemorySettings } from './settings.ts';

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

/*
 * A persistent map with string keys: changing one key copies a few short arrays, however many keys there are, and
 * earlier versions stay valid. It is plain JSON, and any string is a safe key, because keys occur only as values.
 *
 * It is a hash trie. A branch is an array of sixteen nodes, selected by four bits of the key's hash; a leaf holds a few
 * pairs.
 */
type DictionaryLeaf<Value> = { readonly pairs: readonly DictionaryPair<Value>[] };
type DictionaryPair<Value> = readonly [key: string, value: Value];
type DictionaryNode<Value> = null | DictionaryLeaf<Value> | DictionaryBranch<Value>;
type DictionaryBranch<Value> = readonly DictionaryNode<Value>[];

export type PersistentDictionary<Value> = { readonly size: number; readonly root: DictionaryNode<Value> };

const bitsPerLevel = 4;
const branchWidth = 1 << bitsPerLevel;
const leafMax = 8;
/** Below this depth the hash has no bits left to distinguish keys, so a leaf grows without a limit. */
const dictionaryDepthMax = 32 / bitsPerLevel;
const emptyBranch: DictionaryBranch<never> = Array.from({ length: branchWidth }, () => null);

export const emptyDictionary: PersistentDictionary<never> = { size: 0, root: null };

export function getDictionaryValue<Value>(
  dictionary: PersistentDictionary<Value>,
  key: string,
): Value | undefined {
  let node = dictionary.root;
  for (let hash = hashKey(key); isBranch(node); hash >>>= bitsPerLevel)
    node = node[hash % branchWidth] ?? null;
  return node?.pairs.find(([other]) => other === key)?.[1];
}

export function setDictionaryValue<Value>(
  dictionary: PersistentDictionary<Value>,
  key: string,
  value: Value,
): PersistentDictionary<Value> {
  const isNew = getDictionaryValue(dictionary, key) === undefined;
  const root = insertPair(dictionary.root, [key, value], hashKey(key), 0);
  return { size: dictionary.size + (isNew ? 1 : 0), root };
}

export function deleteDictionaryKey<Value>(
  dictionary: PersistentDictionary<Value>,
  key: string,
): PersistentDictionary<Value> {
  if (getDictionaryValue(dictionary, key) === undefined) return dictionary;
  return { size: dictionary.size - 1, root: removeKey(dictionary.root, key, hashKey(key)) };
}

/** Iterates in an order that depends on the keys alone. */
export function* iterateDictionary<Value>(
  dictionary: PersistentDictionary<Value>,
): Generator<Value, void, undefined> {
  yield* iterateNode(dictionary.root);
}

function insertPair<Value>(
  node: DictionaryNode<Value>,
  pair: DictionaryPair<Value>,
  hash: number,
  depth: number,
): DictionaryNode<Value> {
  if (isBranch(node)) {
    const slot = hash % branchWidth;
    return replaceArrayItem(
      node,
      slot,
      insertPair(node[slot] ?? null, pair, hash >>> bitsPerLevel, depth + 1),
    );
  }
  const pairs = node?.pairs ?? [];
  const at = pairs.findIndex(([key]) => key === pair[0]);
  if (at !== -1) return { pairs: replaceArrayItem(pairs, at, pair) };
  const appended = appendArrayItem(pairs, pair);
  return appended.length > leafMax && depth < dictionaryDepthMax
    ? splitLeaf(appended, depth)
    : { pairs: appended };
}

function splitLeaf<Value>(pairs: readonly DictionaryPair<Value>[], depth: number): DictionaryNode<Value> {
  let branch: DictionaryNode<Value> = emptyBranch;
  for (const pair of pairs)
    branch = insertPair(branch, pair, hashKey(pair[0]) >>> (bitsPerLevel * depth), depth);
  return branch;
}

function removeKey<Value>(node: DictionaryNode<Value>, key: string, hash: number): DictionaryNode<Value> {
  if (isBranch(node)) {
    const slot = hash % branchWidth;
    const nodes = replaceArrayItem(node, slot, removeKey(node[slot] ?? null, key, hash >>> bitsPerLevel));
    return nodes.every((each) => each === null) ? null : nodes;
  }
  const pairs = node?.pairs.filter(([other]) => other !== key) ?? [];
  return pairs.length === 0 ? null : { pairs };
}

function* iterateNode<Value>(node: DictionaryNode<Value>): Generator<Value, void, undefined> {
  if (isBranch(node)) for (const each of node) yield* iterateNode(each);
  else if (node !== null) for (const [, value] of node.pairs) yield value;
}

/** FNV-1a with a final mix, because the low bits are used first. */
function hashKey(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

function isBranch<Value>(node: DictionaryNode<Value>): node is DictionaryBranch<Value> {
  return Array.isArray(node);
}

/** Longer lists are truncated; the remaining entries are counted. */
const listedEntriesMax = 200;
const similarKeysMax = 5;

/** Lists working memory, one line per entry, for the model to choose from. */
export function formatMemoryList(memory: WorkingMemory): string {
  const entries = listEntries(memory);
  const lines = entries.slice(0, listedEntriesMax).map((entry) => {
    const label = entry.kind === 'stub' ? ' (in storage)' : entry.pinned ? ' (pinned)' : '';
    return `${entry.key}, ${countEntryTokens(entry)} tokens${label}: ${previewValue(entry.value, 80)}`;
  });
  const more = entries.length > listedEntriesMax ? [`and ${entries.length - listedEntriesMax} more`] : [];
  const heading = `Working memory holds ${entries.length} entries, ${countMemoryTokens(memory)} tokens.`;
  return [heading, ...lines, ...more].join('\n');
}

/** Lists every entry with its whole value, for a person who inspects the memory. */
export function dumpMemory(memory: WorkingMemory): string {
  return listEntries(memory)
    .map(({ key, value }) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

/** Formats any value on one line, truncated if it is long. Never throws. */
export function previewValue(value: unknown, charsMax: number): string {
  const text = typeof value === 'string' ? value : stringifySafely(value);
  const line = text.slice(0, charsMax).replaceAll(/\s+/g, ' ').trim();
  return text.length > charsMax ? `${line}…` : line;
}

/** Suggests keys of which one contains the other, ignoring case. */
export function suggestSimilarKeys(memory: WorkingMemory, key: string): string {
  const wanted = key.toLowerCase();
  const isSimilar = (other: string): boolean => other.includes(wanted) || wanted.includes(other);
  const keys = listEntries(memory).map((entry) => entry.key);
  const similar = keys.filter((each) => isSimilar(each.toLowerCase())).slice(0, similarKeysMax);
  return similar.length === 0 ? '' : ` There is ${similar.join('; ')}.`;
}

/** Serializes a value as JSON, or returns its type if that is impossible, as for a bigint or a circular value. */
export function stringifySafely(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
}

/** An entry in storage. Its tags are the parts of its key. */
export type StoredEntry = {
  readonly key: string;
  readonly value: Json;
  readonly kind: Exclude<EntryKind, 'stub'> | 'conversation';
  readonly savedAt: number;
};

/**
 * A storage operation the caller must perform. `applyLoadResult` and `applySearchResult` apply the result of a load or
 * search.
 */
export type MemoryEffect = StorageSave | StorageLoad | StorageSearch;

export type StorageSave = {
  readonly kind: 'storage-save';
  readonly entry: StoredEntry;
  /** A paged save must not replace another entry that was saved under the same key. */
  readonly reason: 'requested' | 'paged';
};

export type StorageLoad = { readonly kind: 'storage-load'; readonly key: string };

export type StorageSearch = {
  readonly kind: 'storage-search';
  /** Each must be a tag of the key. */
  readonly tags: readonly string[];
  /** Words to find in the value or key; empty for none. */
  readonly text: string;
};

/** Creates the save that must be persisted before this entry may leave working memory. */
export function createPagedSave(entry: MemoryEntry, logKey: string | null, at: number): StorageSave {
  // Log slots are reused, so the slot key alone would overwrite entries archived earlier.
  const key = logKey === null ? entry.key : toTagKey([logKey, `archived_${entry.addedAt}_${entry.order}`]);
  const kind = entry.kind === 'stub' ? 'entry' : entry.kind;
  return { kind: 'storage-save', reason: 'paged', entry: { key, value: entry.value, kind, savedAt: at } };
}
