import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIgnoreFilter } from '../../src/search/walk.ts';

describe('ignoring', () => {
  it.each([
    { rule: '*.log', path: 'deep/in/a.log', ignored: true },
    { rule: '*.log', path: 'a.log.md', ignored: false },
    { rule: '/top.md', path: 'top.md', ignored: true },
    { rule: '/top.md', path: 'sub/top.md', ignored: false },
    { rule: 'docs/*.md', path: 'docs/a.md', ignored: true },
    { rule: 'docs/*.md', path: 'docs/sub/a.md', ignored: false },
    { rule: 'docs/**/a.md', path: 'docs/x/y/a.md', ignored: true },
    { rule: 'docs/**/a.md', path: 'docs/a.md', ignored: true },
    { rule: '**/tmp', path: 'a/b/tmp', ignored: true },
    { rule: 'only-folders/', path: 'only-folders', ignored: false },
    { rule: '*.py[cod]', path: 'a.pyc', ignored: true },
    { rule: '*.py[cod]', path: 'a.py', ignored: false },
    { rule: 'a?c', path: 'abc', ignored: true },
    { rule: '# *.md', path: '# a.md', ignored: false },
    { rule: '*.md\n!keep.md', path: 'keep.md', ignored: false },
    { rule: '*.md\r\n', path: 'a.md', ignored: true },
    { rule: 'data/**\n!data/keep.md', path: 'data', ignored: false },
    { rule: 'data/**\n!data/keep.md', path: 'data/keep.md', ignored: false },
    { rule: 'data/**\n!data/keep.md', path: 'data/other.md', ignored: true },
    { rule: ' a.md', path: 'a.md', ignored: false },
    { rule: 'a.md  ', path: 'a.md', ignored: true },
    { rule: String.raw`a\ `, path: 'a ', ignored: true },
    { rule: String.raw`\#a`, path: '#a', ignored: true },
    { rule: String.raw`\!a`, path: '!a', ignored: true },
    { rule: '{a,b}', path: 'a', ignored: false },
    { rule: 'README', path: 'readme', ignored: false },
    { rule: '(a+)+$', path: '(a+)+$', ignored: true },
  ])('$rule on $path: $ignored', ({ rule, path, ignored }) => {
    expect(createIgnoreFilter(rule)(path, false)).toBe(ignored);
  });

  it('applies a rule with a trailing slash to folders only', () => {
    expect(createIgnoreFilter('only-folders/')('sub/only-folders', true)).toBe(true);
  });

  it('excludes installed dependencies at any depth, but not a file of that name', () => {
    const ignore = createIgnoreFilter('');
    expect(ignore('packages/a/node_modules', true)).toBe(true);
    expect(ignore('node_modules', false)).toBe(false);
  });

  it('matches a literal name with any characters', () => {
    const name = fc.stringMatching(/^[a-z.+(){}^$|-]{1,20}$/);
    fc.assert(fc.property(name, (path) => createIgnoreFilter(`/${path}`)(path, false)));
  });

  it('evaluates a pathological rule quickly', () => {
    const rule = '*a'.repeat(60);
    expect(createIgnoreFilter(`${rule}b`)('a'.repeat(250), false)).toBe(false);
    expect(createIgnoreFilter(`${'**/a/'.repeat(60)}b`)(`${'a/'.repeat(250)}c`, false)).toBe(false);
    expect(createIgnoreFilter('a'.repeat(100_000))('a', false)).toBe(false);
  });
});
