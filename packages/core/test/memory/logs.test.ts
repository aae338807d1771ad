import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { log, logEntries, logSlotOf } from '../../src/memory/logs.ts';
import { drop, emptyMemory, entriesOf, findEntry, tokensOf, type Memory } from '../../src/memory/memory.ts';
import { page } from '../../src/memory/page.ts';
import { remember } from '../../src/memory/remember.ts';
import { logNames, memorySettings, type LogName, type MemorySettings } from '../../src/memory/settings.ts';

function settingsWith(maxEntries: number, enable = true): MemorySettings {
  const { logs, ...rest } = memorySettings.lkj;
  const entries = logNames.map((name) => [name, { ...logs[name], maxEntries, enable }]);
  return { ...rest, logs: Object.fromEntries(entries) as MemorySettings['logs'] };
}

function logging(memory: Memory, name: LogName, texts: readonly string[]): Memory {
  return texts.reduce((rest, text, at) => log(rest, name, text, at), memory);
}

const valuesIn = (memory: Memory, name: LogName) => logEntries(memory, name).map(({ value }) => value);

describe('a log', () => {
  it('is kept in working memory, numbered with three digits from 001 [LKJ1-70, LKJ1-71, LKJ2-29, LKJ2-30, RL-02]', () => {
    const empty = emptyMemory(memorySettings.lkj);
    const memory = logging(empty, 'think', ['one', 'two']);
    expect(entriesOf(memory).map(({ key, value }) => [key, value])).toEqual([
      ['think_log_001', 'one'],
      ['think_log_002', 'two'],
    ]);
    expect(tokensOf(memory)).toBeGreaterThan(tokensOf(empty));
    expect(Object.keys(memory.entries)).not.toContain('think_log_001');
  });

  it.each([
    ['think', 'think_log_001'],
    ['evaluation', 'evaluation_log_001'],
    ['command', 'command_log_001'],
  ] as const)('of the kind %s has its own prefix [LKJ2-25, LKJ2-31, LKJ2-34]', (name, key) => {
    const memory = log(emptyMemory(memorySettings.lkj), name, 'x', 1);
    expect(findEntry(memory, key)).toMatchObject({ value: 'x', kind: `${name}-log`, addedAt: 1 });
  });

  it('of thoughts has its older name in the older profile [LKJ1-98]', () => {
    expect(
      findEntry(log(emptyMemory(memorySettings.lkj1), 'think', 'x', 1), 'thinking_log_001'),
    ).toBeDefined();
  });

  it('drops 001, moves the others down and writes the newest last when it is full [LKJ1-72, LKJ2-27, RL-04]', () => {
    const memory = logging(emptyMemory(settingsWith(3)), 'think', ['a', 'b', 'c', 'd']);
    expect(entriesOf(memory).map(({ key, value }) => [key, value])).toEqual([
      ['think_log_001', 'b'],
      ['think_log_002', 'c'],
      ['think_log_003', 'd'],
    ]);
  });

  it('keeps ten entries if nothing else is said, the log of commands as well [LKJ1-97, RL-20]', () => {
    const texts = Array.from({ length: 14 }, (_, index) => `${index}`);
    for (const name of logNames) {
      const memory = logging(emptyMemory(memorySettings.lkj), name, texts);
      expect(valuesIn(memory, name)).toEqual(texts.slice(4));
      expect(findEntry(memory, `${name}_log_010`)?.value).toBe('13');
    }
  });

  it('closes the gap that a removed or moved entry leaves', () => {
    const full = logging(emptyMemory(settingsWith(4)), 'think', ['a', 'b', 'c']);
    const { memory } = remember(full, { type: 'working_memory_remove', tags: 'think_log_001' }, 9);
    expect(logEntries(memory, 'think').map(({ key, value }) => [key, value])).toEqual([
      ['think_log_001', 'b'],
      ['think_log_002', 'c'],
    ]);
    const paged = page(logging(full, 'think', ['x'.repeat(900)]), { limit: 200, target: 190, at: 9 });
    expect(paged.moved).not.toEqual([]);
    const keys = logEntries(paged.memory, 'think').map(({ key }) => key);
    expect(keys).toEqual(keys.map((_, index) => `think_log_00${index + 1}`));
  });

  it('that is switched off stays empty [LKJ2-26, LKJ2-32, LKJ2-35]', () => {
    for (const name of logNames) {
      const memory = emptyMemory(settingsWith(3, false));
      expect(log(memory, name, 'x', 1)).toBe(memory);
      expect(valuesIn(log(emptyMemory(settingsWith(3)), name, 'x', 1), name)).toEqual(['x']);
    }
  });

  it('never has more than its entries and keeps the newest, whatever is removed in between', () => {
    const move = fc.oneof(
      fc.record({ name: fc.constantFrom(...logNames), text: fc.string() }),
      fc.record({ removed: fc.integer({ min: 1, max: 6 }) }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(move, { maxLength: 60 }), (maxEntries, moves) => {
        let memory = emptyMemory(settingsWith(maxEntries));
        moves.forEach((each, at) => {
          if ('removed' in each) {
            memory = drop(memory, `think_log_00${each.removed}`);
            return;
          }
          const before = valuesIn(memory, each.name);
          memory = log(memory, each.name, each.text, at);
          expect(valuesIn(memory, each.name)).toEqual([...before, each.text].slice(-maxEntries));
          const keys = logEntries(memory, each.name).map(({ key }) => key);
          expect(keys).toEqual(keys.map((_, index) => `${each.name}_log_00${index + 1}`));
        });
        expect(memory.entries.size).toBeLessThanOrEqual(3 * maxEntries);
      }),
    );
  });

  it('owns its keys, under any name it ever had, and no others', () => {
    const settings = settingsWith(3);
    expect(logSlotOf(settings, 'think_log_007')).toEqual({ name: 'think', slot: 7 });
    expect(logSlotOf(settings, 'thinking_log_00')).toEqual({ name: 'think', slot: 0 });
    expect(logSlotOf(settings, 'command_log_1234')).toEqual({ name: 'command', slot: 1_234 });
    for (const key of ['think_log_', 'think_log_7', 'think_log_00x', 'my_think_log_001', '__proto__']) {
      expect(logSlotOf(settings, key)).toBeNull();
    }
  });
});
