import { describe, expect, it } from 'vitest';
import {
  explainUnsafePath,
  foldPath,
  getNullDevice,
  getPlatformPaths,
  getPlatformName,
  toSlashes,
} from '../../src/platform/platform.ts';

describe('a platform', () => {
  it('has a display name', () => {
    expect(
      ['linux', 'darwin', 'win32', 'freebsd'].map((each) => getPlatformName(each as NodeJS.Platform)),
    ).toEqual(['Linux', 'macOS', 'Windows', 'freebsd']);
  });

  it('has its own path rules, and shows paths with slashes', () => {
    expect(getPlatformPaths('win32').join('a', 'b')).toBe(String.raw`a\b`);
    expect(getPlatformPaths('darwin').join('a', 'b')).toBe('a/b');
    expect(toSlashes(String.raw`docs\guides\a.md`, 'win32')).toBe('docs/guides/a.md');
    // A backslash is an ordinary character of a file name elsewhere.
    expect(toSlashes(String.raw`a\b`, 'linux')).toBe(String.raw`a\b`);
    expect(toSlashes(String.raw`a\b`, 'darwin')).toBe(String.raw`a\b`);
  });

  it('has a null device', () => {
    expect(getNullDevice('linux')).toBe('/dev/null');
    expect(getNullDevice('darwin')).toBe('/dev/null');
    expect(getNullDevice('win32')).toBe('NUL');
  });
});

describe('names of the same file', () => {
  it('differ in case alone on every platform', () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const)
      expect(foldPath('.GIT/Config', platform)).toContain('.git/config');
  });

  it('may have characters without width and composed letters on macOS', () => {
    expect(foldPath('.g\u200Cit/config', 'darwin')).toContain('.git/config');
    expect(foldPath('Re\u0301sume\u0301', 'darwin')).toContain('r\u00E9sum\u00E9');
    expect(foldPath('.g\u200Cit/config', 'linux')).not.toContain('.git/config');
  });

  it.each([
    '.git./config',
    '.git /config',
    '.git::$INDEX_ALLOCATION/config',
    '.git. . /config',
    '.git/config:a',
  ])('may be spelled %j on Windows', (path) => {
    expect(foldPath(path, 'win32')).toContain('.git/config');
    expect(foldPath(path, 'linux')).not.toContain('.git/config');
  });

  it('keep dots that lead to the parent folder', () => {
    expect(foldPath('../a', 'win32')).toEqual(['../a', '../a']);
  });
});

describe('an unsafe path', () => {
  it.each([
    ['notes.txt:stream', 'contains a character'],
    ['a/b?.md', 'contains a character'],
    ['src/file.', 'ends with a dot or a space'],
    ['.git /config', 'ends with a dot or a space'],
    ['NUL', 'names a device'],
    ['docs/con.md', 'names a device'],
    [String.raw`docs\COM1`, 'names a device'],
    ['lpt\u00B2.txt', 'names a device'],
    ['conin$', 'names a device'],
  ])('is refused on Windows: %j', (path, why) => {
    expect(explainUnsafePath(path, 'win32')).toContain(why);
    expect(explainUnsafePath(path, 'linux')).toBeNull();
    expect(explainUnsafePath(path, 'darwin')).toBeNull();
  });

  it.each(['README.md', './src/../a b.ts', 'console.log', 'com10.txt', 'nullable.ts', '.env', 'a~1.txt'])(
    'is not %j',
    (path) => {
      expect(explainUnsafePath(path, 'win32')).toBeNull();
    },
  );
});
