import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parseMemoryDocument,
  type LkjMemory,
  formatMemoryDocument,
} from '../../../src/memory/lkj/document.ts';
import type { LkjProfile } from '../../../src/memory/lkj/config.ts';
import { writeLog, listLogEntries } from '../../../src/memory/logs.ts';
import {
  createMemory,
  listEntries,
  findEntry,
  putEntry,
  countMemoryTokens,
  toMemoryObject,
} from '../../../src/memory/memory.ts';
import { pageEntries } from '../../../src/memory/page-entries.ts';
import { applyLoadResult, applyMemoryAction } from '../../../src/memory/apply-memory-action.ts';
import { memorySettings } from '../../../src/memory/settings.ts';
import { anyAction, createFilledMemory, createLimitedSettings } from '../arbitraries.ts';

function parseDocument(document: unknown, profile: LkjProfile = 'lkj') {
  return parseMemoryDocument(document, { profile, settings: memorySettings[profile], at: 50 });
}

const sampleDocument = {
  working_memory: { key1: 'value1', key2: 'value2' },
  storage: { persistent_key1: 'persistent_value1' },
  state: 'thinking',
  thinking_log_001: 'First reasoning entry',
  thinking_log_002: 'Second reasoning entry',
};

describe('a memory document', () => {
  it('has working memory, storage and a state, and in the older profile its logs at the top level [LKJ1-73..76]', () => {
    let memory = createFilledMemory({ key1: 'value1', key2: 'value2' }, memorySettings.lkj1);
    memory = writeLog(memory, 'think', 'First reasoning entry', 3);
    memory = writeLog(memory, 'think', 'Second reasoning entry', 4);
    const storage = [
      { key: 'persistent_key1', value: 'persistent_value1', kind: 'entry', savedAt: 1 } as const,
    ];
    const document = formatMemoryDocument({ memory, storage, state: 'thinking', extra: {} }, 'lkj1');
    const { pawl, ...rest } = document;
    expect(rest).toEqual(sampleDocument);
    expect(pawl).toMatchObject({ version: 1 });
    expect(parseDocument(document, 'lkj1')).toEqual({
      memory,
      storage,
      state: 'thinking',
      extra: {},
      warnings: [],
    });
  });

  it('with its logs at the top level is read with the logs in working memory [LKJ1-66, RL-03]', () => {
    const { memory, storage, state, warnings } = parseDocument(sampleDocument, 'lkj1');
    expect(toMemoryObject(memory)).toEqual({
      ...sampleDocument.working_memory,
      thinking_log_001: sampleDocument.thinking_log_001,
      thinking_log_002: sampleDocument.thinking_log_002,
    });
    expect(countMemoryTokens(memory)).toBeGreaterThan(
      countMemoryTokens(createFilledMemory(sampleDocument.working_memory)),
    );
    expect(storage).toEqual([
      { key: 'persistent_key1', value: 'persistent_value1', kind: 'entry', savedAt: 50 },
    ]);
    expect({ state, warnings }).toEqual({ state: 'thinking', warnings: [] });
    const newer = parseDocument(sampleDocument, 'lkj').memory;
    expect(listLogEntries(newer, 'think').map(({ key, value }) => [key, value])).toEqual([
      ['think_log_001', 'First reasoning entry'],
      ['think_log_002', 'Second reasoning entry'],
    ]);
  });

  it('of the newer profile has its logs in working memory, and storage beside it [LKJ2-29, LKJ2-39]', () => {
    const memory = writeLog(createFilledMemory({ a: 'x' }), 'evaluation', 'good', 3);
    const storage = [{ key: 'b', value: 'y', kind: 'entry', savedAt: 1 } as const];
    const document = formatMemoryDocument({ memory, storage, state: 'evaluating', extra: {} }, 'lkj');
    expect(document['working_memory']).toEqual({ a: 'x', evaluation_log_001: 'good' });
    expect(document['storage']).toEqual({ b: 'y' });
    expect(Object.keys(document)).toEqual(['working_memory', 'storage', 'state', 'pawl']);
  });

  it.each([
    ['lkj1', 'executing', 'executing'],
    ['lkj', 'evaluating', 'evaluating'],
    ['lkj', 'executing', 'commanding'],
    ['lkj1', 'commanding', 'executing'],
    ['lkj', ' thinking ', 'thinking'],
    ['lkj', 'paging', 'thinking'],
    ['lkj1', 'paging', 'thinking'],
  ] as const)('for %s in the state %j resumes in %j [LKJ1-66, RL-05]', (profile, written, state) => {
    expect(parseDocument({ ...sampleDocument, state: written }, profile)).toMatchObject({
      state,
      warnings: [],
    });
  });

  it('without a state starts in thinking with a warning [LKJ1-67, RL-06]', () => {
    const { state: _, ...stateless } = sampleDocument;
    expect(parseDocument(stateless)).toMatchObject({
      state: 'thinking',
      warnings: ['The memory document has no state; resetting to thinking.'],
    });
  });

  it.each([
    [
      'lkj1',
      'evaluating',
      'The state "evaluating" is not one of thinking, executing; resetting to thinking.',
    ],
    ['lkj1', 'dreaming', 'The state "dreaming" is not one of thinking, executing; resetting to thinking.'],
    [
      'lkj',
      '__proto__',
      'The state "__proto__" is not one of thinking, commanding, evaluating; resetting to thinking.',
    ],
    ['lkj', 7, 'The state of the memory document is not a string; resetting to thinking.'],
  ] as const)(
    'for %s with the state %j is reset to thinking with a warning [LKJ1-81..83]',
    (profile, state, warning) => {
      expect(parseDocument({ ...sampleDocument, state }, profile)).toMatchObject({
        state: 'thinking',
        warnings: [warning],
      });
    },
  );

  it('closes the gaps of blanked log entries and reads two-digit numbers', () => {
    const working_memory = {
      thinking_log_00: 'a',
      thinking_log_01: '',
      thinking_log_02: {},
      thinking_log_03: 'b',
    };
    const { memory } = parseDocument({ working_memory, storage: {}, state: 'thinking' });
    expect(listLogEntries(memory, 'think').map(({ value }) => value)).toEqual(['a', 'b']);
  });

  it('with more log entries than the limit warns how many were dropped', () => {
    const logs = Array.from({ length: 12 }, (_, index) => [
      `think_log_${String(index + 1).padStart(3, '0')}`,
      `${index}`,
    ]);
    const { memory, warnings } = parseDocument({
      ...sampleDocument,
      working_memory: Object.fromEntries(logs),
      thinking_log_001: '',
      thinking_log_002: '',
    });
    expect(listLogEntries(memory, 'think').map(({ value }) => value)).toEqual(
      logs.slice(2).map(([, value]) => value),
    );
    expect(warnings).toEqual(['The think log held 2 more entries than its limit; the oldest were dropped.']);
  });

  it('preserves unknown keys', () => {
    const input = {
      ...sampleDocument,
      project: { name: 'x' },
      notes: [1],
      ...JSON.parse('{"__proto__":{"a":1}}'),
    };
    const { extra, ...rest } = parseDocument(input, 'lkj1');
    expect(JSON.stringify(extra)).toBe('{"project":{"name":"x"},"notes":[1],"__proto__":{"a":1}}');
    const { pawl: _, ...written } = formatMemoryDocument({ ...rest, extra }, 'lkj1');
    expect(JSON.parse(JSON.stringify(written))).toEqual(JSON.parse(JSON.stringify(input)));
    expect(Object.prototype).not.toHaveProperty('a');
  });

  it('warns about missing sections', () => {
    expect(parseDocument({}).warnings).toEqual([
      'The memory document has no working_memory; starting with an empty one.',
      'The memory document has no state; resetting to thinking.',
      'The memory document has no storage; starting with an empty one.',
    ]);
  });

  it.each([
    [null, 'This is not a memory document: expected a JSON object.'],
    [[1], 'This is not a memory document: expected a JSON object.'],
    [{ working_memory: [] }, 'This is not a memory document: expected an object as working_memory.'],
    [{ working_memory: {}, storage: 'x' }, 'This is not a memory document: expected an object as storage.'],
  ])('rejects %j', (input, message) => expect(() => parseDocument(input)).toThrow(new TypeError(message)));

  it('loses no entry when names normalize to the same key', () => {
    const { memory, storage } = parseDocument({
      ...sampleDocument,
      working_memory: { 'a b': 1, a_b: 2, '': 3, ['x'.repeat(600)]: 4 },
      storage: { 'c d': 1, c_d: 2 },
    });
    expect(
      listEntries(memory)
        .filter(({ kind }) => kind === 'entry')
        .map(({ value }) => value),
    ).toEqual([1, 2, 3, 4]);
    expect(storage.map(({ key }) => key)).toEqual(['c_d', 'c_d,copy_2']);
  });

  it('treats entries added by hand as the newest', () => {
    const document = formatMemoryDocument(
      { memory: createFilledMemory({ a: 1, b: 2 }), storage: [], state: 'thinking', extra: {} },
      'lkj',
    );
    const edited = { ...document, working_memory: { hand: 0, ...(document['working_memory'] as object) } };
    const { memory } = parseDocument(edited);
    expect(listEntries(memory).map(({ key, order }) => [key, order])).toEqual([
      ['a', 1],
      ['b', 2],
      ['hand', 3],
    ]);
  });

  it('round-trips memory, storage and state after any actions, in both profiles', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('lkj', 'lkj1'),
        fc.array(anyAction, { maxLength: 25 }),
        (profile, actions) => {
          const settings = {
            ...memorySettings[profile],
            hardLimit: createLimitedSettings(100, 300).hardLimit,
          };
          let memory = createMemory(settings);
          actions.forEach((action, at) => {
            memory = writeLog(applyMemoryAction(memory, action, at).memory, 'think', `thought ${at}`, at);
            if (at % 7 === 6) memory = pageEntries(memory, { limit: 100, at }).memory;
          });
          memory = applyLoadResult(
            memory,
            'x',
            { key: 'x', value: { deep: ['y'] }, kind: 'entry', savedAt: 1 },
            99,
          ).memory;
          const whole: LkjMemory = {
            memory,
            storage: [
              { key: '__proto__', value: 'p', kind: 'conversation', savedAt: 5 },
              { key: 'a,b', value: { c: 1 }, kind: 'think-log', savedAt: 6 },
            ],
            state: 'thinking',
            extra: { more: [1, 2] },
          };
          const json = JSON.stringify(formatMemoryDocument(whole, profile));
          const {
            warnings,
            memory: repeated,
            ...rest
          } = parseMemoryDocument(JSON.parse(json), { profile, settings, at: 1_000 });
          expect(warnings).toEqual([]);
          expect(listEntries(repeated)).toEqual(listEntries(memory));
          expect({ ...repeated, entries: null }).toEqual({ ...memory, entries: null });
          expect({ ...rest, memory }).toEqual(whole);
          expect(JSON.stringify(formatMemoryDocument({ ...rest, memory: repeated }, profile))).toBe(json);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('parses any input or throws one error', () => {
    const loose = fc.record(
      { working_memory: fc.anything(), storage: fc.anything(), state: fc.anything(), pawl: fc.anything() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.anything(), loose), (input) => {
        try {
          const { memory } = parseDocument(input);
          expect(countMemoryTokens(memory)).toBeGreaterThanOrEqual(0);
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
          expect((error as TypeError).message).toMatch(/^This is not a memory document: /);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('stubs and pins', () => {
  it('survive a restart', () => {
    let memory = createFilledMemory(
      { a: 'x'.repeat(900), b: 'y'.repeat(900) },
      createLimitedSettings(200, 600),
    );
    memory = putEntry(memory, { key: 'b', value: 'y'.repeat(900), pinned: true, at: 9 });
    memory = pageEntries(memory, { limit: 400, at: 10 }).memory;
    const document = formatMemoryDocument({ memory, storage: [], state: 'thinking', extra: {} }, 'lkj');
    const repeated = parseDocument(JSON.parse(JSON.stringify(document))).memory;
    expect(findEntry(repeated, 'a')).toEqual(findEntry(memory, 'a'));
    expect(findEntry(repeated, 'a')?.kind).toBe('stub');
    expect(findEntry(repeated, 'b')?.pinned).toBe(true);
  });
});
