import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeTags, parseTagKey } from '../../src/memory/memory-action.ts';
import { anyEntryName } from './arbitraries.ts';

describe('tags', () => {
  it.each([
    ['character alice personality', 'character_alice_personality'],
    ['  plan ', 'plan'],
    ['b, a', 'a,b'],
    [['b', 'a', 'b'], 'a,b'],
    ['a\tb\nc', 'a_b_c'],
    ['Alice', 'Alice'],
    ['__proto__', '__proto__'],
    ['\ud800', '\ufffd'],
    ['e\u0301', '\u00e9'],
  ])('%j become the key %j', (input, key) => expect(normalizeTags(input)).toEqual({ key }));

  it.each([[''], ['  '], [' , ,'], [[]], [null], [undefined], [7], [[1]], [{ length: 1 }]])(
    'are missing in %j',
    (input) =>
      expect(normalizeTags(input)).toHaveProperty('problem', expect.stringMatching(/^it has no tags/)),
  );

  it('are limited in length', () => {
    expect(normalizeTags('x'.repeat(501))).toHaveProperty(
      'problem',
      expect.stringContaining('500 characters'),
    );
  });

  it('are stable under normalization, and never contain whitespace', () => {
    fc.assert(
      fc.property(fc.array(anyEntryName, { maxLength: 4 }), (names) => {
        const tags = normalizeTags(names);
        if ('problem' in tags) return;
        expect(normalizeTags(tags.key)).toEqual(tags);
        expect(normalizeTags(parseTagKey(tags.key).toReversed())).toEqual(tags);
        expect(tags.key).not.toMatch(/[\s\p{Cc}]/u);
        expect(tags.key.isWellFormed()).toBe(true);
      }),
    );
  });
});
