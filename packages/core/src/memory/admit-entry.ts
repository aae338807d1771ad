import {
  countEntryBytes,
  listEntries,
  countEntryTokens,
  putEntry,
  countMemoryTokens,
  type WorkingMemory,
  type EntryInput,
} from './memory.ts';
import { pageEntries } from './page-entries.ts';
import type { StorageSave } from './stored-entry.ts';

export type AdmissionResult =
  | { readonly ok: true; readonly memory: WorkingMemory; readonly effects: readonly StorageSave[] }
  | { readonly ok: false; readonly message: string };

/**
 * Adds an entry unless working memory would then reach its hard limit. Pages first if necessary; if that frees too
 * little, nothing changes.
 */
export function admitEntry(memory: WorkingMemory, entry: EntryInput): AdmissionResult {
  const { enable, maxTokens } = memory.settings.hardLimit;
  const added = putEntry(memory, entry);
  if (!enable || countMemoryTokens(added) < maxTokens) return { ok: true, memory: added, effects: [] };
  const paged = pageEntries(added, { limit: maxTokens, at: entry.at, protectedKey: entry.key });
  if (paged.fits) return { ok: true, memory: paged.memory, effects: paged.effects };
  return { ok: false, message: describeNoRoom(memory, entry) };
}

function describeNoRoom(memory: WorkingMemory, { key, value }: EntryInput): string {
  const { maxTokens } = memory.settings.hardLimit;
  const pinned = listEntries(memory).filter((entry) => entry.pinned);
  const tokens = pinned.reduce((sum, entry) => sum + countEntryTokens(entry), 0);
  const pinnedShare = pinned.length === 0 ? '' : `, of which ${tokens} are pinned and cannot be moved`;
  return (
    `${key} takes ${Math.ceil(countEntryBytes(key, value) / 4)} tokens and does not fit: working memory holds ${countMemoryTokens(memory)} ` +
    `tokens${pinnedShare}, and must stay below ${maxTokens}. Use storage_save for it, make it shorter, or remove or unpin something.`
  );
}
