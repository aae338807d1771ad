import type { Json } from '../json.ts';
import type { Entry, EntryKind } from './memory.ts';
import { keyOf } from './tags.ts';

/** Something on the shelf: what storage keeps. Its tags are the parts of its key. */
export type StoredEntry = {
  readonly key: string;
  readonly value: Json;
  readonly kind: Exclude<EntryKind, 'stub'> | 'conversation';
  readonly savedAt: number;
};

/** What the caller must do to storage. A load and a search are answered with `loaded` and `searched`. */
export type MemoryEffect = StorageSave | StorageLoad | StorageSearch;

export type StorageSave = {
  readonly kind: 'storage-save';
  readonly entry: StoredEntry;
  /** What paging moves must not replace something else that was saved under the same key. */
  readonly why: 'asked' | 'paged';
};

export type StorageLoad = { readonly kind: 'storage-load'; readonly key: string };

export type StorageSearch = {
  readonly kind: 'storage-search';
  /** Each must be part of the key. */
  readonly tags: readonly string[];
  /** Words to be found in the value or the key; empty for none. */
  readonly text: string;
};

/** The save that must be on disk before this entry may leave working memory. */
export function pagedSave(entry: Entry, logKey: string | null, at: number): StorageSave {
  // The slots of a log are used again and again, so there the key alone would overwrite what was archived before.
  const key = logKey === null ? entry.key : keyOf([logKey, `archived_${entry.addedAt}_${entry.order}`]);
  const kind = entry.kind === 'stub' ? 'entry' : entry.kind;
  return { kind: 'storage-save', why: 'paged', entry: { key, value: entry.value, kind, savedAt: at } };
}
