import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { formatCell, truncateColumns } from '../../src/output/columns.ts';

describe('text in a table cell', () => {
  it.each([
    ['short', 10, 'short'],
    ['exactly ten', 11, 'exactly ten'],
    ['a text that is too long', 10, 'a text th…'],
    ['雨が降る', 8, '雨が降る'],
    ['雨が降る', 7, '雨が降…'],
    ['雨が降る', 6, '雨が…'],
    ['e\u0301e\u0301e\u0301', 3, 'e\u0301e\u0301e\u0301'],
    ['👩‍👩‍👧 x', 4, '👩‍👩‍👧 x'],
    ['👩‍👩‍👧👩‍👩‍👧', 3, '👩‍👩‍👧…'],
    ['🇩🇪🇫🇷', 3, '🇩🇪…'],
    ['…·→', 3, '…·→'],
    ['two\nlines\tand a tab', 30, 'two⏎lines and a tab'],
    ['\u001b[31mred', 20, '\\x1b[31mred'],
    ['', 5, ''],
  ])('%j in %i columns is %j', (text, width, expected) => {
    expect(truncateColumns(text, width)).toBe(expected);
  });

  it('has no control characters and at most a few characters per column', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 500 }),
        fc.integer({ min: 2, max: 80 }),
        (text, width) => {
          const fitted = truncateColumns(text, width);
          // oxlint-disable-next-line no-control-regex
          expect(fitted).not.toMatch(/[\u0000-\u001f\u007f]/u);
          expect(fitted.length).toBeLessThanOrEqual(width * 24);
          expect(stringWidth(fitted)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });

  it('is padded on the given side', () => {
    expect(formatCell('ab', 5)).toBe('ab   ');
    expect(formatCell('ab', 5, 'right')).toBe('   ab');
    expect(formatCell('雨', 5)).toBe('雨   ');
  });
});
