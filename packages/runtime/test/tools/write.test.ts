import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { Json } from '@pawl/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReadTool } from '../../src/tools/read.ts';
import { replaceWorkspaceText } from '../../src/tools/workspace-file.ts';
import { createWorkspace } from '../../src/tools/workspace.ts';
import { createWriteTool } from '../../src/tools/write.ts';
import { createTempFolder, type TempFolder } from '../search/temp-folder.ts';
import { matchRefusal, runTestTool } from './run-test-tool.ts';
import { startLinkSwapper } from './link-swapper.ts';

const runWriteTool = ({ root }: Pick<TempFolder, 'root'>, args: Json, signal?: AbortSignal) =>
  runTestTool(createWriteTool(createWorkspace(root)), args, signal === undefined ? {} : { signal });
const hashText = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('writing a file', () => {
  it('creates it with its parent folders, and reports its content', async () => {
    using folder = createTempFolder();
    expect(await runWriteTool(folder, { path: 'a/b/c.txt', content: 'one\ntwo\n' })).toEqual({
      ok: true,
      output: { path: 'a/b/c.txt', lines: 2, replaced: 'nothing: the file is new' },
      files: [{ path: 'a/b/c.txt', hash: hashText('one\ntwo\n'), diff: '@@ -1,0 +1,2 @@\n+one\n+two' }],
    });
    expect(readFileSync(folder.at('a/b/c.txt'), 'utf8')).toBe('one\ntwo\n');
  });

  it(
    'replaces it atomically, keeps its mode, reports the old content and leaves no temporary file',
    { tags: ['unix'] },
    async () => {
      using folder = createTempFolder({ 'run.sh': 'old\nlines\n' });
      chmodSync(folder.at('run.sh'), 0o755);
      expect(await runWriteTool(folder, { path: './run.sh', content: 'new' })).toMatchObject({
        ok: true,
        output: { path: 'run.sh', lines: 1, replaced: '2 lines, 10 bytes' },
      });
      expect(statSync(folder.at('run.sh')).mode & 0o777).toBe(0o755);
      expect(readdirSync(folder.root)).toEqual(['run.sh']);
      expect(await runWriteTool(folder, { path: 'run.sh', content: 'new' })).toMatchObject({
        output: { replaced: 'the same content' },
      });
    },
  );

  it('does not change another hard link of the same file, which may be outside', async () => {
    using folder = createTempFolder({ 'inner/x': 'x', outside: 'safe' });
    linkSync(folder.at('outside'), folder.at('inner/linked'));
    expect(
      await runWriteTool({ root: folder.at('inner') }, { path: 'linked', content: 'new' }),
    ).toMatchObject({
      ok: true,
    });
    expect(readFileSync(folder.at('outside'), 'utf8')).toBe('safe');
  });

  it('reports the real path of a file that was requested through a link', { tags: ['unix'] }, async () => {
    using folder = createTempFolder({ 'real/a.txt': 'x' });
    symlinkSync('real', folder.at('link'));
    expect(await runWriteTool(folder, { path: 'link/a.txt', content: 'y' })).toMatchObject({
      output: { path: 'link/a.txt' },
      files: [{ path: 'real/a.txt' }],
    });
  });

  it('does not overwrite a file that has changed since it was read', async () => {
    using folder = createTempFolder({ 'a.txt': 'one' });
    const workspace = createWorkspace(folder.root);
    await runTestTool(createReadTool(workspace, workspace), { path: 'a.txt' });
    writeFileSync(folder.at('a.txt'), 'other');
    const args = { path: 'a.txt', content: 'mine' };
    expect(await runTestTool(createWriteTool(workspace), args)).toEqual(
      matchRefusal('failed', /"a\.txt" has changed since it was read\. Read it again/),
    );
    await runTestTool(createReadTool(workspace, workspace), { path: 'a.txt' });
    expect(await runTestTool(createWriteTool(workspace), args)).toMatchObject({ ok: true });
  });

  it('writes any text exactly', async () => {
    using folder = createTempFolder();
    const text = fc.string({ unit: 'grapheme', maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        const result = await runWriteTool(folder, { path: 'any.txt', content });
        expect(result).toMatchObject({ ok: true, files: [{ hash: hashText(content) }] });
        expect(readFileSync(folder.at('any.txt'), 'utf8')).toBe(content);
      }),
      { numRuns: 50 },
    );
  });

  it.each(['-rf', 'a b.txt', "it's", 'ünï—ö', '👍.md', '$(id)', '..x', '__proto__', 'CON', 'a;b|c', ' '])(
    'takes an odd name for a name: %j',
    async (path) => {
      using folder = createTempFolder();
      expect(await runWriteTool(folder, { path, content: 'x' })).toMatchObject({ ok: true });
      expect(readdirSync(folder.root)).toEqual([path]);
    },
  );
});

describe('a file that is not written', () => {
  it.each([
    '../out.txt',
    '/etc/pawl-test',
    'sub/../../out.txt',
    '..',
    '../inner-but-longer/x',
    String.raw`C:\Windows\x`,
    String.raw`\\server\share\x`,
    'c:/x',
  ])('is outside: %s', async (path) => {
    using folder = createTempFolder({ 'inner/sub/x': 'x', 'inner-but-longer/y': 'y' });
    expect(await runWriteTool({ root: folder.at('inner') }, { path, content: 'x' })).toEqual(
      matchRefusal('denied', /is outside/),
    );
    expect(existsSync(folder.at('out.txt'))).toBe(false);
    expect(readdirSync(folder.at('inner-but-longer'))).toEqual(['y']);
  });

  it('is outside behind a link to a file, a folder, or a new folder', { tags: ['unix'] }, async () => {
    using folder = createTempFolder({ 'inner/x': 'x', 'outside/secret': 'safe' });
    symlinkSync(folder.at('outside/secret'), folder.at('inner/file'));
    symlinkSync(folder.at('outside'), folder.at('inner/folder'));
    const inner = { root: folder.at('inner') };
    for (const path of ['file', 'folder/secret', 'folder/new', 'folder/deep/new']) {
      expect(await runWriteTool(inner, { path, content: 'bad' })).toEqual(matchRefusal('denied', /outside/));
    }
    expect(readFileSync(folder.at('outside/secret'), 'utf8')).toBe('safe');
    expect(readdirSync(folder.at('outside'))).toEqual(['secret']);
  });

  it('is a dangling link', { tags: ['unix'] }, async () => {
    using folder = createTempFolder({ 'inner/x': 'x' });
    symlinkSync(folder.at('not-yet'), folder.at('inner/dangling'));
    const result = await runWriteTool({ root: folder.at('inner') }, { path: 'dangling', content: 'bad' });
    expect(result).toMatchObject({ ok: false });
    expect(existsSync(folder.at('not-yet'))).toBe(false);
  });

  it.each([
    [{ path: 'a\0b', content: '' }, 'invalid', /control character/],
    [{ path: 'a\nb', content: '' }, 'invalid', /control character/],
    [{ path: 'a\u001b[2Jb', content: '' }, 'invalid', /control character/],
    [{ path: 'a\ud800', content: '' }, 'invalid', /half a character/],
    [{ path: String.raw`src\a.ts`, content: '' }, 'invalid', /Use "\/" between names/],
    [{ path: 'a', content: 'x\udc00' }, 'invalid', /lone surrogate/],
    [{ path: 'long'.repeat(100), content: '' }, 'invalid', /too long/],
    [{ path: 'a/'.repeat(600) + 'b', content: '' }, 'invalid', /too long/],
    [{ path: 'folder', content: '' }, 'failed', /is a folder/],
    [{ path: '.', content: '' }, 'failed', /is a folder/],
    [{ path: 'file/below', content: '' }, 'failed', /is a file or a link, not a folder/],
    [{ path: 'image', content: '' }, 'failed', /is a binary file\. It was not replaced/],
    [{ path: 'huge', content: '' }, 'failed', /is too large to be text\. It was not replaced/],
    [{ path: '', content: '' }, 'invalid', /Invalid arguments/],
    [{ path: 'a' }, 'invalid', /Invalid arguments/],
  ] as const)('is rejected (%#)', async (args, kind, message) => {
    using folder = createTempFolder({
      file: 'x',
      image: new Uint8Array([0, 1, 2]),
      huge: 'x'.repeat(6_000_000),
    });
    mkdirSync(folder.at('folder'));
    expect(await runWriteTool(folder, args)).toEqual(matchRefusal(kind, message));
    expect(readdirSync(folder.root).toSorted()).toEqual(['file', 'folder', 'huge', 'image']);
  });

  it('was cancelled', async () => {
    using folder = createTempFolder();
    expect(await runWriteTool(folder, { path: 'a', content: 'x' }, AbortSignal.abort())).toEqual(
      matchRefusal('cancelled', /cancelled/),
    );
    expect(readdirSync(folder.root)).toEqual([]);
  });
});

describe('a folder that is replaced by a link while files are written and read', () => {
  // Other systems cannot address a file relative to an open folder.
  it('never lets a write escape', { tags: ['linux'] }, async () => {
    using folder = createTempFolder({ 'inner/x': 'x', 'outside/x': 'x' });
    await using _ = startLinkSwapper(folder);
    const tool = createWriteTool(createWorkspace(folder.at('inner')));
    const kinds = new Set<string>();
    const hasMetBoth = (): boolean => kinds.has('ok') && kinds.size > 1;
    for (let count = 0; count < 400 || (count < 10_000 && !hasMetBoth()); count += 1) {
      const result = await runTestTool(tool, { path: `real/f${count}`, content: 'x' });
      kinds.add(result.ok ? 'ok' : result.error.kind);
    }
    expect(readdirSync(folder.at('outside'))).toEqual(['x']);
    // It was a race, not a wall: some got through to the real folder.
    expect(kinds.has('ok')).toBe(true);
    expect(kinds.size).toBeGreaterThan(1);
  });

  it('never lets a read escape', { tags: ['linux'] }, async () => {
    using folder = createTempFolder({ 'inner/real/x': 'fine', 'outside/x': 'secret' });
    await using _ = startLinkSwapper(folder);
    const tool = createReadTool(createWorkspace(folder.at('inner')));
    const seen = new Set<string>();
    // On a busy machine it can take a while until both the folder and the link have been met.
    const hasMetBoth = (): boolean => seen.size > 1 && [...seen].join().includes('fine');
    for (let count = 0; count < 400 || (count < 40_000 && !hasMetBoth()); count += 1) {
      const result = await runTestTool(tool, { path: 'real/x' });
      seen.add(JSON.stringify(result.ok ? result.output : result.error.kind));
    }
    expect([...seen].join()).toContain('fine');
    expect([...seen].join()).not.toContain('secret');
    expect(seen.size).toBeGreaterThan(1);
  });
});

describe('a file that changes at the moment it is replaced', () => {
  it('is not replaced, and no temporary file is left', async () => {
    using folder = createTempFolder({ a: 'theirs' });
    const replacement = { realPath: folder.at('a'), text: 'mine' };
    for (const expected of ['another version', null]) {
      await expect(replaceWorkspaceText(folder.root, { ...replacement, expected })).rejects.toMatchObject({
        code: 'ESTALE',
      });
    }
    expect(readFileSync(folder.at('a'), 'utf8')).toBe('theirs');
    expect(readdirSync(folder.root)).toEqual(['a']);
  });
});
