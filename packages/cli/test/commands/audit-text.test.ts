import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cell, costText, counted, fit } from '../../src/commands/audit-text.ts';

describe('a text in a table', () => {
  it.each([
    ['short', 10, 'short'],
    ['exactly ten', 11, 'exactly ten'],
    ['a text that is too long', 10, 'a text th…'],
    ['雨が降る', 8, '雨が降る'],
    ['雨が降る', 7, '雨が降…'],
    ['雨が降る', 6, '雨が…'],
    ['e\u0301e\u0301e\u0301', 3, 'e\u0301e\u0301e\u0301'],
    ['two\nlines\tand a tab', 30, 'two⏎lines and a tab'],
    ['\u001b[31mred', 20, '\\x1b[31mred'],
    ['', 5, ''],
  ])('%j in %i columns is %j', (text, width, expected) => {
    expect(fit(text, width)).toBe(expected);
  });

  it('never has control characters and is never longer than a few letters for each column', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 500 }),
        fc.integer({ min: 2, max: 80 }),
        (text, width) => {
          const fitted = fit(text, width);
          // oxlint-disable-next-line no-control-regex
          expect(fitted).not.toMatch(/[\u0000-\u001f\u007f]/u);
          expect(fitted.length).toBeLessThanOrEqual(width * 24);
        },
      ),
    );
  });

  it('is filled up on the side it is told', () => {
    expect(cell('ab', 5)).toBe('ab   ');
    expect(cell('ab', 5, 'right')).toBe('   ab');
    expect(cell('雨', 5)).toBe('雨   ');
  });
});

describe('numbers', () => {
  it.each([
    [0, '0 runs'],
    [1, '1 run'],
    [12_345, '12,345 runs'],
  ])('%i is %s', (count, text) => {
    expect(counted(count, 'run')).toBe(text);
  });

  it.each([
    [{ steps: 1, tokens: 1, inputTokens: null, money: null }, '1 step, 1 token'],
    [{ steps: 2_000, tokens: 9_999, inputTokens: null, money: 0.5 }, '2,000 steps, 9,999 tokens for 0.5000'],
    [{ steps: 0, tokens: 123_456, inputTokens: 9, money: 12.345 }, '0 steps, 123k tokens for 12.35'],
    [{ steps: 3, tokens: 4_560_000, inputTokens: 9, money: null }, '3 steps, 4.6M tokens'],
  ])('of a cost %j are written %s', (cost, text) => {
    expect(costText(cost)).toBe(text);
  });
});
