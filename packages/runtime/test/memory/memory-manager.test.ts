import type { Json, ConversationMessage } from '@pawl/core';
import {
  createMemory,
  estimateTokens,
  listEntries,
  findEntry,
  listLogEntries,
  memorySettings,
  putEntry,
  countMemoryTokens,
  type WorkingMemory,
} from '@pawl/core/memory';
import { describe, expect, it } from 'vitest';
import { createInMemoryStorage } from '../../src/memory/in-memory-storage.ts';
import { createMemoryManager, type MemoryManager } from '../../src/memory/memory-manager.ts';
import { createMemoryTools } from '../../src/memory/memory-tools.ts';
import type { EntryStorage } from '../../src/memory/storage.ts';
import { createEntry } from './storage-contract.ts';

/** Every object and array that a value is made of. */
function collectParts(value: unknown, found = new Set<unknown>()): Set<unknown> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found;
  found.add(value);
  for (const part of Object.values(value)) collectParts(part, found);
  return found;
}

function createCountingClock(): { now(): number } {
  let at = 0;
  return { now: () => (at += 1) };
}

function createTestManager(memory: WorkingMemory, storage: EntryStorage = createInMemoryStorage()) {
  const persisted: WorkingMemory[] = [];
  const persist = async (next: WorkingMemory): Promise<void> => {
    persisted.push(next);
  };
  return {
    manager: createMemoryManager({ memory, storage, clock: createCountingClock(), persist }),
    persisted,
    storage,
  };
}

const smallMemory: WorkingMemory = createMemory({
  ...memorySettings.pawl,
  pagingLimit: { enable: true, maxTokens: 300 },
  hardLimit: { enable: true, maxTokens: 600 },
});

describe('a memory manager', () => {
  it('saves, removes and loads entries', async () => {
    const { manager, storage } = createTestManager(createMemory(memorySettings.lkj));
    await manager.applyAction({ type: 'working_memory_add', tags: 'plan', value: 'walk' });
    await manager.applyAction({ type: 'storage_save', tags: 'plan' });
    await manager.applyAction({ type: 'working_memory_remove', tags: 'plan' });
    expect(findEntry(manager.memory, 'plan')).toBeUndefined();
    expect(await storage.load('plan')).toMatchObject({ value: 'walk' });
    const { reply } = await manager.applyAction({ type: 'storage_load', tags: 'plan' });
    expect(reply).toMatch(/^Loaded plan into working memory/);
    expect(findEntry(manager.memory, 'plan')?.value).toBe('walk');
    expect((await manager.applyAction({ type: 'storage_load', tags: 'other' })).reply).toMatch(
      /^There is no other in storage/,
    );
    expect((await manager.applyAction({ type: 'storage_search', value: 'walk' })).reply).toMatch(
      /^Found 1 in storage.*\nplan: walk$/,
    );
  });

  it('persists memory after each change, including failed attempts, and only then [LKJ1-64, LKJ1-79, RL-09]', async () => {
    const { manager, persisted } = createTestManager(createMemory(memorySettings.lkj));
    await manager.applyAction({ type: 'working_memory_add', tags: 'a', value: 'x' });
    expect(persisted).toEqual([manager.memory]);
    await manager.applyAction({ type: 'fly' });
    expect(persisted).toHaveLength(2);
    expect(listLogEntries(persisted[1] as WorkingMemory, 'command')).toHaveLength(2);
    const { manager: quiet, persisted: none } = createTestManager(smallMemory);
    await quiet.applyAction({ type: 'fly' });
    await quiet.applyAction({ type: 'working_memory_list' });
    expect(none).toEqual([]);
    await quiet.applyAction({ type: 'storage_save', tags: 'a', value: 'x' });
    expect(none).toHaveLength(1);
    await quiet.save();
    expect(none).toHaveLength(2);
  });

  it('pages entries at the limit, into storage first', async () => {
    const storage = createInMemoryStorage();
    const seen: number[] = [];
    const observedStorage: EntryStorage = {
      ...storage,
      async save(entries) {
        seen.push(countMemoryTokens(manager.memory));
        await storage.save(entries);
      },
    };
    const full = ['a', 'b', 'c'].reduce(
      (memory, key, at) => putEntry(memory, { key, value: key.repeat(500), at }),
      smallMemory,
    );
    const { manager } = createTestManager(full, observedStorage);
    const before = countMemoryTokens(full);
    const { moved, fits, freed } = await manager.page();
    expect(moved.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(fits).toBe(true);
    expect(freed).toBe(before - countMemoryTokens(manager.memory));
    expect(seen).toEqual([before]);
    expect((await storage.load('a'))?.value).toBe('a'.repeat(500));
    expect((await manager.page()).moved).toEqual([]);
  });

  it('does not let paging overwrite a different saved value', async () => {
    const { manager, storage } = createTestManager(smallMemory);
    await manager.applyAction({ type: 'storage_save', tags: 'notes', value: 'the long version' });
    await manager.applyAction({ type: 'working_memory_add', tags: 'notes', value: 'n'.repeat(900) });
    await manager.applyAction({ type: 'working_memory_add', tags: 'more', value: 'm'.repeat(600) });
    await manager.page();
    expect((await storage.load('notes'))?.value).toBe('n'.repeat(900));
    const found = await storage.search({ text: 'long version', tags: ['notes'] });
    expect(found.map(({ key, value }) => [key, value])).toEqual([['earlier_1,notes', 'the long version']]);
    const { reply } = await manager.applyAction({ type: 'storage_load', tags: 'notes, earlier_1' });
    expect(reply).toContain('the long version');
  });

  it('loses nothing, however many entries are added', async () => {
    const { manager, storage } = createTestManager(smallMemory);
    for (let number = 0; number < 200; number += 1) {
      const value = `${number} `.repeat(1 + ((number * 37) % 120));
      const { error } = await manager.applyAction({
        type: 'working_memory_add',
        tags: `entry ${number}`,
        value,
      });
      expect(error).toBeNull();
      if (number % 3 === 0) await manager.page();
    }
    for (let number = 0; number < 200; number += 1) {
      const value = `${number} `.repeat(1 + ((number * 37) % 120));
      const held = findEntry(manager.memory, `entry_${number}`);
      if (held?.kind === 'entry') expect(held.value).toBe(value);
      else expect((await storage.load(`entry_${number}`))?.value).toBe(value);
    }
    expect(countMemoryTokens(manager.memory)).toBeLessThan(600);
  });

  it('runs operations one at a time, in order', async () => {
    const { manager, persisted } = createTestManager(createMemory(memorySettings.pawl));
    const values = Array.from({ length: 20 }, (_, index) => `value ${index}`);
    await Promise.all(
      values.map((value, index) =>
        manager.applyAction({ type: 'working_memory_add', tags: `k${index}`, value }),
      ),
    );
    expect(listEntries(manager.memory).map(({ value }) => value)).toEqual(values);
    expect(persisted.map((memory) => memory.entries.size)).toEqual(values.map((_, index) => index + 1));
  });

  it('changes nothing when storage fails, and stays usable', async () => {
    const storage = createInMemoryStorage();
    let isBroken = true;
    const flaky: EntryStorage = {
      ...storage,
      async save(entries) {
        if (isBroken) throw new Error('no space left');
        await storage.save(entries);
      },
    };
    const full = putEntry(smallMemory, { key: 'a', value: 'a'.repeat(1_500), at: 1 });
    const { manager } = createTestManager(full, flaky);
    await expect(manager.page()).rejects.toThrow('no space left');
    expect(manager.memory).toBe(full);
    isBroken = false;
    expect((await manager.page()).moved).toHaveLength(1);
  });
});

const createFilledManager = async (size: number) => {
  const { manager, storage } = createTestManager(
    createMemory({ ...memorySettings.pawl, hardLimit: { enable: false, maxTokens: 1 } }),
  );
  await storage.save(
    Array.from({ length: size }, (_, index) => createEntry(`stored_${index}`, `text number ${index}`)),
  );
  for (let index = 0; index < size; index += 1) {
    await manager.applyAction({ type: 'working_memory_add', tags: `held ${index}`, value: 'x' });
  }
  return manager;
};
const measureSearch = async (manager: MemoryManager): Promise<number> => {
  const times = [];
  for (let time = 0; time < 5; time += 1) {
    const start = process.cpuUsage().user;
    await manager.storage.search({ text: 'number 77', tags: ['stored'] });
    times.push(process.cpuUsage().user - start);
  }
  return Math.min(...times);
};

describe('the cost', () => {
  it('of working memory does not grow with its size, and that of a search grows no faster than storage [LKJ1-92]', async () => {
    const [few, many] = [await createFilledManager(500), await createFilledManager(4_000)];
    for (const manager of [few, many]) {
      const before = collectParts(manager.memory);
      await manager.applyAction({ type: 'working_memory_add', tags: 'new', value: 'y' });
      expect([...collectParts(manager.memory)].filter((part) => !before.has(part)).length).toBeLessThan(20);
      await manager.applyAction({ type: 'working_memory_remove', tags: 'new' });
      expect(findEntry(manager.memory, 'held_77')?.value).toBe('x');
    }
    await measureSearch(few);
    // Eight times as much: a cost that grows with the square would be sixty-four times as high.
    expect(await measureSearch(many)).toBeLessThan(Math.max(await measureSearch(few), 500) * 30);
  });
});

const createUserMessage = (text: string): ConversationMessage => ({ role: 'user', at: 1, text });

describe('compaction', () => {
  it('moves removed messages to storage, where they can be found and loaded', async () => {
    const { manager, persisted } = createTestManager(createMemory(memorySettings.pawl));
    const messages = [
      createUserMessage('the goal'),
      createUserMessage(`about a lighthouse ${'and more '.repeat(200)}`),
      createUserMessage('last'),
    ];
    const options = { keepTokens: 100, keepLast: 1, estimate: estimateTokens, tag: 'run_1' };
    const { kept: keep, summaryStub } = await manager.compact(messages, options);
    expect(keep).toEqual([messages[0], summaryStub, messages[2]]);
    expect(persisted).toHaveLength(1);
    const { reply } = await manager.applyAction({
      type: 'storage_search',
      tags: 'run_1',
      value: 'lighthouse',
    });
    const key = /\n(\S+): /.exec(reply)?.[1] ?? '';
    await manager.applyAction({ type: 'storage_load', tags: key });
    expect(findEntry(manager.memory, key)?.value).toEqual([messages[1]]);
    expect((await manager.compact(keep, { ...options, keepTokens: 9_999 })).compacted).toEqual([]);
    expect(persisted).toHaveLength(2);
  });
});

describe('the memory tools', () => {
  const context = { signal: new AbortController().signal, report: () => undefined };
  const createTools = (memory: WorkingMemory) => {
    const { manager, storage } = createTestManager(memory);
    const tools = createMemoryTools(manager);
    const run = (name: string, args: Json) => {
      const tool = tools.find(({ description }) => description.name === name);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      return tool.run(args, context);
    };
    return { manager, storage, tools, run };
  };

  it('are the tools that the profile allows, each with a schema', () => {
    const names = (memory: WorkingMemory) =>
      createTools(memory).tools.map(({ description }) => description.name);
    expect(names(createMemory(memorySettings.lkj1))).toEqual([
      'working_memory_add',
      'working_memory_remove',
      'storage_load',
      'storage_save',
    ]);
    expect(names(smallMemory)).toEqual([
      'working_memory_add',
      'working_memory_remove',
      'working_memory_list',
      'working_memory_pin',
      'working_memory_unpin',
      'storage_save',
      'storage_load',
      'storage_search',
    ]);
    const [add] = createTools(smallMemory).tools;
    expect(add?.description.parameters).toMatchObject({ type: 'object', required: ['tags', 'value'] });
  });

  it('work together', async () => {
    const { run, storage } = createTools(smallMemory);
    await storage.save([createEntry('trip', 'to the sea')]);
    expect(await run('storage_search', { query: 'sea' })).toMatchObject({
      ok: true,
      output: expect.stringContaining('trip: to the sea') as string,
    });
    expect(await run('storage_load', { tags: ['trip'] })).toMatchObject({ ok: true });
    expect(await run('working_memory_pin', { tags: 'trip' })).toEqual({
      ok: true,
      output: 'Pinned trip: it stays in working memory.',
    });
    expect(await run('working_memory_list', {})).toMatchObject({
      output: expect.stringContaining('trip, 4 tokens (pinned): to the sea') as string,
    });
  });

  it('answer invalid arguments and a full memory with the fix', async () => {
    const { run, manager } = createTools(createMemory(memorySettings.lkj));
    for (const args of [null, 'x', [], {}, { tags: '' }, JSON.parse('{"__proto__":{"tags":"a"}}') as Json]) {
      expect(await run('storage_load', args)).toMatchObject({ ok: false, error: { kind: 'invalid' } });
    }
    expect(listLogEntries(manager.memory, 'command')).toHaveLength(6);
    const huge = await run('working_memory_add', { tags: 'a', value: 'x'.repeat(40_000) });
    expect(huge).toMatchObject({
      ok: false,
      error: { kind: 'failed', message: expect.stringContaining('does not fit') as string },
    });
  });
});
