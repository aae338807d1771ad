import type { Json } from '@pawl/core';
import type { ParsedMemoryDocument } from '@pawl/core/lkj';
import { listEntries, parseTagKey, type MemoryEntry, type StoredEntry } from '@pawl/core/memory';
import { createInMemoryStorage, iterateEntries, storageLimits } from '@pawl/runtime/storage';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import type { MemorySource } from '../../memory/memory-source.ts';

/** One entry of working memory or of storage. */
export type MemoryListing = {
  readonly place: 'working_memory' | 'storage';
  readonly key: string;
  readonly kind: MemoryEntry['kind'] | StoredEntry['kind'];
  readonly pinned: boolean;
  readonly at: number;
  readonly value: Json;
};

/** Lists all entries: working memory first, then storage. */
export async function* listMemoryEntries(
  source: MemorySource,
): AsyncGenerator<MemoryListing, void, undefined> {
  if (source.kind === 'document') {
    yield* listEntries(source.document.memory).map(fromWorkingEntry);
    yield* source.document.storage.map(fromStoredEntry);
    return;
  }
  for await (const entry of iterateEntries(source.storage)) yield fromStoredEntry(entry);
}

/** Searches working memory and storage; best matches first. */
export async function searchMemoryEntries(
  source: MemorySource,
  text: string,
): Promise<readonly MemoryListing[]> {
  const query = { tags: [], text, limit: storageLimits.found };
  if (source.kind === 'storage') return (await source.storage.search(query)).map(fromStoredEntry);
  const { document } = source;
  const working = listEntries(document.memory).filter(({ kind }) => kind !== 'stub');
  const matchedKeys = new Set(
    (await searchEntriesByText(working.map(toStorageEntry), text)).map(({ key }) => key),
  );
  const stored = await searchEntriesByText(document.storage, text);
  return [
    ...working.filter(({ key }) => matchedKeys.has(key)).map(fromWorkingEntry),
    ...stored.map(fromStoredEntry),
  ];
}

async function searchEntriesByText(
  entries: ParsedMemoryDocument['storage'],
  text: string,
): Promise<readonly StoredEntry[]> {
  const storage = createInMemoryStorage();
  await storage.save(entries);
  return storage.search({ tags: [], text, limit: storageLimits.found });
}

/** Converts a working memory entry to a storage entry. */
export function toStorageEntry({ key, value, kind, touchedAt }: MemoryEntry): StoredEntry {
  return { key, value, kind: kind === 'stub' ? 'entry' : kind, savedAt: touchedAt };
}

/** Counts how often each tag is used, most used first. Logs and stubs do not count. */
export async function countTags(
  rows: AsyncIterable<MemoryListing>,
): Promise<readonly { readonly tag: string; readonly entries: number }[]> {
  const counts = new Map<string, number>();
  for await (const { key, kind } of rows) {
    if (kind !== 'entry' && kind !== 'conversation') continue;
    for (const tag of parseTagKey(key)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return [...counts]
    .map(([tag, entries]) => ({ tag, entries }))
    .toSorted((a, b) => b.entries - a.entries || (a.tag < b.tag ? -1 : 1));
}

/** Formats an entry on one line, with the value truncated to fit. */
export function formatMemoryEntry(
  { place, key, kind, pinned, value }: MemoryListing,
  valueMax: number,
): string {
  const labels = [...(kind === 'entry' ? [] : [kind]), ...(pinned ? ['pinned'] : [])];
  const labelText = labels.length === 0 ? '' : ` (${labels.join(', ')})`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${place.padEnd(14)}  ${sanitizeOneLine(key)}${labelText}: ${truncateMemoryValue(text, valueMax)}`;
}

function truncateMemoryValue(text: string, max: number): string {
  const shown = sanitizeOneLine(text.slice(0, max).toWellFormed());
  return text.length > max ? `${shown} …` : shown;
}

function fromWorkingEntry({ key, kind, pinned, touchedAt, value }: MemoryEntry): MemoryListing {
  return { place: 'working_memory', key, kind, pinned, at: touchedAt, value };
}

function fromStoredEntry({ key, kind, savedAt, value }: StoredEntry): MemoryListing {
  return { place: 'storage', key, kind, pinned: false, at: savedAt, value };
}
