import { isDeepStrictEqual } from 'node:util';
import {
  entriesOf,
  findEntry,
  keyOf,
  memoryDocument,
  put,
  tagsOf,
  type LkjMemory,
  type StoredEntry,
} from '@pawl/core';
import { createMemoryFile, everyEntry, type Storage } from '@pawl/runtime';
import { asStored } from './memory-rows.ts';
import { isThere, openDocument, type OpenDocument } from './memory-source.ts';

/** What an import came to. */
export type Imported = {
  readonly working_memory: number;
  readonly storage: number;
  /** How many of them took the place of something else. */
  readonly replaced: number;
  /** How many were there before and are not any longer. */
  readonly removed: number;
};

/**
 * Puts what `from` holds into a memory document. Merged, its entries join those that are there and win over entries of the
 * same key; its logs are thoughts of somebody else's and go to storage. Replaced, the document becomes what `from` is.
 */
export async function importIntoDocument(
  path: string,
  from: OpenDocument,
  how: 'merge' | 'replace',
): Promise<Imported> {
  const target = (await isThere(path)) ? await openDocument(path) : null;
  const isMerged = target !== null && how === 'merge';
  const result = isMerged ? merged(target, from) : from;
  const file = createMemoryFile(path, () => null);
  // What has just been read is good, so that the version before this one can be kept beside it.
  if (target !== null) await file.load();
  await file.save(memoryDocument(result.document, result.layout));
  return counted(target?.document ?? null, from.document, isMerged);
}

function merged(target: OpenDocument, { document: from }: OpenDocument): OpenDocument {
  const { document } = target;
  let { memory } = document;
  for (const { kind, key, value, pinned, touchedAt } of entriesOf(from.memory)) {
    if (kind === 'entry') memory = put(memory, { key, value, at: touchedAt, ...(pinned && { pinned }) });
  }
  const storage = new Map(
    [...document.storage, ...from.storage, ...logsOf(from)].map((each) => [each.key, each]),
  );
  return { ...target, document: { ...document, memory, storage: [...storage.values()] } };
}

/** The entries of logs, each under a key that no log of another memory has. */
function logsOf({ memory }: LkjMemory): readonly StoredEntry[] {
  return entriesOf(memory)
    .filter(({ kind }) => kind !== 'entry' && kind !== 'stub')
    .map((entry) => ({ ...asStored(entry), key: keyOf([entry.key, `imported_${entry.addedAt}`]) }));
}

function counted(before: LkjMemory | null, from: LkjMemory, isMerged: boolean): Imported {
  const working = entriesOf(from.memory).filter(({ kind }) => kind === 'entry' || !isMerged);
  const stored = isMerged ? [...from.storage, ...logsOf(from)] : from.storage;
  const storedBefore = new Map(before?.storage.map(({ key, value }) => [key, value]) ?? []);
  const replaced = [
    ...working.filter(({ key, value }) => {
      const there = before === null ? undefined : findEntry(before.memory, key);
      return there !== undefined && !isDeepStrictEqual(there.value, value);
    }),
    ...stored.filter(
      ({ key, value }) => storedBefore.has(key) && !isDeepStrictEqual(storedBefore.get(key), value),
    ),
  ];
  return {
    working_memory: working.length,
    storage: stored.length,
    replaced: replaced.length,
    removed: isMerged || before === null ? 0 : goneFrom(before, from),
  };
}

function goneFrom(before: LkjMemory, after: LkjMemory): number {
  const kept = new Set(after.storage.map(({ key }) => key));
  const working = entriesOf(before.memory).filter(({ key }) => findEntry(after.memory, key) === undefined);
  return working.length + before.storage.filter(({ key }) => !kept.has(key)).length;
}

/** Puts what `from` holds into a storage, which has no working memory: what is at hand there goes on the shelf here. */
export async function importIntoStorage(
  storage: Storage,
  { document }: OpenDocument,
  how: 'merge' | 'replace',
): Promise<Imported> {
  const entries = forTheShelf(document);
  const before = new Map<string, StoredEntry | null>();
  for (const { key } of entries) before.set(key, await storage.load(key));
  await storage.save(entries);
  const replaced = entries.filter(({ key, value }) => {
    const there = before.get(key) ?? null;
    return there !== null && !isDeepStrictEqual(there.value, value);
  });
  // Removing comes last: whatever happens on the way, nothing of what is to be there is missing.
  const removed = how === 'replace' ? await removeOthers(storage, new Set(before.keys())) : 0;
  return { working_memory: 0, storage: entries.length, replaced: replaced.length, removed };
}

function forTheShelf(document: LkjMemory): readonly StoredEntry[] {
  const stored = new Map(document.storage.map((entry) => [entry.key, entry]));
  for (const entry of entriesOf(document.memory)) {
    if (entry.kind !== 'entry') continue;
    const there = stored.get(entry.key);
    const isFree = there === undefined || isDeepStrictEqual(there.value, entry.value);
    // Where the shelf has something else under the key, both are kept.
    const key = isFree ? entry.key : keyOf([...tagsOf(entry.key), 'working_memory']);
    stored.set(key, { ...asStored(entry), key });
  }
  return [...stored.values(), ...logsOf(document)];
}

async function removeOthers(storage: Storage, keep: ReadonlySet<string>): Promise<number> {
  const others: string[] = [];
  for await (const { key } of everyEntry(storage)) if (!keep.has(key)) others.push(key);
  for (const key of others) await storage.remove(key);
  return others.length;
}
