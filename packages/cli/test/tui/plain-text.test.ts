import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureCpuMs } from './fixtures/test-screen.ts';
import { elideMiddle, toPlainText, toPlainLine } from '../../src/tui/styled-line.ts';

/** Characters that a terminal interprets, or that have no width. */
const activePattern = /[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{DI}\p{Zl}\p{Zp}]/u;

describe('plain text', () => {
  it('escapes sequences that would move the cursor, change colors or set the title', () => {
    expect(toPlainLine('\x1b[31mred\x1b[0m')).toBe(String.raw`\x1b[31mred\x1b[0m`);
    expect(toPlainLine('\x1b]0;title\x07')).toBe(String.raw`\x1b]0;title\x07`);
    expect(toPlainLine('\x9b2J')).toBe(String.raw`\x9b2J`);
  });

  it('escapes characters that change the text direction or have no width', () => {
    expect(toPlainLine('a\u202eb')).toBe(String.raw`a\u202eb`);
    expect(toPlainLine('a\u200bb\u00adc')).toBe(String.raw`a\u200bb\u00adc`);
    expect(toPlainLine('a\u{e0041}b')).toBe(String.raw`a\u{e0041}b`);
  });

  it('splits joined emoji, whose width depends on the terminal', () => {
    expect(toPlainLine('👩\u200d💻 ❤\ufe0f')).toBe('👩💻 ❤');
  });

  it('keeps as many combining marks as languages use, and counts the rest', () => {
    expect(toPlainLine('e\u0301')).toBe('e\u0301');
    expect(toPlainLine(`e${'\u0301'.repeat(104)}`)).toBe(`e${'\u0301'.repeat(4)}⟨100 more⟩`);
  });

  it('contains only visible characters and line feeds, for any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(toPlainText(text).replaceAll('\n', '')).not.toMatch(activePattern);
        expect(toPlainLine(text)).not.toMatch(activePattern);
        expect(toPlainLine(text)).not.toContain('\n');
      }),
    );
  });

  it('is unchanged when converted again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(toPlainText(toPlainText(text))).toBe(toPlainText(text));
      }),
    );
  });

  it('takes linear time', () => {
    const million = 1_000_000;
    for (const text of ['\x1b', '\u0301', '\u200b', 'e\u0301\u0301\u0301', '\ud800', '\n']) {
      expect(measureCpuMs(() => toPlainText(text.repeat(million)))).toBeLessThan(5_000);
    }
  });
});

describe('elided text', () => {
  it('keeps both ends and states how much is missing', () => {
    expect(elideMiddle('a'.repeat(75) + 'b'.repeat(50) + 'c'.repeat(25), 100)).toBe(
      `${'a'.repeat(75)}\n… 50 characters not shown …\n${'c'.repeat(25)}`,
    );
    expect(elideMiddle('short', 100)).toBe('short');
  });
});
