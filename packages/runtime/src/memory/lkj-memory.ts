import {
  parseMemoryDocument,
  formatMemoryDocument,
  parseLkjConfig,
  type LkjProfile,
  type LkjMemory,
  type ParsedMemoryDocument,
  type MemoryDocumentOptions,
  type LkjConfig,
} from '@pawl/core/lkj';
import { createMemory, type MemorySettings, type StoredEntry } from '@pawl/core/memory';
import type { RuntimeClock } from '../platform/clock.ts';
import { createInMemoryStorage } from './in-memory-storage.ts';
import { createMemoryFile, MemoryFileError } from './memory-file.ts';
import { createMemoryManager, type MemoryManager } from './memory-manager.ts';
import type { Json } from '@pawl/core';
import { iterateEntries, type EntryStorage } from './storage.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getSystemErrorCode } from '../platform/files.ts';

export type LkjMemoryOptions = {
  /** Usually `data/memory.json`. */
  readonly path: string;
  readonly profile: LkjProfile;
  readonly settings: MemorySettings;
  readonly clock: Pick<RuntimeClock, 'now'>;
};

/** Memory backed by a memory document: working memory, storage and the state machine's state in one file. */
export type LkjMemoryStore = {
  readonly manager: MemoryManager;
  /** The state machine's state at the last save. */
  readonly state: string;
  /** Problems that were repaired while the document was read. */
  readonly warnings: readonly string[];
  /** Ends a cycle: saves the whole document with this state. */
  endCycle(state: string): Promise<void>;
};

/** Opens or creates the document. Every change is on disk before it is acknowledged. */
export async function openLkjMemory(options: LkjMemoryOptions): Promise<LkjMemoryStore> {
  const { path, profile, settings, clock } = options;
  const parse = (json: unknown) => parseMemoryDocument(json, { profile, settings, at: clock.now() });
  const file = createMemoryFile(path, parse);
  const { content, warnings } = await file.load();
  const storage = createInMemoryStorage();
  await storage.save(content?.storage ?? []);
  const extra = content?.extra ?? {};
  let state = content?.state ?? 'thinking';
  const manager = createMemoryManager({
    memory: content?.memory ?? createMemory(settings),
    storage,
    clock,
    persist: async (memory) => file.save(await exportMemory({ memory, state, extra }, storage, profile)),
  });
  return {
    manager,
    get state() {
      return state;
    },
    warnings: [...warnings, ...(content?.warnings ?? [])],
    async endCycle(next) {
      state = next;
      await manager.save();
    },
  };
}

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

/** An agent's folder in the LKJAgent layout: an optional `data/config.json`, and `data/memory.json`. */
export type LkjFolder = { readonly config: LkjConfig; readonly store: LkjMemoryStore };

/** Reads the configuration of an LKJAgent folder and opens its memory document. */
export async function openLkjFolder(
  folder: string,
  profile: LkjProfile,
  clock: Pick<RuntimeClock, 'now'>,
): Promise<LkjFolder> {
  const config = await readLkjConfigFile(join(folder, 'data', 'config.json'), profile);
  const path = join(folder, 'data', 'memory.json');
  return { config, store: await openLkjMemory({ path, profile, settings: config.memory, clock }) };
}

/** An invalid file is neither modified nor ignored; the error describes the problem. */
async function readLkjConfigFile(path: string, profile: LkjProfile): Promise<LkjConfig> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (getSystemErrorCode(error) === 'ENOENT') return '{}';
    throw new MemoryFileError('unreadable', path, error);
  });
  try {
    return parseLkjConfig(JSON.parse(text), profile);
  } catch (error) {
    throw new MemoryFileError('wrong', path, error);
  }
}
