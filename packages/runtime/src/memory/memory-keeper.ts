import {
  answer,
  compact,
  keyOf,
  log,
  page,
  pagingLimitOf,
  remember,
  tagsOf,
  type Compacted,
  type CompactOptions,
  type LogName,
  type Memory,
  type MemoryEffect,
  type Message,
  type Paged,
  type Remembered,
  type StorageSave,
  type StoredEntry,
} from '@pawl/core';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../clock.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import type { Storage } from './storage.ts';

/** Holds the memory of one agent and carries out what it asks of storage. One thing at a time, in the order asked. */
export type MemoryKeeper = {
  readonly memory: Memory;
  readonly storage: Storage;
  /** Carries out an action as a model gave it: `{ type, tags, value }`. An action that makes no sense is an answer, too. */
  act(action: unknown): Promise<Remembered & { readonly found: readonly StoredEntry[] }>;
  log(name: LogName, text: string): Promise<void>;
  /** Makes room if the limit is reached; by default that of the settings. */
  page(options?: { readonly limit?: number; readonly target?: number }): Promise<Paged>;
  /** Makes a conversation shorter; what is taken out of it is in storage before this returns. */
  shelve(messages: readonly Message[], options: Omit<CompactOptions, 'at'>): Promise<Compacted>;
  /** Puts entries that have left a memory into storage. */
  store(entries: readonly StoredEntry[]): Promise<void>;
  /** Goes on from another memory: the one that a session came to by the same events. */
  sync(memory: Memory): void;
  /** Keeps the memory as it is now: at the end of a cycle, and before an error is passed on. */
  save(): Promise<void>;
};

export type MemoryKeeperOptions = {
  readonly memory: Memory;
  readonly storage: Storage;
  readonly clock: Pick<Clock, 'now'>;
  /** Keeps the memory somewhere; called after each change, before whoever asked for the change hears of it. */
  readonly keep?: (memory: Memory) => Promise<void>;
};

export function createMemoryKeeper(options: MemoryKeeperOptions): MemoryKeeper {
  const { storage, clock, keep = async () => undefined } = options;
  const inTurn = oneAtATime();
  let memory = options.memory;
  /** Storage first, then memory: what is moved is for a moment in both places, never in none. */
  const commit = async (next: Memory, effects: readonly MemoryEffect[]): Promise<void> => {
    const saves = effects.filter((effect) => effect.kind === 'storage-save');
    if (saves.length > 0) await storage.save(await withoutLoss(storage, saves));
    const hasChanged = next !== memory || saves.length > 0;
    memory = next;
    if (hasChanged) await keep(memory);
  };
  return {
    get memory() {
      return memory;
    },
    storage,
    act: (action) =>
      inTurn(async () => {
        const asked = remember(memory, action, clock.now());
        const found = await lookUp(storage, asked);
        const answered = answer(asked, found, clock.now());
        await commit(answered.memory, answered.effects);
        return { ...answered, found };
      }),
    log: (name, text) => inTurn(() => commit(log(memory, name, text, clock.now()), [])),
    page: ({ limit = pagingLimitOf(memory), target } = {}) =>
      inTurn(async () => {
        const at = clock.now();
        const paged = page(memory, target === undefined ? { limit, at } : { limit, target, at });
        await commit(paged.memory, paged.effects);
        return paged;
      }),
    shelve: (messages, shelving) =>
      inTurn(async () => {
        const compacted = compact(messages, { ...shelving, at: clock.now() });
        if (compacted.entries.length === 0) return compacted;
        await storage.save(compacted.entries);
        await keep(memory);
        return compacted;
      }),
    store: (entries) =>
      inTurn(async () => {
        const saves = entries.map((entry): StorageSave => ({ kind: 'storage-save', why: 'paged', entry }));
        await storage.save(await withoutLoss(storage, saves));
      }),
    sync: (next) => {
      memory = next;
    },
    save: () => inTurn(() => keep(memory)),
  };
}

/** What storage has for a load or a search. */
async function lookUp(storage: Storage, { effects: [effect] }: Remembered): Promise<readonly StoredEntry[]> {
  if (effect?.kind === 'storage-search') return storage.search(effect);
  if (effect?.kind !== 'storage-load') return [];
  const found = await storage.load(effect.key);
  return found === null ? [] : [found];
}

/** What paging moves does not replace something else under the same key: that is kept under a further tag. */
async function withoutLoss(storage: Storage, saves: readonly StorageSave[]): Promise<readonly StoredEntry[]> {
  const entries: StoredEntry[] = [];
  for (const { entry, why } of saves) {
    const before = why === 'paged' ? await storage.load(entry.key) : null;
    if (before !== null && !isDeepStrictEqual(before.value, entry.value)) {
      entries.push({ ...before, key: keyOf([...tagsOf(before.key), `earlier_${before.savedAt}`]) });
    }
    entries.push(entry);
  }
  return entries;
}
