import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeLog, listLogEntries, findLogSlot } from '../../src/memory/logs.ts';
import {
  removeEntry,
  createMemory,
  listEntries,
  findEntry,
  countMemoryTokens,
  type WorkingMemory,
} from '../../src/memory/memory.ts';
import { pageEntries } from '../../src/memory/page-entries.ts';
import { applyMemoryAction } from '../../src/memory/apply-memory-action.ts';
import {
  logNames,
  memorySettings,
  type MemoryLogName,
  type MemorySettings,
} from '../../src/memory/settings.ts';

function createLoggingSettings(maxEntries: number, enable = true): MemorySettings {
  const { logs, ...rest } = memorySettings.lkj;
  const entries = logNames.map((name) => [name, { ...logs[name], maxEntries, enable }]);
  return { ...rest, logs: Object.fromEntries(entries) as MemorySettings['logs'] };
}

function writeTexts(memory: WorkingMemory, name: MemoryLogName, texts: readonly string[]): WorkingMemory {
  return texts.reduce((rest, text, at) => writeLog(rest, name, text, at), memory);
}

const listLogValues = (memory: WorkingMemory, name: MemoryLogName) =>
  listLogEntries(memory, name).map(({ value }) => value);

describe('a log', () => {
  it('is stored in working memory, numbered with three digits from 001 [LKJ1-70, LKJ1-71, LKJ2-29, LKJ2-30, RL-02]', () => {
    const empty = createMemory(memorySettings.lkj);
    const memory = writeTexts(empty, 'think', ['one', 'two']);
    expect(listEntries(memory).map(({ key, value }) => [key, value])).toEqual([
      ['think_log_001', 'one'],
      ['think_log_002', 'two'],
    ]);
    expect(countMemoryTokens(memory)).toBeGreaterThan(countMemoryTokens(empty));
    expect(Object.keys(memory.entries)).not.toContain('think_log_001');
  });

  it.each([
    ['think', 'think_log_001'],
    ['evaluation', 'evaluation_log_001'],
    ['command', 'command_log_001'],
  ] as const)('of the kind %s has its own prefix [LKJ2-25, LKJ2-31, LKJ2-34]', (name, key) => {
    const memory = writeLog(createMemory(memorySettings.lkj), name, 'x', 1);
    expect(findEntry(memory, key)).toMatchObject({ value: 'x', kind: `${name}-log`, addedAt: 1 });
  });

  it('of thoughts has its older prefix in the older profile [LKJ1-98]', () => {
    expect(
      findEntry(writeLog(createMemory(memorySettings.lkj1), 'think', 'x', 1), 'thinking_log_001'),
    ).toBeDefined();
  });

  it('drops 001, moves the others down and writes the newest last when it is full [LKJ1-72, LKJ2-27, RL-04]', () => {
    const memory = writeTexts(createMemory(createLoggingSettings(3)), 'think', ['a', 'b', 'c', 'd']);
    expect(listEntries(memory).map(({ key, value }) => [key, value])).toEqual([
      ['think_log_001', 'b'],
      ['think_log_002', 'c'],
      ['think_log_003', 'd'],
    ]);
  });

  it('holds ten entries by default, the command log as well [LKJ1-97, RL-20]', () => {
    const texts = Array.from({ length: 14 }, (_, index) => `${index}`);
    for (const name of logNames) {
      const memory = writeTexts(createMemory(memorySettings.lkj), name, texts);
      expect(listLogValues(memory, name)).toEqual(texts.slice(4));
      expect(findEntry(memory, `${name}_log_010`)?.value).toBe('13');
    }
  });

  it('closes the gap left by a removed or moved entry', () => {
    const full = writeTexts(createMemory(createLoggingSettings(4)), 'think', ['a', 'b', 'c']);
    const { memory } = applyMemoryAction(full, { type: 'working_memory_remove', tags: 'think_log_001' }, 9);
    expect(listLogEntries(memory, 'think').map(({ key, value }) => [key, value])).toEqual([
      ['think_log_001', 'b'],
      ['think_log_002', 'c'],
    ]);
    const paged = pageEntries(writeTexts(full, 'think', ['x'.repeat(900)]), {
      limit: 200,
      target: 190,
      at: 9,
    });
    expect(paged.moved).not.toEqual([]);
    const keys = listLogEntries(paged.memory, 'think').map(({ key }) => key);
    expect(keys).toEqual(keys.map((_, index) => `think_log_00${index + 1}`));
  });

  it('that is disabled stays empty [LKJ2-26, LKJ2-32, LKJ2-35]', () => {
    for (const name of logNames) {
      const memory = createMemory(createLoggingSettings(3, false));
      expect(writeLog(memory, name, 'x', 1)).toBe(memory);
      expect(listLogValues(writeLog(createMemory(createLoggingSettings(3)), name, 'x', 1), name)).toEqual([
        'x',
      ]);
    }
  });

  it('never exceeds its limit and keeps the newest entries, whatever is removed in between', () => {
    const move = fc.oneof(
      fc.record({ name: fc.constantFrom(...logNames), text: fc.string() }),
      fc.record({ removed: fc.integer({ min: 1, max: 6 }) }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(move, { maxLength: 60 }), (maxEntries, moves) => {
        let memory = createMemory(createLoggingSettings(maxEntries));
        moves.forEach((each, at) => {
          if ('removed' in each) {
            memory = removeEntry(memory, `think_log_00${each.removed}`);
            return;
          }
          const before = listLogValues(memory, each.name);
          memory = writeLog(memory, each.name, each.text, at);
          expect(listLogValues(memory, each.name)).toEqual([...before, each.text].slice(-maxEntries));
          const keys = listLogEntries(memory, each.name).map(({ key }) => key);
          expect(keys).toEqual(keys.map((_, index) => `${each.name}_log_00${index + 1}`));
        });
        expect(memory.entries.size).toBeLessThanOrEqual(3 * maxEntries);
      }),
    );
  });

  it('reserves its keys, under every prefix it has had, and no others', () => {
    const settings = createLoggingSettings(3);
    expect(findLogSlot(settings, 'think_log_007')).toEqual({ name: 'think', slot: 7 });
    expect(findLogSlot(settings, 'thinking_log_00')).toEqual({ name: 'think', slot: 0 });
    expect(findLogSlot(settings, 'command_log_1234')).toEqual({ name: 'command', slot: 1_234 });
    for (const key of ['think_log_', 'think_log_7', 'think_log_00x', 'my_think_log_001', '__proto__']) {
      expect(findLogSlot(settings, key)).toBeNull();
    }
  });
});
