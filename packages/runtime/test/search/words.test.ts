import { describe, expect, it } from 'vitest';
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
