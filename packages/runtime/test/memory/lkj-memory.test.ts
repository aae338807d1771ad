import { parseLkjConfig } from '@pawl/core/lkj';
import { createMemory, findEntry, memorySettings, putEntry, toMemoryObject } from '@pawl/core/memory';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createInMemoryStorage } from '../../src/memory/in-memory-storage.ts';
import { openLkjFolder, openLkjMemory, exportMemory, importMemory } from '../../src/memory/lkj-memory.ts';
import { openSqliteStorage } from '../../src/memory/sqlite-storage.ts';
import { createTempFolder, type TempFolder } from '../search/temp-folder.ts';
import { createEntry } from './storage-contract.ts';

const clock = { now: () => 1_000 };

function openFolderMemory(folder: TempFolder, profile: 'lkj' | 'lkj1' = 'lkj') {
  const settings = parseLkjConfig({}, profile).memory;
  return openLkjMemory({ path: folder.at('data/memory.json'), profile, settings, clock });
}

const readMemoryDocumentFile = (folder: TempFolder) =>
  JSON.parse(readFileSync(folder.at('data/memory.json'), 'utf8')) as Record<string, unknown>;

describe('memory in a document', () => {
  it('is on disk with its storage after every action [LKJ1-63, LKJ1-64, LKJ1-78, LKJ1-79, LKJ2-39]', async () => {
    using folder = createTempFolder();
    const { manager } = await openFolderMemory(folder, 'lkj1');
    await manager.applyAction({ type: 'working_memory_add', tags: 'mood', value: 'fine' });
    expect(readMemoryDocumentFile(folder)).toMatchObject({
      working_memory: { mood: 'fine' },
      storage: {},
      state: 'thinking',
    });
    await manager.applyAction({ type: 'storage_save', tags: 'plot', value: 'a letter' });
    expect(readMemoryDocumentFile(folder)).toMatchObject({ storage: { plot: 'a letter' } });
    await manager.applyAction({ type: 'storage_save', tags: 'plot', value: 'two letters' });
    expect(readMemoryDocumentFile(folder)).toMatchObject({ storage: { plot: 'two letters' } });
    await manager.applyAction({ type: 'working_memory_remove', tags: 'mood' });
    expect(readMemoryDocumentFile(folder)).toMatchObject({ working_memory: {} });
  });

  it('is on disk with the error of a failed action [LKJ1-80]', async () => {
    using folder = createTempFolder();
    const { manager } = await openFolderMemory(folder);
    const { error } = await manager.applyAction({ type: 'fly', tags: 'away' });
    expect(error?.kind).toBe('invalid');
    expect(readMemoryDocumentFile(folder)).toMatchObject({
      working_memory: {
        command_log_001: expect.stringMatching(/^fly away: invalid: There is no action/) as string,
      },
    });
  });

  it('is on disk with the state at the end of a cycle and read at the next start [LKJ1-66, LKJ1-77, LKJ1-95]', async () => {
    using folder = createTempFolder();
    const first = await openFolderMemory(folder);
    await first.manager.log('think', 'so far so good');
    await first.manager.applyAction({ type: 'working_memory_add', tags: 'plan', value: 'walk' });
    await first.manager.applyAction({ type: 'working_memory_pin', tags: 'plan' });
    await first.manager.applyAction({ type: 'storage_save', tags: 'plan' });
    await first.endCycle('evaluating');
    expect(readMemoryDocumentFile(folder)).toMatchObject({ state: 'evaluating' });
    const second = await openFolderMemory(folder);
    expect(second.state).toBe('evaluating');
    expect(second.warnings).toEqual([]);
    expect(second.manager.memory.bytes).toBe(first.manager.memory.bytes);
    expect(toMemoryObject(second.manager.memory)).toEqual(toMemoryObject(first.manager.memory));
    expect(findEntry(second.manager.memory, 'plan')?.pinned).toBe(true);
    expect(await second.manager.storage.load('plan')).toMatchObject({ value: 'walk' });
  });

  it('is replaced with each change, before an error is reported, and at the end of a cycle [LKJ1-80, RL-09]', async () => {
    using folder = createTempFolder();
    const store = await openFolderMemory(folder);
    const { manager } = store;
    const file = () => statSync(folder.at('data/memory.json')).ino;
    await manager.applyAction({ type: 'working_memory_add', tags: 'a', value: 'x' });
    const added = file();
    expect(readMemoryDocumentFile(folder)).toMatchObject({ working_memory: { a: 'x' } });
    const { error } = await manager.applyAction({ type: 'storage_save', tags: 'b' });
    const failed = file();
    expect(error?.kind).toBe('invalid');
    expect(readMemoryDocumentFile(folder)).toMatchObject({
      working_memory: { command_log_002: expect.stringMatching(/^storage_save b: invalid/) as string },
    });
    await store.endCycle('evaluating');
    expect(readMemoryDocumentFile(folder)).toMatchObject({ state: 'evaluating' });
    // A file that is replaced is another file under the same name.
    expect(failed).not.toBe(added);
    expect(file()).not.toBe(failed);
  });

  it('keeps working memory and storage separate: search finds only saved entries [LKJ2-37, LKJ2-38]', async () => {
    using folder = createTempFolder();
    const { manager } = await openFolderMemory(folder);
    await manager.applyAction({ type: 'working_memory_add', tags: 'passing', value: 'thought' });
    expect((await manager.applyAction({ type: 'storage_load', tags: 'passing' })).reply).toMatch(
      /^There is no passing in storage/,
    );
    await manager.applyAction({ type: 'storage_save', tags: 'lasting', value: 'insight' });
    expect(findEntry(manager.memory, 'lasting')).toBeUndefined();
    await manager.applyAction({ type: 'working_memory_remove', tags: 'passing' });
    const again = await openFolderMemory(folder);
    expect(await again.manager.storage.count()).toBe(1);
  });

  it('continues from the last good version when the document is damaged, in a valid state [LKJ1-87, LKJ1-88]', async () => {
    using folder = createTempFolder();
    const first = await openFolderMemory(folder);
    await first.manager.applyAction({ type: 'working_memory_add', tags: 'a', value: 'kept' });
    await first.endCycle('commanding');
    await first.endCycle('evaluating');
    writeFileSync(folder.at('data/memory.json'), '{"working_memory": {"a": ');
    const second = await openFolderMemory(folder);
    expect(findEntry(second.manager.memory, 'a')?.value).toBe('kept');
    expect(second.state).toBe('commanding');
    expect(second.warnings).toHaveLength(2);
    writeFileSync(
      folder.at('data/memory.json'),
      '{"working_memory": {"a": "kept"}, "storage": {}, "state": "gone"}',
    );
    const third = await openFolderMemory(folder);
    expect(third.state).toBe('thinking');
    expect(third.warnings).toEqual([expect.stringMatching(/resetting to thinking/)]);
  });
});

describe('a folder', () => {
  it('has its configuration in data/config.json and its memory in data/memory.json [LKJ1-23, LKJ1-78]', async () => {
    const config = { agent: { think_log: { max_entries: 2 }, hard_limit: { max_tokens: 100 } } };
    using folder = createTempFolder({ 'data/config.json': JSON.stringify(config) });
    const { store, config: read } = await openLkjFolder(folder.root, 'lkj', clock);
    expect(read.memory.hardLimit.maxTokens).toBe(100);
    for (const text of ['a', 'b', 'c']) await store.manager.log('think', text);
    expect(readMemoryDocumentFile(folder)).toMatchObject({
      working_memory: { think_log_001: 'b', think_log_002: 'c' },
    });
    const { error } = await store.manager.applyAction({
      type: 'working_memory_add',
      tags: 'a',
      value: 'x'.repeat(500),
    });
    expect(error?.kind).toBe('refused');
  });

  it('uses the defaults without a configuration', async () => {
    using folder = createTempFolder();
    const { config, store } = await openLkjFolder(folder.root, 'lkj1', clock);
    expect(config).toEqual(parseLkjConfig({}, 'lkj1'));
    expect(store.state).toBe('thinking');
  });

  it.each([
    [
      '{"agent": {"iterate": 7}}',
      /configuration file is invalid: ".*config\.json" \(LKJ config: agent\.iterate expects an object, and got 7\.\)/,
    ],
    ['{"agent": ', /configuration file is invalid: ".*config\.json" \(.*JSON.*\)\. Correct it/],
  ])('with the configuration %s is not opened', async (text, message) => {
    using folder = createTempFolder({ 'data/config.json': text });
    await expect(openLkjFolder(folder.root, 'lkj', clock)).rejects.toThrow(message);
    expect(readFileSync(folder.at('data/config.json'), 'utf8')).toBe(text);
  });

  it('reports that the state cannot be written [LKJ1-69]', async () => {
    using folder = createTempFolder();
    const settings = memorySettings.lkj;
    const path = folder.at('memory.json');
    const store = await openLkjMemory({ path, profile: 'lkj', settings, clock });
    mkdirSync(path);
    await expect(store.endCycle('evaluating')).rejects.toThrow(
      /^The memory file cannot be written: ".*memory\.json"/,
    );
  });
});

describe('export and import', () => {
  it('use one format for every profile, which the LKJAgent profiles save each cycle [RX-06]', async () => {
    for (const profile of ['pawl', 'lkj', 'lkj1'] as const) {
      const settings = memorySettings[profile];
      const memory = putEntry(createMemory(settings), { key: 'plan', value: 'walk', pinned: true, at: 1 });
      const storage = createInMemoryStorage();
      await storage.save([createEntry('plot', 'a letter')]);
      const json = JSON.stringify(await exportMemory({ memory, state: 'thinking', extra: {} }, storage));
      const again = await importMemory(JSON.parse(json), createInMemoryStorage(), {
        profile: 'lkj',
        settings,
        at: 9,
      });
      expect(again).toMatchObject({ memory, storage: [createEntry('plot', 'a letter')], state: 'thinking' });
      if (profile === 'pawl') continue;
      using folder = createTempFolder({ 'data/memory.json': json });
      const store = await openFolderMemory(folder, profile);
      await store.endCycle('thinking');
      expect(readMemoryDocumentFile(folder)).toEqual(JSON.parse(json));
    }
  });

  it('transfer memory and storage unchanged', async () => {
    using folder = createTempFolder();
    const from = openSqliteStorage(folder.at('from.db'));
    await from.save(
      Array.from({ length: 700 }, (_, number) => createEntry(`k${number}`, { number }, number)),
    );
    await from.save([{ key: 'archived_1_2,think_log', value: 'a thought', kind: 'think-log', savedAt: 5 }]);
    const memory = createMemory(memorySettings.pawl);
    const json = JSON.stringify(
      await exportMemory({ memory, state: 'thinking', extra: { note: 'x' } }, from),
    );
    const to = createInMemoryStorage();
    const options = { profile: 'lkj', settings: memorySettings.pawl, at: 9 } as const;
    const document = await importMemory(JSON.parse(json), to, options);
    expect(document).toMatchObject({ memory, state: 'thinking', extra: { note: 'x' }, warnings: [] });
    expect(await to.count()).toBe(701);
    const again = await exportMemory(document, to);
    expect(JSON.stringify(again)).toBe(json);
    await from.close();
  });

  it('save nothing from an invalid memory document', async () => {
    const to = createInMemoryStorage();
    const options = { profile: 'lkj', settings: memorySettings.lkj, at: 9 } as const;
    await expect(importMemory({ storage: { a: 1 }, working_memory: 7 }, to, options)).rejects.toThrow(
      /not a memory document/,
    );
    expect(await to.count()).toBe(0);
  });
});
