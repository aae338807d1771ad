import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findBestWindow, clipLine, createTermMatcher } from '../../src/search/excerpt.ts';

const selectWindow = (lines: readonly string[], terms: readonly string[], linesMax = 4) => {
  const options = { linesMax, charsMax: 1_000, matches: createTermMatcher(terms), getTermWeight: () => 1 };
  const { start, end } = findBestWindow(lines, options);
  return lines.slice(start, end);
};

describe('which terms a text has', () => {
  it.each([
    ['stops', 'It stopped.', true],
    ['detect', 'The detection of loops', true],
    ['state', 'a statement', false],
    ['user', 'waitingForUser', true],
    ['waitingForUser', 'waiting for the user', true],
    ['small catch', 'It is a small catch.', true],
    ['café', 'CAFE', true],
    ['機械', '状態機械', true],
    ['art', 'start', false],
  ])('%s in %s: %s', (term, text, has) => {
    expect(createTermMatcher([term])(text).has(term)).toBe(has);
  });
});

describe('the best lines', () => {
  it('are the paragraph with the terms', () => {
    const lines = ['Nothing here.', '', 'A pawl', 'stops wheels.', '', 'Nothing there.'];
    expect(selectWindow(lines, ['pawl', 'wheel'])).toEqual(['A pawl', 'stops wheels.']);
  });

  it('have most of the terms rather than one of them often', () => {
    const lines = ['pawl pawl', 'pawl', '', 'a pawl and a wheel', '', 'pawl'];
    expect(selectWindow(lines, ['pawl', 'wheel'], 2)).toEqual(['a pawl and a wheel']);
  });

  it('do not end with a heading', () => {
    expect(selectWindow(['## Pawl', '', 'It catches.'], ['pawl'])).toEqual(['## Pawl', '', 'It catches.']);
  });

  it('are one row of a table when one row has it all', () => {
    expect(selectWindow(['| a | b |', '| pawl | catch |', '| c | d |'], ['pawl'])).toEqual([
      '| pawl | catch |',
    ]);
  });

  it('are the beginning when no line has a term', () => {
    expect(selectWindow(['a', 'b', 'c'], ['pawl'], 2)).toEqual(['a', 'b']);
  });

  it('are no more than asked for, and always some', () => {
    const lines = fc.array(fc.constantFrom('', 'pawl', 'wheel', '# head', '- item', 'x'), { minLength: 1 });
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 8 }), (all, linesMax) => {
        const chosen = selectWindow(all, ['pawl', 'wheel'], linesMax);
        expect(chosen.length).toBeGreaterThan(0);
        expect(chosen.length).toBeLessThanOrEqual(linesMax);
      }),
    );
  });
});

describe('clipping a long line', () => {
  const long = `${'before '.repeat(50)}the pawl stops it${' after'.repeat(50)}`;

  it('keeps the part with the terms and marks what is left out', () => {
    const clipped = clipLine(long, 80, createTermMatcher(['pawl', 'stop']));
    expect(clipped).toMatch(/^….*the pawl stops it.*…$/);
    expect(clipped.length).toBeLessThan(130);
  });

  it('leaves a short line as it is', () => {
    expect(clipLine('  short ', 80, createTermMatcher([]))).toBe('  short ');
  });
});
