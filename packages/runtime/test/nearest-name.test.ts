import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeEditDistance, findNearestName } from '../src/text/nearest-name.ts';

describe('the edit distance between words', () => {
  it.each([
    ['pawl', 'pawl', 0],
    ['pawl', 'pawls', 1],
    ['pawl', 'pwal', 1],
    ['pawl', 'bowl', 2],
    ['pawl', 'ratchet', 3],
  ])('%s and %s: %i', (a, b, slips) => {
    expect(computeEditDistance(a, b, 3)).toBe(slips);
  });

  it('is symmetric, and zero only for equal words', () => {
    const word = fc.stringMatching(/^[abc]{0,6}$/);
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(computeEditDistance(a, b, 3)).toBe(computeEditDistance(b, a, 3));
        expect(computeEditDistance(a, b, 3) === 0).toBe(a === b);
      }),
    );
  });

  it('is not limited unless a limit is given', () => {
    expect(computeEditDistance('pawl', 'ratchet')).toBe(6);
    expect(computeEditDistance('', 'pawl')).toBe(4);
  });
});

describe('the nearest name', () => {
  it('is the one with the fewest edits, where two swapped letters are one edit', () => {
    expect(findNearestName('opanai', ['ollama', 'openai'])).toBe('openai');
    expect(findNearestName('alwol', ['alone', 'allow'], 2)).toBe('allow');
  });

  it('ignores case, and is missing if all names are too different', () => {
    expect(findNearestName('ALLOW', ['deny', 'allow'], 0)).toBe('allow');
    expect(findNearestName('xyz', ['deny', 'allow'], 1)).toBeUndefined();
  });

  it('of a very long input is found at once', () => {
    expect(findNearestName('allow'.repeat(100_000), ['deny', 'allow'])).toBeDefined();
  });
});
