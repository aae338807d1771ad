import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  emptyDictionary,
  valueAt,
  valuesOf,
  withoutKey,
  withValue,
  type Dictionary,
} from '../../src/memory/dictionary.ts';
import { frozen } from '../helpers/frozen.ts';
import { anyName } from './arbitraries.ts';

function of(size: number): Dictionary<number> {
  let dictionary: Dictionary<number> = emptyDictionary;
  for (let index = 0; index < size; index += 1) dictionary = withValue(dictionary, `key ${index}`, index);
  return dictionary;
}

/** Every object and array that a value is made of. */
function partsOf(value: unknown, found = new Set<unknown>()): Set<unknown> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found;
  found.add(value);
  for (const part of Object.values(value)) partsOf(part, found);
  return found;
}

describe('a dictionary', () => {
  it('holds what a Map would hold, whatever the keys are', () => {
    const change = fc.record({ key: anyName, value: fc.option(fc.integer()) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
        const map = new Map<string, number>();
        let dictionary: Dictionary<number> = emptyDictionary;
        for (const { key, value } of changes) {
          dictionary = frozen(
            value === null ? withoutKey(dictionary, key) : withValue(dictionary, key, value),
          );
          if (value === null) map.delete(key);
          else map.set(key, value);
          expect(valueAt(dictionary, key)).toBe(map.get(key));
          expect(dictionary.size).toBe(map.size);
        }
        expect([...valuesOf(dictionary)].toSorted((a, b) => a - b)).toEqual(
          [...map.values()].toSorted((a, b) => a - b),
        );
      }),
    );
  });

  it('survives a JSON round trip', () => {
    const again = JSON.parse(JSON.stringify(of(500))) as Dictionary<number>;
    expect(valueAt(again, 'key 321')).toBe(321);
    expect([...valuesOf(again)]).toHaveLength(500);
  });

  it('is empty again when everything is taken out', () => {
    let dictionary = of(300);
    for (let index = 0; index < 300; index += 1) dictionary = withoutKey(dictionary, `key ${index}`);
    expect(dictionary).toEqual(emptyDictionary);
  });

  it('makes a handful of new parts for a change, at ten entries as at ten thousand', () => {
    for (const size of [10, 1_000, 10_000]) {
      const before = of(size);
      const shared = partsOf(before);
      const made = [...partsOf(withValue(before, 'new', 1))].filter((part) => !shared.has(part));
      expect(made.length).toBeLessThan(16);
    }
  });
});
