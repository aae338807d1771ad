import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeJsonProblem } from '../../src/memory/memory-action.ts';
import {
  removeEntry,
  createMemory,
  listEntries,
  findEntry,
  countLkjTokens,
  isPagingRequired,
  isPagingDue,
  putEntry,
  countMemoryTokens,
  toMemoryObject,
} from '../../src/memory/memory.ts';
import { memorySettings } from '../../src/memory/settings.ts';
import { countUtf8Bytes } from '../../src/memory/estimate-tokens.ts';
import { anyEntryName, anyValue, createFilledMemory, createLimitedSettings } from './arbitraries.ts';
import { codePoint } from '../helpers/code-point.ts';

describe('working memory', () => {
  it('counts the same tokens as a recount of its whole JSON, after any changes [LKJ2-40, RL-18]', () => {
    const change = fc.record({ key: anyEntryName, value: fc.option(anyValue) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        let memory = createMemory(memorySettings.lkj);
        changes.forEach(({ key, value }, at) => {
          memory = value === null ? removeEntry(memory, key) : putEntry(memory, { key, value, at });
          const json = JSON.stringify(toMemoryObject(memory));
          expect(countMemoryTokens(memory)).toBe(Math.floor(Buffer.byteLength(json) / 4));
          expect(countMemoryTokens(memory)).toBe(countLkjTokens(toMemoryObject(memory)));
          expect(memory.bytes).toBe(listEntries(memory).reduce((sum, { bytes }) => sum + bytes, 0));
        });
      }),
    );
  });

  it('counts the bytes of any text as TextEncoder does', () => {
    const anyText = fc.string({ unit: codePoint });
    fc.assert(
      fc.property(anyText, (text) => {
        expect(countUtf8Bytes(text)).toBe(Buffer.byteLength(text));
      }),
    );
    expect(countUtf8Bytes('\ud800')).toBe(3);
    expect(countUtf8Bytes('a\udc00😀')).toBe(8);
  });

  it('treats any string as an ordinary key, and touches no prototype', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyEntryName, { maxLength: 20 }), (keys) => {
        let memory = createMemory(memorySettings.pawl);
        for (const key of keys) memory = putEntry(memory, { key, value: `of ${key}`, at: 1 });
        for (const key of keys) expect(findEntry(memory, key)?.value).toBe(`of ${key}`);
        const whole = JSON.parse(JSON.stringify(toMemoryObject(memory))) as object;
        expect(Object.keys(whole)).toHaveLength(keys.length);
      }),
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    const memory = createFilledMemory({ ['__proto__']: 'x', a: 'y' });
    expect(
      findEntry(putEntry(memory, { key: '__proto__', value: { polluted: true }, at: 1 }), '__proto__')?.value,
    ).toEqual({ polluted: true });
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it('keeps the order, the age and the pin of an entry that is overwritten', () => {
    let memory = createFilledMemory({ a: 1, b: 2 });
    memory = putEntry(memory, { key: 'a', value: 1, pinned: true, at: 5 });
    memory = putEntry(memory, { key: 'a', value: 3, at: 9 });
    expect(listEntries(memory).map(({ key }) => key)).toEqual(['a', 'b']);
    expect(findEntry(memory, 'a')).toMatchObject({ value: 3, addedAt: 1, touchedAt: 9, pinned: true });
  });

  it('is plain JSON', () => {
    const memory = createFilledMemory({ a: 'x', b: { c: [1] } });
    expect(JSON.parse(JSON.stringify(memory))).toEqual(memory);
  });

  it('needs paging from the limit on, not before, and only if the limit is enabled [LKJ2-14, LKJ2-41, LKJ2-42, RL-18]', () => {
    // {"a":"xx…"} of 40 bytes is ten tokens.
    const memory = createFilledMemory({ a: 'x'.repeat(32) }, createLimitedSettings(10, 11));
    expect(countMemoryTokens(memory)).toBe(10);
    expect(isPagingDue(memory)).toBe(true);
    expect(isPagingRequired(memory)).toBe(false);
    const shorter = createFilledMemory({ a: 'x'.repeat(31) }, createLimitedSettings(10, 11));
    expect(isPagingDue(shorter)).toBe(false);
    const off = {
      ...memory,
      settings: { ...memory.settings, pagingLimit: { enable: false, maxTokens: 10 } },
    };
    expect(isPagingDue(off)).toBe(false);
    expect(isPagingRequired({ ...memory, settings: createLimitedSettings(5, 10) })).toBe(true);
  });
});

const createNestedArrays = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

describe('a storable value', () => {
  const circle: unknown[] = [];
  circle.push(circle);

  it.each([
    ['a circle', circle],
    ['deep nesting', createNestedArrays(5_000)],
    ['NaN', { a: NaN }],
    ['a date', { a: new Date(0) }],
    ['a function', [() => 1]],
    ['undefined', { a: undefined }],
  ])('is not %s', (_, value) => expect(describeJsonProblem(value)).toMatch(/^it /));

  it('is any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(describeJsonProblem(value)).toBeNull();
      }),
    );
    expect(describeJsonProblem(JSON.parse('{"__proto__":{"a":1}}'))).toBeNull();
  });
});
