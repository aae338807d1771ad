import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passageLimits } from '../../src/search/limits.ts';
import { splitPassages } from '../../src/search/database.ts';

const splitText = (text: string, isMarkdown = true) => [...splitPassages(text, isMarkdown)];
const createLines = (count: number, word = 'line') =>
  Array.from({ length: count }, (_, index) => `${word} ${index + 1}`);

describe('splitting a text into passages', () => {
  it('keeps a short text whole and counts lines from 1', () => {
    expect(splitText('\n\none\ntwo\n\nfour\n')).toEqual([
      { first: 3, last: 6, headings: [], text: 'one\ntwo\n\nfour' },
    ]);
  });

  it('splits before a heading and records the headings above', () => {
    const text = '# Guide\nintro\n## Set up\nsteps\n### Linux\napt\n## Use\nrun';
    expect(splitText(text).map(({ first, headings }) => ({ first, headings }))).toEqual([
      { first: 1, headings: ['Guide'] },
      { first: 3, headings: ['Guide', 'Set up'] },
      { first: 5, headings: ['Guide', 'Set up', 'Linux'] },
      { first: 7, headings: ['Guide', 'Use'] },
    ]);
  });

  it('keeps a heading with the heading directly below it', () => {
    expect(splitText('# Guide\n\n## Set up\nsteps')).toEqual([
      { first: 1, last: 4, headings: ['Guide', 'Set up'], text: '# Guide\n\n## Set up\nsteps' },
    ]);
  });

  it('ignores headings in code fences and in code', () => {
    expect(splitText('```sh\n# not a heading\n```')[0]?.headings).toEqual([]);
    expect(splitText('x = 1\n# comment\ny = 2', false)).toHaveLength(1);
  });

  it('splits a long text at blank lines', () => {
    const text = [...createLines(12), '', ...createLines(12, 'more')].join('\n');
    expect(splitText(text).map(({ first, last }) => [first, last])).toEqual([
      [1, 12],
      [14, 25],
    ]);
  });

  it('splits after a number of lines if there is no blank line', () => {
    const passages = splitText(createLines(50).join('\n'));
    expect(passages.map(({ first, last }) => [first, last])).toEqual([
      [1, 20],
      [21, 40],
      [41, 50],
    ]);
  });

  it('splits a very long line at spaces, and keeps its number', () => {
    const passages = splitText(`short\n${'word '.repeat(1_000)}\nend`);
    expect(passages.map(({ first, last }) => [first, last])).toEqual([
      [1, 1],
      [2, 2],
      [2, 2],
      [2, 2],
      [3, 3],
    ]);
    expect(passages.every(({ text }) => !/\bwor$|^ord\b/.test(text))).toBe(true);
  });

  it('does not split a character', () => {
    const text = `x${'😀'.repeat(3_000)}`;
    const joined = splitText(text).map((passage) => passage.text);
    expect(joined.every((piece) => piece.isWellFormed())).toBe(true);
    expect(joined.join('')).toBe(text);
  });

  it('separates imports from the code below them', () => {
    const text = "import a from 'a';\nimport {\n  b,\n} from 'b';\n\nexport const c = a(b);";
    expect(splitText(text, false).map(({ first, last }) => [first, last])).toEqual([
      [1, 4],
      [6, 6],
    ]);
  });

  it('accepts both kinds of line endings', () => {
    expect(splitText('one\r\ntwo\r\n')).toEqual([{ first: 1, last: 2, headings: [], text: 'one\ntwo' }]);
  });

  it('loses and moves no line, and keeps every passage small', () => {
    const line = fc.oneof(
      fc.constantFrom('', ' ', '# head', '## sub', '```', "import x from 'x';", '- item', 'x'.repeat(300)),
      fc.string({ maxLength: 40 }).map((text) => text.replace(/[\r\n]/g, '')),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 80 }), fc.boolean(), (all, isMarkdown) => {
        const found = new Map<number, string>();
        for (const { first, text } of splitText(all.join('\n'), isMarkdown)) {
          for (const [index, each] of text.split('\n').entries()) {
            expect(found.has(first + index)).toBe(false);
            found.set(first + index, each);
          }
          expect(text.split('\n').length).toBeLessThanOrEqual(passageLimits.lines);
        }
        for (const [index, each] of all.entries()) {
          if (each.trim() !== '') expect(found.get(index + 1)).toBe(each);
        }
      }),
    );
  });
});
