import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import { admitEntry } from '../../src/memory/apply-memory-action.ts';
import { writeLog } from '../../src/memory/logs.ts';
import {
  createMemory,
  listEntries,
  findEntry,
  putEntry,
  countMemoryTokens,
  type WorkingMemory,
} from '../../src/memory/memory.ts';
import { pageEntries, movedIndexKey } from '../../src/memory/page-entries.ts';
import { memorySettings } from '../../src/memory/settings.ts';
import { deepFreeze } from '../../../governor/test/helpers/deep-freeze.ts';
import { anyMemory, createFilledMemory, createLimitedSettings } from './arbitraries.ts';

const repeatToLength = (text: string): string => text.repeat(Math.ceil(800 / text.length));
const listKeys = (memory: WorkingMemory): readonly string[] => listEntries(memory).map(({ key }) => key);

const createNumberedMemory = (size: number): WorkingMemory => {
  let memory = createMemory(memorySettings.lkj);
  for (let count = 0; count < size; count += 1) {
    memory = putEntry(memory, { key: `entry_${count}`, value: `text ${count} `.repeat(10), at: count });
  }
  return memory;
};
const measurePaging = (memory: WorkingMemory): number => {
  const start = process.cpuUsage().user;
  const paged = pageEntries(memory, { limit: 4_096, at: 1 });
  expect(paged.fits).toBe(true);
  expect(
    paged.moved.length + listKeys(paged.memory).filter((key) => key.startsWith('entry_')).length,
  ).toBeGreaterThanOrEqual(memory.entries.size);
  return process.cpuUsage().user - start;
};

const measureBestPaging = (memory: WorkingMemory): number =>
  Math.min(...Array.from({ length: 5 }, () => measurePaging(memory)));

const putPinnedEntry = (memory: WorkingMemory, key: string, value: Json): WorkingMemory =>
  putEntry(memory, { key, value, pinned: true, at: 1 });

describe('paging', () => {
  it('moves nothing below the limit', () => {
    const memory = createFilledMemory({ a: repeatToLength('a') });
    const paged = pageEntries(memory, { limit: countMemoryTokens(memory) + 1, at: 9 });
    expect(paged).toMatchObject({ moved: [], effects: [], freed: 0, fits: true, freedTooLittle: false });
    expect(paged.memory).toBe(memory);
  });

  it('starts at the limit itself', () => {
    const memory = createFilledMemory({ a: repeatToLength('a'), b: repeatToLength('b') });
    expect(
      pageEntries(memory, { limit: countMemoryTokens(memory), at: 9 }).moved.map(({ key }) => key),
    ).toEqual(['a']);
  });

  it('only counts an entry that is hardly larger than its stub', () => {
    const memory = createFilledMemory({
      tiny: 'a few words',
      large: repeatToLength('l'),
      kept: repeatToLength('k'),
    });
    const paged = pageEntries(memory, { limit: 300, target: 260, at: 9 });
    expect(paged.moved.map(({ key }) => key)).toEqual(['tiny', 'large']);
    expect(listEntries(paged.memory).map(({ key, kind }) => [key, kind])).toEqual([
      ['kept', 'entry'],
      ['moved_to_storage', 'stub'],
      ['large', 'stub'],
    ]);
    expect(findEntry(paged.memory, movedIndexKey)?.value).toEqual({
      entries: 1,
      find_with: 'storage_search',
    });
  });

  it('moves the least recently touched entries and leaves a stub for each [LKJ1-12, LKJ1-14, LKJ2-15, LKJ2-43]', () => {
    const memory = createFilledMemory({
      first: repeatToLength('one '),
      second: repeatToLength('two '),
      third: repeatToLength('three '),
    });
    const paged = pageEntries(memory, { limit: 500, target: 480, at: 9 });
    expect(paged.moved).toEqual([{ key: 'first', tokens: 202, reason: 'least recently used' }]);
    expect(paged.effects).toEqual([
      {
        kind: 'storage-save',
        reason: 'paged',
        entry: { key: 'first', value: repeatToLength('one '), kind: 'entry', savedAt: 9 },
      },
    ]);
    const stub = findEntry(paged.memory, 'first');
    expect(stub).toMatchObject({ kind: 'stub', pinned: false });
    expect(stub?.value).toMatch(/^In storage, 202 tokens; storage_load brings it back\. It begins: one one/);
    expect(findEntry(paged.memory, 'third')?.value).toBe(repeatToLength('three '));
    expect(paged.fits).toBe(true);
    expect(paged.freed).toBe(countMemoryTokens(memory) - countMemoryTokens(paged.memory));
  });

  it("stores a model's summary of the moved entries if there is room for it", () => {
    const memory = createFilledMemory({
      first: repeatToLength('one '),
      second: repeatToLength('two '),
      third: repeatToLength('three '),
    });
    const paged = pageEntries(memory, { limit: 500, at: 9, summary: 'Notes about one and two.' });
    expect(findEntry(paged.memory, movedIndexKey)).toMatchObject({
      kind: 'stub',
      value: { entries: 0, find_with: 'storage_search', about: 'Notes about one and two.' },
    });
    expect(paged.freed).toBe(countMemoryTokens(memory) - countMemoryTokens(paged.memory));
    const repeated = pageEntries(
      putEntry(paged.memory, { key: 'fourth', value: repeatToLength('four '), at: 9 }),
      {
        limit: 300,
        at: 10,
      },
    );
    expect(findEntry(repeated.memory, movedIndexKey)?.value).toMatchObject({
      about: 'Notes about one and two.',
    });
    const tooMany = pageEntries(memory, { limit: 500, at: 9, summary: 'w'.repeat(2_400) });
    expect(tooMany.fits).toBe(true);
    expect(findEntry(tooMany.memory, movedIndexKey)).toBeUndefined();
  });

  it('moves old log entries first, then by age, then the larger of equals', () => {
    let memory = createMemory(memorySettings.lkj);
    memory = putEntry(memory, { key: 'old', value: repeatToLength('o'), at: 1 });
    memory = putEntry(memory, { key: 'small', value: 's'.repeat(600), at: 2 });
    memory = putEntry(memory, { key: 'large', value: 'l'.repeat(900), at: 2 });
    memory = writeLog(memory, 'think', repeatToLength('t'), 3);
    memory = writeLog(memory, 'think', repeatToLength('u'), 4);
    memory = writeLog(memory, 'evaluation', repeatToLength('e'), 5);
    const { moved } = pageEntries(memory, { limit: 10, target: 0, at: 9 });
    expect(moved.map(({ key, reason }) => `${key}: ${reason}`)).toEqual([
      'think_log_001: old log',
      'old: least recently used',
      'large: least recently used',
      'small: least recently used',
      'think_log_002: least recently used',
      'evaluation_log_001: least recently used',
    ]);
  });

  it('archives log entries under keys that later ones do not overwrite', () => {
    const archived = new Set<string>();
    let memory = createMemory(memorySettings.lkj);
    for (let round = 0; round < 5; round += 1) {
      for (const text of ['a', 'b', 'c']) memory = writeLog(memory, 'think', repeatToLength(text), 7);
      const paged = pageEntries(memory, { limit: 100, target: 1, at: 7 });
      for (const { entry } of paged.effects) {
        expect(archived.has(entry.key)).toBe(false);
        expect(entry.key.split(',')).toContain('think_log');
        archived.add(entry.key);
      }
      memory = paged.memory;
    }
    expect(archived.size).toBe(15);
  });

  it('reports when pinned entries leave too little to free', () => {
    let memory = putEntry(createFilledMemory({ a: 'x' }), {
      key: 'pinned',
      value: repeatToLength('p'),
      pinned: true,
      at: 1,
    });
    memory = putEntry(memory, { key: 'b', value: 'y'.repeat(90), at: 1 });
    const paged = pageEntries(memory, { limit: 100, at: 9 });
    expect(paged.fits).toBe(false);
    expect(paged.freedTooLittle).toBe(true);
    expect(findEntry(paged.memory, 'pinned')?.value).toBe(repeatToLength('p'));
  });

  it('keeps pinned entries, loses nothing, and frees enough or reports that it cannot', () => {
    const limits = fc.record({
      limit: fc.integer({ min: 1, max: 2_000 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(anyMemory, limits, (memory, { limit, share }) => {
        const target = Math.floor(limit * share);
        const paged = pageEntries(deepFreeze(memory), { limit, target, at: 99 });
        const saved = new Map(paged.effects.map(({ entry }) => [entry.key, entry.value]));
        for (const { key, value, pinned } of listEntries(memory)) {
          const retained = findEntry(paged.memory, key);
          if (retained?.kind === 'entry') expect(retained.value).toEqual(value);
          else expect(saved.get(key)).toEqual(value);
          if (pinned) expect(retained).toEqual(findEntry(memory, key));
        }
        expect(paged.heldTokens - paged.freed).toBe(countMemoryTokens(paged.memory));
        expect(paged.freed).toBeGreaterThanOrEqual(0);
        expect(paged.fits).toBe(countMemoryTokens(paged.memory) < limit);
        const movable = listEntries(paged.memory).filter(({ kind, pinned }) => kind === 'entry' && !pinned);
        // What is left may be as small as the line that counts it; anything else has been tried.
        if (!paged.fits && paged.moved.length > 0) expect(movable).toEqual([]);
        expect(pageEntries(memory, { limit, target, at: 99 })).toEqual(paged);
      }),
      { numRuns: 300 },
    );
  });

  it('never moves a stub, and keeps a few lines for any number of moves', () => {
    let memory = createMemory(createLimitedSettings(1_000, 2_000));
    let moves = 0;
    const stored = new Set<string>();
    for (let count = 0; count < 2_000; count += 1) {
      memory = putEntry(memory, { key: `entry_${count}`, value: repeatToLength(`${count} `), at: count });
      const paged = pageEntries(memory, { limit: 1_000, at: count });
      for (const { entry } of paged.effects) {
        expect(entry.value).not.toMatch(/^In storage/);
        stored.add(entry.key);
      }
      moves += paged.moved.length;
      memory = paged.memory;
      expect(paged.fits).toBe(true);
    }
    expect(stored.size).toBe(moves);
    const stubs = listEntries(memory).filter(({ kind }) => kind === 'stub');
    expect(stubs.length).toBeLessThanOrEqual(13);
    const counted = findEntry(memory, movedIndexKey)?.value as { readonly entries: number };
    expect(counted.entries + stubs.length - 1).toBe(moves);
  });

  it('brings ten thousand entries under the limit in one run, in linear time', () => {
    const small = createNumberedMemory(2_500);
    const large = createNumberedMemory(10_000);
    for (let warmUp = 0; warmUp < 3; warmUp += 1) measurePaging(small);
    // Four times as many: quadratic work would be sixteen times as much.
    expect(measureBestPaging(large)).toBeLessThan(Math.max(measureBestPaging(small), 2_000) * 10);
  });
});

describe('the hard limit', () => {
  it('makes room for an addition by moving older entries [LKJ1-85]', () => {
    const memory = createFilledMemory(
      { old: repeatToLength('o'), older: repeatToLength('p') },
      createLimitedSettings(300, 560),
    );
    const admitted = admitEntry(memory, { key: 'new', value: repeatToLength('n'), at: 9 });
    if (!admitted.ok) throw new Error(admitted.message);
    expect(admitted.effects.map(({ entry }) => entry.key)).toEqual(['old']);
    expect(findEntry(admitted.memory, 'new')?.value).toBe(repeatToLength('n'));
    expect(countMemoryTokens(admitted.memory)).toBeLessThan(560);
  });

  it('refuses an addition when no room can be made, and changes nothing [RL-11]', () => {
    const memory = putPinnedEntry(
      createFilledMemory({ small: 'x' }, createLimitedSettings(100, 220)),
      'kept',
      repeatToLength('k'),
    );
    const admitted = admitEntry(memory, { key: 'new', value: repeatToLength('n'), at: 9 });
    expect(admitted).toEqual({
      ok: false,
      message:
        'new takes 202 tokens and does not fit: working memory holds 205 tokens, of which 202 are pinned and cannot be moved, ' +
        'and must stay below 220. Use storage_save for it, make it shorter, or remove or unpin something.',
    });
  });

  it('is reached at exactly that number of tokens', () => {
    const settings = createLimitedSettings(100, 60);
    // {"a":"xx…"} of 240 bytes is sixty tokens.
    expect(admitEntry(createFilledMemory({}, settings), { key: 'a', value: 'x'.repeat(232), at: 9 }).ok).toBe(
      false,
    );
    expect(admitEntry(createFilledMemory({}, settings), { key: 'a', value: 'x'.repeat(231), at: 9 }).ok).toBe(
      true,
    );
  });

  it('refuses an entry larger than the limit itself', () => {
    expect(
      admitEntry(createFilledMemory({}, createLimitedSettings(100, 150)), {
        key: 'new',
        value: repeatToLength('n'),
        at: 9,
      }).ok,
    ).toBe(false);
  });

  it('does not apply when it is disabled', () => {
    const settings = { ...createLimitedSettings(100, 150), hardLimit: { enable: false, maxTokens: 150 } };
    expect(
      admitEntry(createFilledMemory({}, settings), { key: 'new', value: repeatToLength('n'), at: 9 }).ok,
    ).toBe(true);
  });

  it('holds for any additions', () => {
    const addition = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      size: fc.nat(1_500),
      pinned: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(addition, { maxLength: 30 }), (additions) => {
        let memory = createMemory(createLimitedSettings(200, 400));
        additions.forEach(({ key, size, pinned: isPinned }, at) => {
          const admitted = admitEntry(memory, { key, value: 'x'.repeat(size), pinned: isPinned, at });
          if (admitted.ok) memory = admitted.memory;
          expect(countMemoryTokens(memory)).toBeLessThan(400);
        });
      }),
    );
  });
});
