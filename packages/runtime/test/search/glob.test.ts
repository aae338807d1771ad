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
    { pattern: 'src/**', path: 'src', expected: true },
    { pattern: '*', path: '.env', expected: true },
    { pattern: '**', path: '.', expected: true },
    { pattern: '**/.ssh/**', path: '../../home/.ssh/id', expected: true },
    { pattern: '../*', path: '../x', expected: true },
    { pattern: 'a/../b', path: 'b', expected: false },
    { pattern: '!a', path: 'b', expected: false },
    { pattern: '#a', path: '#a', expected: true },
    { pattern: '+(a)', path: 'aa', expected: false },
    { pattern: 'a/b', path: String.raw`a\b`, expected: false },
    { pattern: 'A', path: 'a', expected: false },
    { pattern: '[', path: '[', expected: true },
    { pattern: '[]', path: '[]', expected: true },
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

  it.each([
    { pattern: `${'*a'.repeat(60)}b`, path: 'a'.repeat(250) },
    { pattern: `${'**/a/'.repeat(60)}b`, path: `${'a/'.repeat(250)}c` },
    { pattern: `${'**/*a*/'.repeat(60)}b`, path: `${'aaaa/'.repeat(250)}c` },
  ])('with many wildcards is evaluated without backtracking: $pattern', ({ pattern, path }) => {
    expect(matchesGlob(pattern, path)).toBe(false);
    expect(parseNameGlob(pattern)(path)).toBe(false);
  });

  it('is rejected if it is longer than any path', () => {
    expect(parseGlob('a'.repeat(70_000))).toBeNull();
  });

  it('for one word matches dots and the empty word like other words', () => {
    for (const word of ['.', '..', '']) expect(parseNameGlob('*')(word)).toBe(true);
    expect(parseNameGlob('{a,b}')('a')).toBe(false);
  });

  it('for one word treats a slash as an ordinary character', () => {
    expect(parseNameGlob('src/*')('src/a/b')).toBe(true);
  });
});
