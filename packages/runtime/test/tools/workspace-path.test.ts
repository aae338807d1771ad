import { describe, expect, it } from 'vitest';
import { isInsideRoot, leadsOutside } from '../../src/tools/workspace.ts';

const root = String.raw`C:\work`;

describe('a path on Windows', () => {
  it.each([
    [String.raw`C:\work`, true],
    [String.raw`C:\work\a\b`, true],
    [String.raw`C:\working`, false],
    ['C:\\', false],
    [String.raw`D:\work\a`, false],
    [String.raw`\\server\share\a`, false],
    [String.raw`C:\work\..\a`, false],
  ])('%j is inside the root: %s', (path, expected) => {
    expect(isInsideRoot(root, path, 'win32')).toBe(expected);
  });

  it.each([
    ['a.txt', false],
    [String.raw`a\b.txt`, false],
    ['..', true],
    [String.raw`a\..\..\b`, true],
    [String.raw`C:\work\a.txt`, true],
    ['c:/work/a.txt', true],
    ['C:a.txt', true],
    ['D:a.txt', true],
    ['/a.txt', true],
    [String.raw`\a.txt`, true],
    [String.raw`\\server\share`, true],
    ['//server/share', true],
    [String.raw`\\.\pipe\x`, true],
  ])('%j is outside: %s', (path, expected) => {
    expect(leadsOutside(root, path, 'win32')).toBe(expected);
  });
});

describe('a path on other platforms', () => {
  it.each(['linux', 'darwin'] as const)(
    'may hold a colon on %s, and leaves the root by its start or by ".."',
    (platform) => {
      expect(leadsOutside('/work', 'C:a.txt', platform)).toBe(false);
      expect(leadsOutside('/work', String.raw`C:\a.txt`, platform)).toBe(true);
      expect(leadsOutside('/work', '/etc/passwd', platform)).toBe(true);
      expect(leadsOutside('/work', '/work/a', platform)).toBe(false);
      expect(leadsOutside('/work', 'a/../../b', platform)).toBe(true);
    },
  );
});
