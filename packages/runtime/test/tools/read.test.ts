import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import type { Json } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import { createReadTool } from '../../src/tools/read.ts';
import type { TempFolder } from '../search/temp-folder.ts';
import { createTempFolder } from '../search/temp-folder.ts';

const paths = ['src/wheel.ts', 'src/brake.ts', 'docs/guide.md', 'docs/gauge.md', 'lib/other.ts'];
const runReadTool = (folder: TempFolder, args: Json, signal = new AbortController().signal) =>
  createReadTool({ root: folder.root, paths }).run(args, { signal, report() {} });

const matchRefusal = (kind: string, message: RegExp) => ({
  ok: false,
  error: { kind, message: expect.stringMatching(message) },
});

describe('reading a file', () => {
  it('returns the requested lines with their numbers', async () => {
    using folder = createTempFolder({ 'a.txt': 'one\ntwo\nthree\nfour\n' });
    expect(await runReadTool(folder, { path: 'a.txt', from: 2, to: 3 })).toEqual({
      ok: true,
      output: { path: 'a.txt', from: 2, to: 3, total: null, text: '2: two\n3: three' },
    });
  });

  it('returns a small file completely and reports its number of lines', async () => {
    using folder = createTempFolder({ 'a.txt': 'one\r\n\r\nthree' });
    expect(await runReadTool(folder, { path: './a.txt' })).toEqual({
      ok: true,
      output: { path: 'a.txt', from: 1, to: 3, total: 3, text: '1: one\n2: \n3: three' },
    });
  });

  it('returns no lines for an empty file', async () => {
    using folder = createTempFolder({ 'empty.txt': '' });
    expect(await runReadTool(folder, { path: 'empty.txt' })).toEqual({
      ok: true,
      output: { path: 'empty.txt', from: 1, to: 0, total: 0, text: '' },
    });
  });

  it('truncates a line of ten megabytes and continues after it', async () => {
    using folder = createTempFolder({ 'long.txt': `first\n${'é'.repeat(5_000_000)}\nlast` });
    const outcome = await runReadTool(folder, { path: 'long.txt' });
    expect(outcome).toMatchObject({ ok: true, output: { from: 1, to: 3, total: 3 } });
    const text = outcome.ok ? Reflect.get(Object(outcome.output), 'text') : '';
    expect(text).toMatch(/^1: first\n2: é+ … \[line cut\]\n3: last$/);
    expect(String(text).length).toBeLessThan(2_000);
  });

  it('reads a file of two hundred megabytes without buffering it', async () => {
    using folder = createTempFolder({ 'huge.txt': 'a line\n'.repeat(10_000) });
    truncateSync(folder.at('huge.txt'), 200 * 1024 * 1024);
    const before = process.memoryUsage().arrayBuffers;
    const outcome = await runReadTool(folder, { path: 'huge.txt', from: 9_999, to: 9_999 });
    expect(outcome).toMatchObject({ ok: true, output: { text: '9999: a line', total: null } });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * 1024 * 1024);
  });

  it('stops at its limit and reports where', async () => {
    using folder = createTempFolder({
      'many.txt': 'x\n'.repeat(5_000),
      'wide.txt': `${'y'.repeat(900)}\n`.repeat(100),
    });
    expect(await runReadTool(folder, { path: 'many.txt', from: 11, to: 5_000 })).toMatchObject({
      output: { from: 11, to: 410, total: null },
    });
    expect(await runReadTool(folder, { path: 'wide.txt' })).toMatchObject({
      output: { to: 27, total: null },
    });
  });

  it('follows a link that stays inside', { tags: ['unix'] }, async () => {
    using folder = createTempFolder({ 'real.txt': 'real' });
    symlinkSync('real.txt', folder.at('link.txt'));
    expect(await runReadTool(folder, { path: 'link.txt' })).toMatchObject({
      ok: true,
      output: { path: 'link.txt' },
    });
  });
});

describe('a file that is not read', () => {
  it.each(['../outside.txt', '/etc/hostname', 'sub/../../outside.txt', '..', '../nowhere.txt'])(
    'is outside: %s',
    async (path) => {
      using folder = createTempFolder({ 'inner/sub/a.txt': 'x', 'outside.txt': 'secret' });
      const inner = { ...folder, root: folder.at('inner') };
      expect(await runReadTool(inner, { path })).toEqual(
        matchRefusal('denied', /is outside the folder\. Give a path/),
      );
    },
  );

  it('is outside behind a link, to a file or through a folder', { tags: ['unix'] }, async () => {
    using folder = createTempFolder({ 'inner/a.txt': 'x', 'outside/secret.txt': 'secret' });
    symlinkSync(folder.at('outside/secret.txt'), folder.at('inner/file'));
    symlinkSync(folder.at('outside'), folder.at('inner/folder'));
    const inner = { ...folder, root: folder.at('inner') };
    expect(await runReadTool(inner, { path: 'file' })).toEqual(matchRefusal('denied', /outside/));
    expect(await runReadTool(inner, { path: 'folder/secret.txt' })).toEqual(
      matchRefusal('denied', /outside/),
    );
  });

  it('is not outside because its name starts with two dots', async () => {
    using folder = createTempFolder({ '..notes.txt': 'fine' });
    expect(await runReadTool(folder, { path: '..notes.txt' })).toMatchObject({ ok: true });
  });

  it.each([
    ['src/whele.ts', /There is no file "src\/whele\.ts"\. Try "src\/wheel\.ts"/],
    ['guide.md', /Try "docs\/guide\.md"/],
    ['qqqqqqqq', /There is no file "qqqqqqqq"\. Use search to find the right file\./],
    ['a\0b', /There is no file "a\\u0000b"/],
  ])('is missing, and the most similar paths are named: %j', async (path, message) => {
    using folder = createTempFolder();
    expect(await runReadTool(folder, { path })).toEqual(matchRefusal('failed', message));
  });

  it('has a name that is too long', async () => {
    using folder = createTempFolder();
    const outcome = await runReadTool(folder, { path: 'long'.repeat(2_000) });
    expect(outcome).toEqual(matchRefusal('failed', /ENAMETOOLONG/));
    expect(JSON.stringify(outcome).length).toBeLessThan(500);
  });

  it('is a folder, and files in it are named', async () => {
    using folder = createTempFolder();
    mkdirSync(folder.at('docs'));
    expect(await runReadTool(folder, { path: 'docs/' })).toEqual(
      matchRefusal('failed', /"docs" is a folder\. Try "docs\/guide\.md" or "docs\/gauge\.md"/),
    );
    expect(await runReadTool(folder, { path: '.' })).toEqual(
      matchRefusal('failed', /"\." is a folder\. Try "src\/wheel\.ts"/),
    );
  });

  it('is binary or a pipe', { tags: ['unix'] }, async () => {
    using folder = createTempFolder({ 'a.bin': 'x\0y' });
    execFileSync('mkfifo', [folder.at('pipe')]);
    expect(await runReadTool(folder, { path: 'a.bin' })).toEqual(
      matchRefusal('failed', /"a\.bin" is a binary file/),
    );
    expect(await runReadTool(folder, { path: 'pipe' })).toEqual(
      matchRefusal('failed', /"pipe" is not a regular file/),
    );
  });

  it('has fewer lines than requested', async () => {
    using folder = createTempFolder({ 'a.txt': 'one\ntwo\n' });
    expect(await runReadTool(folder, { path: 'a.txt', from: 9 })).toEqual(
      matchRefusal('failed', /has only 2 lines, so there is no line 9\. Read from 1 to 2\./),
    );
  });

  it.each([
    { path: '' },
    { path: 'a.txt', from: 0 },
    { path: 'a.txt', from: 1.5 },
    { path: 'a.txt', from: 5, to: 2 },
    7,
  ])('was requested with invalid arguments: %j', async (args) => {
    using folder = createTempFolder({ 'a.txt': 'x' });
    expect(await runReadTool(folder, args)).toMatchObject({ ok: false, error: { kind: 'invalid' } });
  });

  it('was cancelled', async () => {
    using folder = createTempFolder();
    writeFileSync(folder.at('a.txt'), 'x');
    expect(await runReadTool(folder, { path: 'a.txt' }, AbortSignal.abort())).toEqual(
      matchRefusal('cancelled', /cancelled/),
    );
  });
});
