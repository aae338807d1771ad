import { parseMemoryDocument, type LkjProfile } from '@pawl/core/lkj';
import { createMemory, type MemorySettings } from '@pawl/core/memory';
import type { RuntimeClock } from '../platform/clock.ts';
import { createInMemoryStorage } from './in-memory-storage.ts';
import { createMemoryFile } from './memory-file.ts';
import { createMemoryManager, type MemoryManager } from './memory-manager.ts';
import { exportMemory } from './transfer.ts';

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
