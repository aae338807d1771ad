import { isDeepStrictEqual } from 'node:util';
import { formatMemoryDocument, type LkjMemory } from '@pawl/core/lkj';
import { listEntries, findEntry, toTagKey, putEntry, parseTagKey, type StoredEntry } from '@pawl/core/memory';
import { createMemoryFile } from '@pawl/runtime/memory';
import { iterateEntries, type EntryStorage } from '@pawl/runtime/storage';
import { toStorageEntry } from './entries.ts';
import { pathExists, openMemoryDocument, type OpenMemoryDocument } from '../../memory/memory-source.ts';

export type ImportSummary = {
  readonly working_memory: number;
  readonly storage: number;
  /** Number of entries that replaced a different value. */
  readonly replaced: number;
  /** Number of previous entries that no longer exist. */
  readonly removed: number;
};

/**
 * Imports `from` into a memory document. On merge, its entries are added and override entries with the same key; its
 * logs come from another agent and go to storage. On replace, the document becomes a copy of `from`.
 */
export async function importIntoDocument(
  path: string,
  from: OpenMemoryDocument,
  mode: 'merge' | 'replace',
): Promise<ImportSummary> {
  const target = (await pathExists(path)) ? await openMemoryDocument(path) : null;
  const isMerged = target !== null && mode === 'merge';
  const result = isMerged ? mergeDocuments(target, from) : from;
  const file = createMemoryFile(path, () => null);
  // Load the valid document first, so that save() can keep the previous version as a backup.
  if (target !== null) await file.load();
  await file.save(formatMemoryDocument(result.document, result.layout));
  return countImported(target?.document ?? null, from.document, isMerged);
}

function mergeDocuments(
  target: OpenMemoryDocument,
  { document: from }: OpenMemoryDocument,
): OpenMemoryDocument {
  const { document } = target;
  let { memory } = document;
  for (const { kind, key, value, pinned, touchedAt } of listEntries(from.memory)) {
    if (kind === 'entry') memory = putEntry(memory, { key, value, at: touchedAt, ...(pinned && { pinned }) });
  }
  const storage = new Map(
    [...document.storage, ...from.storage, ...listImportedLogs(from)].map((each) => [each.key, each]),
  );
  return { ...target, document: { ...document, memory, storage: [...storage.values()] } };
}

/** Converts log entries to storage entries, under keys that no log of another memory uses. */
function listImportedLogs({ memory }: LkjMemory): readonly StoredEntry[] {
  return listEntries(memory)
    .filter(({ kind }) => kind !== 'entry' && kind !== 'stub')
    .map((entry) => ({ ...toStorageEntry(entry), key: toTagKey([entry.key, `imported_${entry.addedAt}`]) }));
}

function countImported(before: LkjMemory | null, from: LkjMemory, isMerged: boolean): ImportSummary {
  const working = listEntries(from.memory).filter(({ kind }) => kind === 'entry' || !isMerged);
  const stored = isMerged ? [...from.storage, ...listImportedLogs(from)] : from.storage;
  const storedBefore = new Map(before?.storage.map(({ key, value }) => [key, value]) ?? []);
  const replaced = [
    ...working.filter(({ key, value }) => {
      const existing = before === null ? undefined : findEntry(before.memory, key);
      return existing !== undefined && !isDeepStrictEqual(existing.value, value);
    }),
    ...stored.filter(
      ({ key, value }) => storedBefore.has(key) && !isDeepStrictEqual(storedBefore.get(key), value),
    ),
  ];
  return {
    working_memory: working.length,
    storage: stored.length,
    replaced: replaced.length,
    removed: isMerged || before === null ? 0 : countRemoved(before, from),
  };
}

function countRemoved(before: LkjMemory, after: LkjMemory): number {
  const remainingKeys = new Set(after.storage.map(({ key }) => key));
  const working = listEntries(before.memory).filter(({ key }) => findEntry(after.memory, key) === undefined);
  return working.length + before.storage.filter(({ key }) => !remainingKeys.has(key)).length;
}

/** Imports `from` into a storage; its working memory entries become storage entries. */
export async function importIntoStorage(
  storage: EntryStorage,
  { document }: OpenMemoryDocument,
  mode: 'merge' | 'replace',
): Promise<ImportSummary> {
  const entries = toStorageEntries(document);
  const before = new Map<string, StoredEntry | null>();
  for (const { key } of entries) before.set(key, await storage.load(key));
  await storage.save(entries);
  const replaced = entries.filter(({ key, value }) => {
    const existing = before.get(key) ?? null;
    return existing !== null && !isDeepStrictEqual(existing.value, value);
  });
  // Remove last, so that no imported entry is ever missing, even after a crash.
  const removed = mode === 'replace' ? await removeOtherEntries(storage, new Set(before.keys())) : 0;
  return { working_memory: 0, storage: entries.length, replaced: replaced.length, removed };
}

function toStorageEntries(document: LkjMemory): readonly StoredEntry[] {
  const stored = new Map(document.storage.map((entry) => [entry.key, entry]));
  for (const entry of listEntries(document.memory)) {
    if (entry.kind !== 'entry') continue;
    const existing = stored.get(entry.key);
    const isFree = existing === undefined || isDeepStrictEqual(existing.value, entry.value);
    // If storage has a different value under the key, keep both.
    const key = isFree ? entry.key : toTagKey([...parseTagKey(entry.key), 'working_memory']);
    stored.set(key, { ...toStorageEntry(entry), key });
  }
  return [...stored.values(), ...listImportedLogs(document)];
}

async function removeOtherEntries(storage: EntryStorage, keptKeys: ReadonlySet<string>): Promise<number> {
  const others: string[] = [];
  for await (const { key } of iterateEntries(storage)) if (!keptKeys.has(key)) others.push(key);
  for (const key of others) await storage.remove(key);
  return others.length;
}
