import { systemClock, type Model } from '../../src/index.ts';
import { createMemoryManager } from '../../src/memory-entry.ts';
import { createInMemoryStorage } from '../../src/storage-entry.ts';
import { createSession, step, type PagingFinished, type Session } from '@pawl/core';
import { listEntries, memorySettings, putEntry, type WorkingMemory } from '@pawl/core/memory';
import { describe, expect, it } from 'vitest';
import { compactContext } from '../../src/memory/compact-context.ts';

const summaryModel: Model = {
  name: 'scribe',
  async *stream({ conversation }) {
    yield { type: 'text', text: 'Old' };
    const isShown = JSON.stringify(conversation).includes('note_0: text 0');
    yield { type: 'reply', text: isShown ? 'Old notes.' : 'Nothing.', calls: [] };
  },
};

/** A session that is making room in a memory with more in it than may be. */
function createCrowdedSession(): Session & { readonly memory: WorkingMemory } {
  const settings = { memory: { ...memorySettings.pawl, pagingLimit: { enable: true, maxTokens: 400 } } };
  const empty = createSession({ id: 's', at: 0, settings });
  let { memory } = empty;
  for (let count = 0; count < 20 && memory !== null; count += 1)
    memory = putEntry(memory, { key: `note_${count}`, value: `text ${count} `.repeat(12), at: count });
  if (memory === null) throw new Error('Expected a memory');
  const asked = step({ ...empty, memory }, { type: 'paging-requested', at: 100, reason: 'full' }).session;
  return { ...asked, memory };
}

describe('compacting working memory', () => {
  it("leaves the model's summary of the moved entries, also in the session", async () => {
    const session = createCrowdedSession();
    const storage = createInMemoryStorage();
    const manager = createMemoryManager({ memory: session.memory, storage, clock: systemClock });
    const { signal } = new AbortController();
    const freed = await compactContext(manager, session, { model: summaryModel, clock: systemClock, signal });
    expect(freed).toMatchObject({ summaries: { memory: 'Old notes.' } });
    expect(freed.freedTokens).toBeGreaterThan(0);
    const finished: PagingFinished = { type: 'paging-finished', at: 101, ...freed };
    const { memory } = step(session, finished).session;
    if (memory === null) throw new Error('Expected a memory');
    expect(listEntries(memory).find(({ key }) => key === 'moved_to_storage')?.value).toMatchObject({
      about: 'Old notes.',
    });
    expect((await storage.load('note_0'))?.value).toBe('text 0 '.repeat(12));
  });

  it('leaves no summary without a model', async () => {
    const session = createCrowdedSession();
    const storage = createInMemoryStorage();
    const manager = createMemoryManager({ memory: session.memory, storage, clock: systemClock });
    expect(await compactContext(manager, session)).not.toHaveProperty('summaries');
  });
});
