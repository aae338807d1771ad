import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import { limitDepth, parseTraceTime, estimateJsonLength } from '../../src/traces/trace-fields.ts';
import { getJsonPath } from '../../src/json/json.ts';

function createNestedJson(depth: number): Json {
  return JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as Json;
}

describe('a time', () => {
  it('is read from any date that JavaScript writes', () => {
    const dates = fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(dates, (date) => {
        expect(parseTraceTime(date.toISOString())).toBe(date.getTime());
      }),
    );
  });

  it.each([
    ['2026-03-01T10:00:00+02:00', '2026-03-01T08:00:00Z'],
    ['2026-03-01T10:00:00.123456', '2026-03-01T10:00:00.123Z'],
    ['2026-03-01 10:00', '2026-03-01T10:00:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
  ])('is read from %s', (text, same) => {
    expect(parseTraceTime(text)).toBe(Date.parse(same));
  });

  it.each([
    1_772_359_200,
    1_772_359_200_000,
    1_772_359_200_000_000,
    1_772_359_200_000_000_000,
    '1772359200000000000',
  ])('is read from the number %s', (value) => {
    expect(parseTraceTime(value)).toBe(1_772_359_200_000);
  });

  it.each(['yesterday', '', '2026-13-01', null, true, Number.NaN, -5, []])('is not read from %s', (value) => {
    expect(parseTraceTime(value)).toBeUndefined();
  });
});

describe('the length of a value', () => {
  it('is that of its JSON, where nothing needs escaping', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c') });
    const value = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        letters,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(letters, tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(value, (one) => {
        expect(estimateJsonLength(one)).toBe(JSON.stringify(one).length);
      }),
    );
  });

  it('is counted however deep the value is nested', () => {
    expect(estimateJsonLength(createNestedJson(100_000))).toBe(200_000);
  });
});

describe('a value that is nested too deep', () => {
  it('is truncated at a printable depth', () => {
    const value = limitDepth({ a: createNestedJson(100_000) });
    expect(JSON.stringify(value)).toContain('…');
  });

  it('is unchanged if it is not nested too deep', () => {
    const value = { a: createNestedJson(50) };
    expect(limitDepth(value)).toBe(value);
  });
});

describe('a field', () => {
  it('is one of the value’s own, whatever it is called', () => {
    const value = JSON.parse('{"__proto__":{"polluted":1},"constructor":"mine"}') as Json;
    expect(getJsonPath(value, '__proto__', 'polluted')).toBe(1);
    expect(getJsonPath(value, 'constructor')).toBe('mine');
    expect(getJsonPath({}, 'constructor')).toBeUndefined();
    expect(getJsonPath([], 'length')).toBeUndefined();
    expect(getJsonPath('text', 'length')).toBeUndefined();
  });
});
