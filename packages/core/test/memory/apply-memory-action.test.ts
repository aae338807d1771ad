import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dumpMemory,
  createMemory,
  listEntries,
  findEntry,
  putEntry,
  countMemoryTokens,
  toMemoryObject,
  type WorkingMemory,
  type StoredEntry,
} from '../../src/memory/memory.ts';
import { writeLog, listLogEntries } from '../../src/memory/logs.ts';
import {
  applyLoadResult,
  applyMemoryAction,
  applySearchResult,
} from '../../src/memory/apply-memory-action.ts';
import { memorySettings } from '../../src/memory/settings.ts';
import { deepFreeze } from '../../../governor/test/helpers/deep-freeze.ts';
import { anyAction, anyEntryName, createFilledMemory, createLimitedSettings } from './arbitraries.ts';

const at = 1_000;
const createLkj1Memory = (values: Readonly<Record<string, string>> = {}): WorkingMemory =>
  createFilledMemory(values, memorySettings.lkj1);
const createStoredEntry = (key: string, value: string): StoredEntry => ({
  key,
  value,
  kind: 'entry',
  savedAt: 1,
});
const listCommandLog = (memory: WorkingMemory) => listLogEntries(memory, 'command').map(({ value }) => value);

describe('working_memory_add', () => {
  it('stores a value under its tags [LKJ1-32, LKJ1-46, LKJ1-47, LKJ1-49]', () => {
    const action = {
      type: 'working_memory_add',
      tags: 'character_alice_personality',
      value: 'adventurous, nature-loving, 25 years old',
    };
    const { memory, reply, effects, error } = applyMemoryAction(createLkj1Memory(), action, at);
    expect(toMemoryObject(memory)).toEqual({ character_alice_personality: action.value });
    expect(reply).toBe('Added character_alice_personality to working memory.');
    expect(effects).toEqual([]);
    expect(error).toBeNull();
  });

  it('replaces spaces in tags with underscores [LKJ1-48]', () => {
    const { memory } = applyMemoryAction(
      createLkj1Memory(),
      { type: 'working_memory_add', tags: 'my plan b', value: 'x' },
      at,
    );
    expect(findEntry(memory, 'my_plan_b')?.value).toBe('x');
  });

  it('reports when older entries were moved to storage', () => {
    const memory = createFilledMemory(
      { a: 'x'.repeat(900), b: 'y'.repeat(900) },
      createLimitedSettings(300, 600),
    );
    const { reply, effects, error } = applyMemoryAction(
      memory,
      { type: 'working_memory_add', tags: 'c', value: 'z'.repeat(900) },
      at,
    );
    expect(error).toBeNull();
    expect(reply).toMatch(/To make room, \d older entries went to storage\.$/);
    expect(effects.every(({ kind }) => kind === 'storage-save')).toBe(true);
  });

  it('is refused with a logged error when no room can be made [RL-11, LKJ1-89]', () => {
    const full = putEntry(createMemory(createLimitedSettings(100, 300)), {
      key: 'kept',
      value: 'x'.repeat(1_000),
      pinned: true,
      at: 1,
    });
    const { memory, error, effects } = applyMemoryAction(
      full,
      { type: 'working_memory_add', tags: 'new', value: 'y'.repeat(300) },
      at,
    );
    expect(error?.kind).toBe('refused');
    expect(effects).toEqual([]);
    expect(findEntry(memory, 'new')).toBeUndefined();
    expect(listCommandLog(memory)).toEqual([
      expect.stringMatching(/^working_memory_add new y+…: refused: new takes/),
    ]);
    // What is there can still be worked with.
    expect(applyMemoryAction(memory, { type: 'working_memory_remove', tags: 'kept' }, at).error).toBeNull();
    expect(
      applyMemoryAction(memory, { type: 'storage_save', tags: 'new', value: 'y'.repeat(300) }, at).error,
    ).toBeNull();
  });

  it.each(['think_log_001', 'command_log_010', 'moved_to_storage'])('does not write to %s', (tags) => {
    const { error } = applyMemoryAction(
      createFilledMemory({}),
      { type: 'working_memory_add', tags, value: 'x' },
      at,
    );
    expect(error).toEqual({
      kind: 'invalid',
      message: `${tags} is written by the memory itself. Use other tags.`,
    });
  });
});

describe('working_memory_remove', () => {
  it('removes the whole entry [LKJ1-33, LKJ1-51, LKJ1-52, LKJ1-53, LKJ1-54]', () => {
    const before = createLkj1Memory({ character_bob_old_description: 'x', other: 'y' });
    const { memory, reply } = applyMemoryAction(
      before,
      { type: 'working_memory_remove', tags: 'character_bob_old_description' },
      at,
    );
    expect(toMemoryObject(memory)).toEqual({ other: 'y' });
    expect(countMemoryTokens(memory)).toBe(countMemoryTokens(createLkj1Memory({ other: 'y' })));
    expect(JSON.stringify(memory)).not.toContain('character_bob');
    expect(reply).toBe('Removed character_bob_old_description from working memory.');
  });

  it('reports a missing entry without an error, and suggests similar keys [RL-15]', () => {
    const before = createLkj1Memory({ character_bob: 'x' });
    const { memory, reply, error } = applyMemoryAction(
      before,
      { type: 'working_memory_remove', tags: 'Bob' },
      at,
    );
    expect(memory).toBe(before);
    expect(error).toBeNull();
    expect(reply).toBe('There is no Bob in working memory. There is character_bob.');
  });
});

describe('storage_save', () => {
  it('saves the value of the action [LKJ1-35, LKJ1-61, LKJ1-62]', () => {
    const action = { type: 'storage_save', tags: 'story plot chapter1', value: 'A letter in the attic' };
    const { memory, effects, reply } = applyMemoryAction(createLkj1Memory(), action, at);
    const entry = { key: 'story_plot_chapter1', value: 'A letter in the attic', kind: 'entry', savedAt: at };
    expect(effects).toEqual([{ kind: 'storage-save', reason: 'requested', entry }]);
    expect(reply).toBe('Saved story_plot_chapter1 to storage.');
    expect(listEntries(memory)).toEqual([]);
  });

  it('without a value saves the working-memory entry, and is invalid if there is none [RL-08, LKJ1-43]', () => {
    const before = createLkj1Memory({ plan: 'held' });
    const { effects } = applyMemoryAction(before, { type: 'storage_save', tags: 'plan' }, at);
    expect(effects).toMatchObject([{ entry: { key: 'plan', value: 'held' } }]);
    const both = applyMemoryAction(before, { type: 'storage_save', tags: 'plan', value: 'given' }, at);
    expect(both.effects).toMatchObject([{ entry: { key: 'plan', value: 'given' } }]);
    const none = applyMemoryAction(before, { type: 'storage_save', tags: 'other' }, at);
    expect(none.error).toEqual({
      kind: 'invalid',
      message: 'storage_save needs a value for other, or information with these tags in working memory.',
    });
    const added = applyMemoryAction(before, { type: 'working_memory_add', tags: 'other', value: ' ' }, at);
    expect(added.error?.message).toBe(
      'working_memory_add needs a value: the information that is to be kept.',
    );
  });

  it('never saves a stub', () => {
    const stubbed = putEntry(createLkj1Memory(), { key: 'plan', value: 'In storage', kind: 'stub', at: 1 });
    const { effects, reply, error } = applyMemoryAction(stubbed, { type: 'storage_save', tags: 'plan' }, at);
    expect({ effects, reply, error }).toEqual({
      effects: [],
      reply: 'plan is already in storage.',
      error: null,
    });
  });
});

describe('storage_load', () => {
  const asked = { type: 'storage_load', tags: 'character alice background' };
  const key = 'character_alice_background';

  it('requests the key from storage [LKJ1-56, LKJ1-57, LKJ1-58]', () => {
    const before = createLkj1Memory();
    const { memory, effects, error } = applyMemoryAction(before, asked, at);
    expect(effects).toEqual([{ kind: 'storage-load', key }]);
    expect({ memory, error }).toEqual({ memory: before, error: null });
  });

  it('copies the loaded entry into working memory [LKJ1-34, LKJ1-59]', () => {
    const { memory, reply } = applyLoadResult(
      createLkj1Memory(),
      key,
      createStoredEntry(key, 'grew up by the sea'),
      at,
    );
    expect(toMemoryObject(memory)).toEqual({ [key]: 'grew up by the sea' });
    expect(reply).toBe(`Loaded ${key} into working memory, 12 tokens: grew up by the sea`);
  });

  it('reports a missing entry as a normal outcome [RL-15]', () => {
    const { memory, reply, error } = applyLoadResult(createLkj1Memory(), key, null, at);
    expect(reply).toBe(`There is no ${key} in storage. storage_search finds keys by tags and words.`);
    expect({ entries: listEntries(memory), error }).toEqual({ entries: [], error: null });
    expect(applyLoadResult(createLkj1Memory({ [key]: 'x' }), key, null, at).reply).toMatch(
      /It is in working memory, though\.$/,
    );
  });

  it('replaces the stub with the entry', () => {
    const stubbed = putEntry(createLkj1Memory(), { key, value: 'In storage', kind: 'stub', at: 1 });
    expect(
      findEntry(applyLoadResult(stubbed, key, createStoredEntry(key, 'all of it'), at).memory, key),
    ).toMatchObject({
      kind: 'entry',
      value: 'all of it',
    });
  });
});

const listSearchEffects = (action: object) =>
  applyMemoryAction(createFilledMemory({}), { type: 'storage_search', ...action }, at).effects;

describe('storage_search', () => {
  it('searches by tags, by words, or both', () => {
    expect(listSearchEffects({ tags: 'b,a' })).toEqual([
      { kind: 'storage-search', tags: ['a', 'b'], text: '' },
    ]);
    expect(listSearchEffects({ value: 'the sea' })).toEqual([
      { kind: 'storage-search', tags: [], text: 'the sea' },
    ]);
    expect(listSearchEffects({ tags: 'a', value: 'sea' })).toEqual([
      { kind: 'storage-search', tags: ['a'], text: 'sea' },
    ]);
  });

  it('lists the matches, and stores their keys for a model that sees only its memory', () => {
    const match = [createStoredEntry('alice', 'by the sea'), createStoredEntry('bob', 'by the lake')];
    const { memory, reply } = applySearchResult(createFilledMemory({}), 'by the', match, at);
    expect(reply).toMatch(/^Found 2 in storage.*\nalice: by the sea\nbob: by the lake$/);
    expect(findEntry(memory, 'search_results')?.value).toEqual(['alice', 'bob']);
    const pawl = createMemory(memorySettings.pawl);
    expect(applySearchResult(pawl, 'by the', match, at).memory).toBe(pawl);
    expect(applySearchResult(pawl, 'nothing', [], at).reply).toBe(
      'Nothing in storage matches nothing. Try fewer or other words.',
    );
  });
});

describe('pinning', () => {
  it('prevents paging of an entry until it is unpinned', () => {
    const pinned = applyMemoryAction(
      createFilledMemory({ a: 'x' }),
      { type: 'working_memory_pin', tags: 'a' },
      at,
    ).memory;
    expect(findEntry(pinned, 'a')?.pinned).toBe(true);
    const unpinned = applyMemoryAction(pinned, { type: 'working_memory_unpin', tags: 'a' }, at).memory;
    expect(findEntry(unpinned, 'a')?.pinned).toBe(false);
  });

  it('is invalid for stubs and log entries', () => {
    let memory = applyMemoryAction(createFilledMemory({}), { type: 'working_memory_list' }, at).memory;
    memory = putEntry(memory, { key: 'a', value: 'In storage', kind: 'stub', at: 1 });
    expect(applyMemoryAction(memory, { type: 'working_memory_pin', tags: 'a' }, at).error?.message).toMatch(
      /storage_load/,
    );
    const logPin = applyMemoryAction(memory, { type: 'working_memory_pin', tags: 'command_log_001' }, at);
    expect(logPin.error?.message).toMatch(/part of a log/);
  });
});

describe('an action that cannot be executed', () => {
  const types = 'working_memory_add, working_memory_remove, storage_load, storage_save';
  it.each([
    ['no type', { tags: 'a', value: 'x' }, `The action has no type. The types are ${types}.`],
    ['an unknown type', { type: 'fly', tags: 'a' }, `There is no action "fly". The types are ${types}.`],
    [
      'half of a type',
      { type: 'storage', tags: 'a' },
      `There is no action "storage". The types are ${types}.`,
    ],
    [
      'a type of another profile',
      { type: 'storage_search', tags: 'a' },
      `There is no action "storage_search". The types are ${types}.`,
    ],
    ['no tags', { type: 'storage_load' }, /^storage_load cannot be done: it has no tags\. Give the name/],
    ['no value', { type: 'working_memory_add', tags: 'a' }, /^working_memory_add needs a value/],
    ['no value to save', { type: 'storage_save', tags: 'b' }, /^storage_save needs a value for b/],
    [
      'a value that is no JSON',
      { type: 'working_memory_add', tags: 'a', value: NaN },
      /the number NaN, which JSON cannot/,
    ],
    ['nothing', null, /has no type/],
  ])(
    'because it has %s changes nothing and says what to do [LKJ1-41, LKJ1-42, LKJ1-43, RL-15]',
    (_, action, message) => {
      const before = createLkj1Memory({ a: 'x' });
      const { memory, error, reply, effects } = applyMemoryAction(before, action, at);
      expect(memory).toBe(before);
      expect(error).toEqual({ kind: 'invalid', message: reply });
      expect(effects).toEqual([]);
      if (typeof message === 'string') expect(reply).toBe(message);
      else expect(reply).toMatch(message);
    },
  );
});

describe('the command log', () => {
  it('has a line for every attempt, with type, tags, value and result [LKJ1-50, LKJ1-55, LKJ1-60, LKJ1-65, LKJ1-107, LKJ2-08, LKJ2-36]', () => {
    let { memory } = applyMemoryAction(
      createFilledMemory({}),
      { type: 'working_memory_add', tags: 'a', value: 'x' },
      at,
    );
    memory = applyMemoryAction(memory, { type: 'working_memory_remove', tags: 'a' }, at).memory;
    memory = applyMemoryAction(memory, { type: 'working_memory_remove', tags: 'none' }, at).memory;
    memory = applyMemoryAction(memory, { type: 'fly', tags: 'a' }, at).memory;
    memory = applyMemoryAction(memory, { type: 'storage_save', tags: 'b', value: 'y' }, at).memory;
    memory = applyLoadResult(
      applyMemoryAction(memory, { type: 'storage_load', tags: 'c' }, at).memory,
      'c',
      null,
      at,
    ).memory;
    memory = applyLoadResult(memory, 'd', createStoredEntry('d', 'z'), at).memory;
    expect(listCommandLog(memory)).toEqual([
      'working_memory_add a x: done: Added a to working memory.',
      'working_memory_remove a: done: Removed a from working memory.',
      'working_memory_remove none: done: There is no none in working memory.',
      expect.stringMatching(/^fly a: invalid: There is no action "fly"/),
      'storage_save b y: done: Saved b to storage.',
      expect.stringMatching(/^storage_load c: done: There is no c in storage/),
      expect.stringMatching(/^storage_load d: done: Loaded d into working memory/),
    ]);
  });

  it('stays short for any input', () => {
    const { memory } = applyMemoryAction(
      createFilledMemory({}),
      { type: 'x'.repeat(9_999), tags: 'y'.repeat(9_999), value: 'z'.repeat(9_999) },
      at,
    );
    expect(JSON.stringify(listCommandLog(memory)).length).toBeLessThan(700);
  });
});

describe('inspecting the memory', () => {
  it('lists every entry with its size [LKJ1-109]', () => {
    const memory = putEntry(createFilledMemory({ a: 'one\ntwo', b: { c: 1 } }), {
      key: 'p',
      value: 'x',
      pinned: true,
      at,
    });
    expect(dumpMemory(memory)).toBe('a: one\ntwo\nb: {"c":1}\np: x');
    expect(applyMemoryAction(memory, { type: 'working_memory_list' }, at).reply).toBe(
      'Working memory holds 3 entries, 9 tokens.\na, 3 tokens: one two\nb, 2 tokens: {"c":1}\np, 1 tokens (pinned): x',
    );
  });

  it('shows the think log in order [LKJ1-111]', () => {
    let memory = createFilledMemory({ plan: 'x' });
    for (const text of ['first', 'then', 'at last']) memory = writeLog(memory, 'think', text, at);
    memory = writeLog(memory, 'evaluation', 'well done', at);
    const thoughts = listLogEntries(memory, 'think').map(({ key, value }) => [key, value]);
    expect(thoughts).toEqual([
      ['think_log_001', 'first'],
      ['think_log_002', 'then'],
      ['think_log_003', 'at last'],
    ]);
  });
});

describe('applyMemoryAction', () => {
  it('never throws, counts tokens correctly and stays below the hard limit except for its logs', () => {
    fc.assert(
      fc.property(fc.array(anyAction, { maxLength: 40 }), (actions) => {
        let memory = createMemory({ ...createLimitedSettings(200, 400), logs: memorySettings.pawl.logs });
        actions.forEach((action, time) => {
          const before = deepFreeze(memory);
          const result = applyMemoryAction(before, action, time);
          if (result.error !== null) expect(result.memory).toBe(before);
          expect(result.reply === '' ? result.effects.length : 1).toBe(1);
          memory = result.memory;
          for (const effect of result.effects) {
            if (effect.kind === 'storage-load')
              memory = applyLoadResult(memory, effect.key, createStoredEntry(effect.key, 'x'), time).memory;
            if (effect.kind === 'storage-search')
              memory = applySearchResult(memory, effect.text, [], time).memory;
          }
          expect(countMemoryTokens(memory)).toBeLessThan(400);
        });
        expect(JSON.parse(JSON.stringify(memory))).toEqual(memory);
      }),
    );
  });

  it('finds a value under any spelling of its tags', () => {
    fc.assert(
      fc.property(anyEntryName, (tags) => {
        const { memory, error } = applyMemoryAction(
          createLkj1Memory(),
          { type: 'working_memory_add', tags, value: 'kept' },
          at,
        );
        if (error !== null) return;
        const saved = applyMemoryAction(memory, { type: 'storage_save', tags }, at);
        expect(saved.effects).toMatchObject([{ entry: { value: 'kept' } }]);
        expect(
          listEntries(applyMemoryAction(memory, { type: 'working_memory_remove', tags }, at).memory),
        ).toEqual([]);
      }),
    );
  });
});
