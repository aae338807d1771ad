import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toLiteralGlob, parseGlob, parseNameGlob } from '../../src/search/glob.ts';

const matchesGlob = (pattern: string, path: string): boolean | undefined => parseGlob(pattern)?.(path);

describe('a pattern for paths', () => {
  it.each([
    { pattern: 'src/**/*.ts', path: 'src/a/b/c.ts', expected: true },
    { pattern: 'src/**/*.ts', path: 'src/c.ts', expected: true },
    { pattern: '*.ts', path: 'src/c.ts', expected: false },
    { pattern: '**/*.{md,txt}', path: 'docs/a.txt', expected: true },
    { pattern: '{a,b{c,d}}/x', path: 'bd/x', expected: true },
    { pattern: '{a,b{c,d}}/x', path: 'b/x', expected: false },
    { pattern: 'a{b}c', path: 'a{b}c', expected: true },
    { pattern: 'a{b', path: 'a{b', expected: true },
    { pattern: '[a-c]?.ts', path: 'bz.ts', expected: true },
    { pattern: '[!a-c]?.ts', path: 'bz.ts', expected: false },
    { pattern: '[]x]', path: ']', expected: true },
    { pattern: String.raw`a\*b`, path: 'a*b', expected: true },
    { pattern: String.raw`a\*b`, path: 'axb', expected: false },
    { pattern: '**', path: 'any/thing', expected: true },
    { pattern: '?', path: '👍', expected: true },
  ])('$pattern on $path: $expected', ({ pattern, path, expected }) => {
    expect(matchesGlob(pattern, path)).toBe(expected);
  });

  it('made from a path matches only that path', () => {
    const path = fc.stringMatching(/^[a-c*?[\]{}\\,!.-]{1,12}$/);
    fc.assert(
      fc.property(path, path, (one, other) => {
        expect(matchesGlob(toLiteralGlob(one), one)).toBe(true);
        expect(matchesGlob(toLiteralGlob(one), other)).toBe(one === other);
      }),
    );
  });

  it('is rejected if its braces expand to too many patterns', () => {
    expect(parseGlob('{a,b}'.repeat(30))).toBeNull();
  });

  it.each(['[', '{', '\\', '[a', '{a,'])('made of nothing but %s answers at once', (piece) => {
    expect(matchesGlob(piece.repeat(3_000), 'x'.repeat(3_000))).not.toBe(true);
  });

  it('for one word treats a slash as an ordinary character', () => {
    expect(parseNameGlob('src/*')('src/a/b')).toBe(true);
  });
});
