import { toOptionalCount, getJsonPath } from '@pawl/governor/json';
import { summaryTextMax } from './compaction-summary.ts';
import {
  removeEntry,
  listEntries,
  countEntryBytes,
  countEntryTokens,
  findEntry,
  putEntry,
  type MemoryEntry,
  type WorkingMemory,
} from './memory.ts';

/**
 * What paging leaves behind. The most recently moved entries have a one-line stub under their own key; older and
 * smaller ones are only counted, in one entry, so that any number of moves takes a few lines.
 */
export const stubsMax = 12;

/** Key of the entry that counts the moved entries. Nothing else may be written there. */
export const movedIndexKey = 'moved_to_storage';

const stubPreviewMax = 60;

/** Removes an entry that was moved to storage, and adds a stub if it saves enough room. */
export function replaceWithStub(memory: WorkingMemory, entry: MemoryEntry, at: number): WorkingMemory {
  const value = formatStub(entry);
  const removed = removeEntry(memory, entry.key);
  const isWorthIt = entry.kind === 'entry' && countEntryBytes(entry.key, value) * 2 < entry.bytes;
  return isWorthIt
    ? putEntry(removed, { key: entry.key, value, kind: 'stub', at })
    : countMovedEntry(removed, at);
}

/** Replaces a stub by counting it in the moved index. */
export function foldStub(memory: WorkingMemory, key: string, at: number): WorkingMemory {
  return countMovedEntry(removeEntry(memory, key), at);
}

/** Returns the keys of the stubs, oldest first. */
export function listStubKeys(memory: WorkingMemory): string[] {
  const stubs = listEntries(memory).filter(({ kind, key }) => kind === 'stub' && key !== movedIndexKey);
  return stubs.map(({ key }) => key);
}

/** Sets the model's summary of the entries moved last. */
export function setMovedSummary(memory: WorkingMemory, summary: string, at: number): WorkingMemory {
  const value = { ...readMovedIndex(memory), about: summary.slice(0, summaryTextMax) };
  return putEntry(memory, { key: movedIndexKey, value, kind: 'stub', at });
}

function countMovedEntry(memory: WorkingMemory, at: number): WorkingMemory {
  const index = readMovedIndex(memory);
  return putEntry(memory, {
    key: movedIndexKey,
    value: { ...index, entries: index.entries + 1 },
    kind: 'stub',
    at,
  });
}

/** Validates the index, because the document may have been edited by hand. */
function readMovedIndex(memory: WorkingMemory): {
  readonly entries: number;
  readonly find_with: string;
  readonly about?: string;
} {
  const stored = findEntry(memory, movedIndexKey)?.value;
  const about = getJsonPath(stored, 'about');
  const index = {
    entries: toOptionalCount(getJsonPath(stored, 'entries')) ?? 0,
    find_with: 'storage_search',
  };
  return typeof about === 'string' ? { ...index, about } : index;
}

function formatStub(entry: MemoryEntry): string {
  const text = typeof entry.value === 'string' ? entry.value : JSON.stringify(entry.value);
  const line = text.slice(0, stubPreviewMax).replaceAll(/\s+/g, ' ').trim();
  return `In storage, ${countEntryTokens(entry)} tokens; storage_load brings it back. It begins: ${line}…`;
}
