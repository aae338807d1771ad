import { emptyMemory, readMemoryDocument, type LkjProfile, type MemorySettings } from '@pawl/core';
import type { Clock } from '../clock.ts';
import { createInMemoryStorage } from './in-memory-storage.ts';
import { createMemoryFile } from './memory-file.ts';
import { createMemoryKeeper, type MemoryKeeper } from './memory-keeper.ts';
import { exportMemory } from './transfer.ts';

export type LkjMemoryOptions = {
  /** Usually `data/memory.json`. */
  readonly path: string;
  readonly profile: LkjProfile;
  readonly settings: MemorySettings;
  readonly clock: Pick<Clock, 'now'>;
};

/** Memory that lives in a memory document: working memory, storage and the state of the machine in one file. */
export type LkjMemoryStore = {
  readonly keeper: MemoryKeeper;
  /** The state the machine was in when the document was last saved. */
  readonly state: string;
  /** What was put right while the document was read. */
  readonly warnings: readonly string[];
  /** Ends a cycle: the whole document is saved, with this state. */
  endCycle(state: string): Promise<void>;
};

/** Opens the document, or begins one. Every change of memory is on disk before its answer is given. */
export async function openLkjMemory(options: LkjMemoryOptions): Promise<LkjMemoryStore> {
  const { path, profile, settings, clock } = options;
  const read = (json: unknown) => readMemoryDocument(json, { profile, settings, at: clock.now() });
  const file = createMemoryFile(path, read);
  const { content, warnings } = await file.load();
  const storage = createInMemoryStorage();
  await storage.save(content?.storage ?? []);
  const extra = content?.extra ?? {};
  let state = content?.state ?? 'thinking';
  const keeper = createMemoryKeeper({
    memory: content?.memory ?? emptyMemory(settings),
    storage,
    clock,
    keep: async (memory) => file.save(await exportMemory({ memory, state, extra }, storage, profile)),
  });
  return {
    keeper,
    get state() {
      return state;
    },
    warnings: [...warnings, ...(content?.warnings ?? [])],
    async endCycle(next) {
      state = next;
      await keeper.save();
    },
  };
}
