import {
  memoryDocument,
  readMemoryDocument,
  type Json,
  type LkjMemory,
  type LkjProfile,
  type ReadDocument,
  type ReadDocumentOptions,
  type StoredEntry,
} from '@pawl/core';
import { everyEntry, type Storage } from './storage.ts';

/** Memory and all of storage as one JSON: the layout of a memory document. */
export async function exportMemory(
  mind: Omit<LkjMemory, 'storage'>,
  storage: Pick<Storage, 'list'>,
  profile: LkjProfile = 'lkj',
): Promise<{ readonly [key: string]: Json }> {
  const entries: StoredEntry[] = [];
  for await (const entry of everyEntry(storage)) entries.push(entry);
  return memoryDocument({ ...mind, storage: entries }, profile);
}

/** Reads such a JSON and puts its storage into this one, over entries of the same key. All of it or nothing. */
export async function importMemory(
  json: unknown,
  storage: Pick<Storage, 'save'>,
  options: ReadDocumentOptions,
): Promise<ReadDocument> {
  const document = readMemoryDocument(json, options);
  await storage.save(document.storage);
  return document;
}
