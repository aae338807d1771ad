import type { ConversationMessage } from '@pawl/core';
import {
  applyStorageResult,
  compactMessages,
  toTagKey,
  writeLog,
  pageEntries,
  getPagingLimit,
  applyMemoryAction,
  parseTagKey,
  type MessageCompaction,
  type MessageCompactionOptions,
  type MemoryLogName,
  type WorkingMemory,
  type MemoryEffect,
  type PagingResult,
  type MemoryActionOutcome,
  type StorageSave,
  type StoredEntry,
} from '@pawl/core/memory';
import { isDeepStrictEqual } from 'node:util';
import type { RuntimeClock } from '../platform/clock.ts';
import { createSerialRunner } from '../platform/serial-runner.ts';
import type { EntryStorage } from './storage.ts';

/** Holds the working memory of one agent and executes its storage effects, one operation at a time. */
export type MemoryManager = {
  readonly memory: WorkingMemory;
  readonly storage: EntryStorage;
  /** Executes an action as the model gave it: `{ type, tags, value }`. An invalid action yields an error outcome. */
  applyAction(action: unknown): Promise<MemoryActionOutcome & { readonly found: readonly StoredEntry[] }>;
  log(name: MemoryLogName, text: string): Promise<void>;
  /** Pages entries out once `limit` is reached; by default the limit of the settings. */
  page(options?: { readonly limit?: number; readonly target?: number }): Promise<PagingResult>;
  /** Compacts a conversation; the removed messages are in storage before this resolves. */
  compact(
    messages: readonly ConversationMessage[],
    options: Omit<MessageCompactionOptions, 'at'>,
  ): Promise<MessageCompaction>;
  /** Saves entries that were moved out of working memory. */
  store(entries: readonly StoredEntry[]): Promise<void>;
  /** Replaces the working memory with the session's, which the same events produced. */
  sync(memory: WorkingMemory): void;
  /** Persists the current memory: at the end of a cycle, and before an error is rethrown. */
  save(): Promise<void>;
};

export type MemoryManagerOptions = {
  readonly memory: WorkingMemory;
  readonly storage: EntryStorage;
  readonly clock: Pick<RuntimeClock, 'now'>;
  /** Persists the memory; awaited after each change, before the change is acknowledged. */
  readonly persist?: (memory: WorkingMemory) => Promise<void>;
};

export function createMemoryManager(options: MemoryManagerOptions): MemoryManager {
  const { storage, clock, persist = async () => undefined } = options;
  const runSerially = createSerialRunner();
  let memory = options.memory;
  /** Storage is written first, so that a moved entry is briefly in both places but never in neither. */
  const commit = async (next: WorkingMemory, effects: readonly MemoryEffect[]): Promise<void> => {
    const saves = effects.filter((effect) => effect.kind === 'storage-save');
    if (saves.length > 0) await storage.save(await preserveOverwritten(storage, saves));
    const hasChanged = next !== memory || saves.length > 0;
    memory = next;
    if (hasChanged) await persist(memory);
  };
  return {
    get memory() {
      return memory;
    },
    storage,
    applyAction: (action) =>
      runSerially(async () => {
        const requested = applyMemoryAction(memory, action, clock.now());
        const found = await fetchStoredEntries(storage, requested);
        const outcome = applyStorageResult(requested, found, clock.now());
        await commit(outcome.memory, outcome.effects);
        return { ...outcome, found };
      }),
    log: (name, text) => runSerially(() => commit(writeLog(memory, name, text, clock.now()), [])),
    page: ({ limit = getPagingLimit(memory), target } = {}) =>
      runSerially(async () => {
        const at = clock.now();
        const paged = pageEntries(memory, target === undefined ? { limit, at } : { limit, target, at });
        await commit(paged.memory, paged.effects);
        return paged;
      }),
    compact: (messages, compactionOptions) =>
      runSerially(async () => {
        const compacted = compactMessages(messages, { ...compactionOptions, at: clock.now() });
        if (compacted.entries.length === 0) return compacted;
        await storage.save(compacted.entries);
        await persist(memory);
        return compacted;
      }),
    store: (entries) =>
      runSerially(async () => {
        const saves = entries.map((entry): StorageSave => ({ kind: 'storage-save', reason: 'paged', entry }));
        await storage.save(await preserveOverwritten(storage, saves));
      }),
    sync: (next) => {
      memory = next;
    },
    save: () => runSerially(() => persist(memory)),
  };
}

/** Runs the load or search that an action requested. */
async function fetchStoredEntries(
  storage: EntryStorage,
  { effects: [effect] }: MemoryActionOutcome,
): Promise<readonly StoredEntry[]> {
  if (effect?.kind === 'storage-search') return storage.search(effect);
  if (effect?.kind !== 'storage-load') return [];
  const found = await storage.load(effect.key);
  return found === null ? [] : [found];
}

/**
 * Prevents paging from overwriting a different value with the same key: that value moves to a key with an extra tag.
 */
async function preserveOverwritten(
  storage: EntryStorage,
  saves: readonly StorageSave[],
): Promise<readonly StoredEntry[]> {
  const entries: StoredEntry[] = [];
  for (const { entry, reason } of saves) {
    const existing = reason === 'paged' ? await storage.load(entry.key) : null;
    if (existing !== null && !isDeepStrictEqual(existing.value, entry.value)) {
      entries.push({
        ...existing,
        key: toTagKey([...parseTagKey(existing.key), `earlier_${existing.savedAt}`]),
      });
    }
    entries.push(entry);
  }
  return entries;
}
