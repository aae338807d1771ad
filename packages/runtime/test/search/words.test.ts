import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countSpellingSlips } from '../../src/search/spelling.ts';
import { extractHiddenWords, splitIdentifier, stemWord } from '../../src/search/words.ts';

describe('words', () => {
  it.each([
    ['createHTTPServer', ['create', 'HTTP', 'Server']],
    ['snake_case__name', ['snake', 'case', 'name']],
    ['utf8Decoder', ['utf8', 'Decoder']],
    ['plain', ['plain']],
    ['ÜberGang', ['Über', 'Gang']],
  ])('%s is split into %j', (word, parts) => {
    expect(splitIdentifier(word)).toEqual(parts);
  });

  it.each([
    ['stopping', 'stopped', 'stops', 'stop'],
    ['circle', 'circles', 'circling', 'circled'],
    ['query', 'queries', 'querying', 'queried'],
  ])('%s, %s, %s and %s have the same stem', (...forms) => {
    expect(new Set(forms.map(stemWord)).size).toBe(1);
  });

  it('does not split data', () => {
    expect(extractHiddenWords('aB'.repeat(100))).toBe('');
  });
});

describe('the spelling distance between words', () => {
  it.each([
    ['pawl', 'pawl', 0],
    ['pawl', 'pawls', 1],
    ['pawl', 'pwal', 1],
    ['pawl', 'bowl', 2],
    ['pawl', 'ratchet', 3],
  ])('%s and %s: %i', (a, b, slips) => {
    expect(countSpellingSlips(a, b)).toBe(slips);
  });

  it('is symmetric, and zero only for equal words', () => {
    const word = fc.stringMatching(/^[abc]{0,6}$/);
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(countSpellingSlips(a, b)).toBe(countSpellingSlips(b, a));
        expect(countSpellingSlips(a, b) === 0).toBe(a === b);
      }),
    );
  });
});
