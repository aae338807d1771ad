import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalTags, tagsOf } from '../../src/memory/tags.ts';
import { anyName } from './arbitraries.ts';

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
  ])('%j become the key %j', (given, key) => expect(normalTags(given)).toEqual({ key }));

  it.each([[''], ['  '], [' , ,'], [[]], [null], [undefined], [7], [[1]], [{ length: 1 }]])(
    'are missing in %j',
    (given) => expect(normalTags(given)).toHaveProperty('fault', expect.stringMatching(/^it has no tags/)),
  );

  it('are not content', () => {
    expect(normalTags('x'.repeat(501))).toHaveProperty('fault', expect.stringContaining('500 characters'));
  });

  it('are the same when they are written down and read again, and never have white space', () => {
    fc.assert(
      fc.property(fc.array(anyName, { maxLength: 4 }), (names) => {
        const tags = normalTags(names);
        if ('fault' in tags) return;
        expect(normalTags(tags.key)).toEqual(tags);
        expect(normalTags(tagsOf(tags.key).toReversed())).toEqual(tags);
        expect(tags.key).not.toMatch(/[\s\p{Cc}]/u);
        expect(tags.key.isWellFormed()).toBe(true);
      }),
    );
  });
});
