import { entryBytes, entriesOf, entryTokens, put, tokensOf, type Memory, type Put } from './memory.ts';
import { page } from './page.ts';
import type { StorageSave } from './storage-entry.ts';

export type Admitted =
  | { readonly ok: true; readonly memory: Memory; readonly effects: readonly StorageSave[] }
  | { readonly ok: false; readonly message: string };

/**
 * Writes an entry unless working memory would then stand at or above its hard limit. Room is made first if it can be; if
 * it cannot, nothing changes.
 */
export function admit(memory: Memory, entry: Put): Admitted {
  const { enable, maxTokens } = memory.settings.hardLimit;
  const added = put(memory, entry);
  if (!enable || tokensOf(added) < maxTokens) return { ok: true, memory: added, effects: [] };
  const paged = page(added, { limit: maxTokens, at: entry.at, stays: entry.key });
  if (paged.fits) return { ok: true, memory: paged.memory, effects: paged.effects };
  return { ok: false, message: refusal(memory, entry) };
}

function refusal(memory: Memory, { key, value }: Put): string {
  const { maxTokens } = memory.settings.hardLimit;
  const pinned = entriesOf(memory).filter((entry) => entry.pinned);
  const tokens = pinned.reduce((sum, entry) => sum + entryTokens(entry), 0);
  const ofPinned = pinned.length === 0 ? '' : `, of which ${tokens} are pinned and cannot be moved`;
  return (
    `${key} takes ${Math.ceil(entryBytes(key, value) / 4)} tokens and does not fit: working memory holds ${tokensOf(memory)} ` +
    `tokens${ofPinned}, and must stay below ${maxTokens}. Use storage_save for it, make it shorter, or remove or unpin something.`
  );
}
