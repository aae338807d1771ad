import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import {
  truncateLine,
  joinPieces,
  getLineWidth,
  padLine,
  wrapText,
  createSegment,
  justifyLine,
  getLineText,
  getTextWidth,
  wrapLine,
  toPlainLine,
} from '../../src/tui/styled-line.ts';
import { measureCpuMs } from './fixtures/test-screen.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 120 }).map(toPlainLine);
const wideText = fc.string({ unit: fc.constantFrom('a', ' ', '漢', '字', 'é', '🙂', '-'), maxLength: 80 });
const width = fc.integer({ min: 2, max: 40 });

describe('wrapped text', () => {
  it('breaks between words, and within a word that is longer than a row', () => {
    expect(wrapLine('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrapLine('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
    expect(wrapLine('  indented text here', 12)).toEqual(['  indented', 'text here']);
  });

  it('counts characters that take two columns as two', () => {
    expect(wrapLine('漢字漢字', 5)).toEqual(['漢字', '漢字']);
    expect(getTextWidth('漢字🙂')).toBe(6);
  });

  it('has no row wider than the limit, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, wideText), width, (text, columns) => {
        for (const row of wrapLine(text, columns)) expect(getTextWidth(row)).toBeLessThanOrEqual(columns);
      }),
    );
  });

  it('loses nothing but spaces at the ends of rows', () => {
    fc.assert(
      fc.property(wideText, width, (text, columns) => {
        expect(wrapLine(text, columns).join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
        expect(wrapLine(text, columns, 'anywhere').join('')).toBe(text);
      }),
    );
  });

  it('replaces a grapheme that is wider than the screen', () => {
    expect(wrapLine('\u1100'.repeat(50), 10)).toEqual(['�']);
  });

  it('breaks narrow text like any other text', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '-'), maxLength: 80 });
    // The wide characters at the end disable the fast path.
    const end = ' 漢';
    fc.assert(
      fc.property(text, width, fc.constantFrom('words', 'anywhere'), (narrow, columns, breaks) => {
        const long = wrapLine(`${narrow}${end.repeat(columns)}`, columns, breaks).join('|');
        const short = wrapLine(narrow, columns, breaks);
        expect(long.startsWith(short.slice(0, -1).join('|'))).toBe(true);
      }),
    );
  });

  it('takes linear time for a very long line', () => {
    const elapsedMs = measureCpuMs(() => {
      expect(wrapLine('word '.repeat(200_000), 80).length).toBe(12_500);
      expect(wrapLine('x'.repeat(1_000_000), 80).length).toBe(12_500);
      expect(wrapLine('漢'.repeat(50_000), 80).length).toBe(1_250);
    });
    expect(elapsedMs).toBeLessThan(10_000);
  });
});

describe('text width', () => {
  it('agrees with string-width on the fast path', () => {
    const characters = Array.from({ length: 0x2600 - 0x20 }, (_, index) =>
      String.fromCodePoint(0x20 + index),
    );
    for (const character of characters)
      expect([character, getTextWidth(character)]).toEqual([character, stringWidth(character)]);
  });
});

describe('lines', () => {
  it('are truncated with an ellipsis and padded to a width, for any content', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anyText, wideText), { maxLength: 4 }), width, (texts, columns) => {
        const line = texts.map((text) => createSegment(text));
        expect(getLineWidth(truncateLine(line, columns))).toBeLessThanOrEqual(columns);
        expect(getLineWidth(padLine(line, columns))).toBe(columns);
        expect(getLineWidth(justifyLine(line, [createSegment('end')], columns))).toBeLessThanOrEqual(columns);
        expect(
          getLineWidth(
            joinPieces(
              texts.map((text) => [createSegment(text)]),
              columns,
            ),
          ),
        ).toBeLessThanOrEqual(columns);
      }),
    );
    expect(getLineText(truncateLine([createSegment('abcdef')], 4))).toBe('abc…');
  });

  it('are right-aligned at the right end, and truncate the left part', () => {
    expect(getLineText(justifyLine([createSegment('left')], [createSegment('right')], 14))).toBe(
      'left     right',
    );
    expect(getLineText(justifyLine([createSegment('a long left end')], [createSegment('right')], 14))).toBe(
      'a long … right',
    );
  });

  it('hold as many pieces as fit', () => {
    expect(
      getLineText(
        joinPieces([[createSegment('one')], [createSegment('much too long')], [createSegment('two')]], 10),
      ),
    ).toBe('one · two');
  });

  it('keep line breaks of a text', () => {
    expect(wrapText('a\n\nb c', 2)).toEqual(['a', '', 'b', 'c']);
  });
});
