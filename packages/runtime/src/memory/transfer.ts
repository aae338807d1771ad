import type { Json } from '@pawl/core';
import {
  formatMemoryDocument,
  parseMemoryDocument,
  type LkjMemory,
  type LkjProfile,
  type ParsedMemoryDocument,
  type MemoryDocumentOptions,
} from '@pawl/core/lkj';
import type { StoredEntry } from '@pawl/core/memory';
import { iterateEntries, type EntryStorage } from './storage.ts';

/** Exports memory and all of storage as one memory document. */
export async function exportMemory(
  memory: Omit<LkjMemory, 'storage'>,
  storage: Pick<EntryStorage, 'list'>,
  profile: LkjProfile = 'lkj',
): Promise<{ readonly [key: string]: Json }> {
  const entries: StoredEntry[] = [];
  for await (const entry of iterateEntries(storage)) entries.push(entry);
  return formatMemoryDocument({ ...memory, storage: entries }, profile);
}

/** Imports a memory document and saves its entries into storage, atomically and replacing entries with the same key. */
export async function importMemory(
  json: unknown,
  storage: Pick<EntryStorage, 'save'>,
  options: MemoryDocumentOptions,
): Promise<ParsedMemoryDocument> {
  const document = parseMemoryDocument(json, options);
  await storage.save(document.storage);
  return document;
}
