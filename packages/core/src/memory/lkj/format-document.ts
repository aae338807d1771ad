import type { Json } from '@pawl/governor';
import { isLogKind } from '../logs.ts';
import { listEntries, type MemoryEntry } from '../memory.ts';
import { documentKeys, type LkjMemory } from './parse-document.ts';
import type { LkjProfile } from './states.ts';

/**
 * Formats the memory document. `lkj1` stores logs at the top level and `lkj` in working memory; either parser reads
 * both.
 */
export function formatMemoryDocument(
  { memory, storage, state, extra }: LkjMemory,
  profile: LkjProfile,
): { readonly [key: string]: Json } {
  const entries = listEntries(memory);
  const isTopLevel = ({ kind }: MemoryEntry): boolean => profile === 'lkj1' && isLogKind(kind);
  const metadata: Json = {
    version: 1,
    next_order: memory.nextOrder,
    entries: Object.fromEntries(entries.map((entry) => [entry.key, toEntryMetadata(entry)])),
    storage: Object.fromEntries(
      storage.map(({ key, kind, savedAt }) => [key, { kind, saved_at: savedAt }] as const),
    ),
  };
  // Object.fromEntries makes a key such as `__proto__` an ordinary field.
  return Object.fromEntries([
    [
      documentKeys.working,
      Object.fromEntries(entries.filter((entry) => !isTopLevel(entry)).map(toKeyValuePair)),
    ],
    [documentKeys.storage, Object.fromEntries(storage.map(toKeyValuePair))],
    [documentKeys.state, state],
    ...entries.filter(isTopLevel).map(toKeyValuePair),
    ...Object.entries(extra),
    [documentKeys.metadata, metadata],
  ]);
}

function toKeyValuePair({ key, value }: Pick<MemoryEntry, 'key' | 'value'>): readonly [string, Json] {
  return [key, value];
}

function toEntryMetadata({ order, addedAt, touchedAt, kind, pinned }: MemoryEntry): Json {
  const marks = [...(kind === 'stub' ? ['stub'] : []), ...(pinned ? ['pinned'] : [])];
  const metadata = { order, added_at: addedAt, touched_at: touchedAt };
  return marks.length === 0 ? metadata : { ...metadata, marks };
}
