import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  emptyDictionary,
  getDictionaryValue,
  iterateDictionary,
  deleteDictionaryKey,
  setDictionaryValue,
  type PersistentDictionary,
} from '../../src/memory/persistent-dictionary.ts';
import { deepFreeze } from '../../../governor/test/helpers/deep-freeze.ts';
import { anyEntryName } from './arbitraries.ts';

function createNumberDictionary(size: number): PersistentDictionary<number> {
  let dictionary: PersistentDictionary<number> = emptyDictionary;
  for (let index = 0; index < size; index += 1)
    dictionary = setDictionaryValue(dictionary, `key ${index}`, index);
  return dictionary;
}

/** Every object and array that a value is made of. */
function collectObjects(value: unknown, found = new Set<unknown>()): Set<unknown> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found;
  found.add(value);
  for (const part of Object.values(value)) collectObjects(part, found);
  return found;
}

describe('a dictionary', () => {
  it('holds what a Map would hold, whatever the keys are', () => {
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
    const again = JSON.parse(JSON.stringify(createNumberDictionary(500))) as PersistentDictionary<number>;
    expect(getDictionaryValue(again, 'key 321')).toBe(321);
    expect([...iterateDictionary(again)]).toHaveLength(500);
  });

  it('is empty again when everything is taken out', () => {
    let dictionary = createNumberDictionary(300);
    for (let index = 0; index < 300; index += 1) dictionary = deleteDictionaryKey(dictionary, `key ${index}`);
    expect(dictionary).toEqual(emptyDictionary);
  });

  it('makes a handful of new parts for a change, at ten entries as at ten thousand', () => {
    for (const size of [10, 1_000, 10_000]) {
      const before = createNumberDictionary(size);
      const shared = collectObjects(before);
      const made = [...collectObjects(setDictionaryValue(before, 'new', 1))].filter(
        (part) => !shared.has(part),
      );
      expect(made.length).toBeLessThan(16);
    }
  });
});
