import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  emptyDictionary,
  getDictionaryValue,
  iterateDictionary,
  deleteDictionaryKey,
  setDictionaryValue,
  type PersistentDictionary,
} from '../../src/memory/memory.ts';
import { deepFreeze } from '../../../governor/test/helpers/deep-freeze.ts';
import { anyEntryName } from './arbitraries.ts';

function createNumberDictionary(size: number): PersistentDictionary<number> {
  let dictionary: PersistentDictionary<number> = emptyDictionary;
  for (let index = 0; index < size; index += 1)
    dictionary = setDictionaryValue(dictionary, `key ${index}`, index);
  return dictionary;
}

/** Every object and array that a value is made of. */
function collectObjects(value: unknown, match = new Set<unknown>()): Set<unknown> {
  if (typeof value !== 'object' || value === null || match.has(value)) return match;
  match.add(value);
  for (const part of Object.values(value)) collectObjects(part, match);
  return match;
}

describe('a dictionary', () => {
  it('holds the same values as a Map, for any keys', () => {
    const change = fc.record({ key: anyEntryName, value: fc.option(fc.integer()) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
        const map = new Map<string, number>();
        let dictionary: PersistentDictionary<number> = emptyDictionary;
        for (const { key, value } of changes) {
          dictionary = deepFreeze(
            value === null
              ? deleteDictionaryKey(dictionary, key)
              : setDictionaryValue(dictionary, key, value),
          );
          if (value === null) map.delete(key);
          else map.set(key, value);
          expect(getDictionaryValue(dictionary, key)).toBe(map.get(key));
          expect(dictionary.size).toBe(map.size);
        }
        expect([...iterateDictionary(dictionary)].toSorted((a, b) => a - b)).toEqual(
          [...map.values()].toSorted((a, b) => a - b),
        );
      }),
    );
  });

  it('survives a JSON round trip', () => {
    const repeated = JSON.parse(JSON.stringify(createNumberDictionary(500))) as PersistentDictionary<number>;
    expect(getDictionaryValue(repeated, 'key 321')).toBe(321);
    expect([...iterateDictionary(repeated)]).toHaveLength(500);
  });

  it('is empty again when every key is deleted', () => {
    let dictionary = createNumberDictionary(300);
    for (let index = 0; index < 300; index += 1) dictionary = deleteDictionaryKey(dictionary, `key ${index}`);
    expect(dictionary).toEqual(emptyDictionary);
  });

  it('copies a handful of nodes per change, for ten entries as for ten thousand', () => {
    for (const size of [10, 1_000, 10_000]) {
      const before = createNumberDictionary(size);
      const shared = collectObjects(before);
      const created = [...collectObjects(setDictionaryValue(before, 'new', 1))].filter(
        (part) => !shared.has(part),
      );
      expect(created.length).toBeLessThan(16);
    }
  });
});
