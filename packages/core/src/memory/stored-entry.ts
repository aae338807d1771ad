import type { Json } from '@pawl/governor';
import type { MemoryEntry, EntryKind } from './memory.ts';
import { toTagKey } from './memory-action.ts';

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
