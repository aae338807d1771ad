import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import type { Json } from '@pawl/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startCpuTimer } from '../../../../scripts/testing/cpu-time.ts';
import { createEditTool } from '../../src/tools/edit.ts';
import { formatFileDiff, toReviewedChange } from '../../src/tools/file-diff.ts';
import { createReadTool } from '../../src/tools/read.ts';
import { createWorkspace } from '../../src/tools/workspace.ts';
import { createTempFolder, type TempFolder } from '../search/temp-folder.ts';
import { matchRefusal, runTestTool } from './run-test-tool.ts';

const runEditTool = ({ root }: Pick<TempFolder, 'root'>, args: Json) =>
  runTestTool(createEditTool(createWorkspace(root, ['src/wheel.ts'])), args);
const readFolderText = (folder: TempFolder, path = 'a.txt'): string => readFileSync(folder.at(path), 'utf8');

const createLines = (from: number, count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${from + index}\n`).join('');

const previewEdit = (folder: TempFolder, args: Json) =>
  createEditTool(createWorkspace(folder.root, [])).preview?.(args);

describe('the preview of an edit', () => {
  it('is the file before and after, and nothing is written', async () => {
    using folder = createTempFolder({ 'a.txt': 'one\r\ntwo\r\n' });
    const change = await previewEdit(folder, { path: 'a.txt', old: 'one\ntwo', new: '1\n2' });
    expect(change).toEqual({ path: 'a.txt', before: 'one\r\ntwo\r\n', after: '1\r\n2\r\n' });
    expect(change && toReviewedChange(change)).toEqual({
      path: 'a.txt',
      linesBefore: 2,
      linesAfter: 2,
      diff: '@@ -1,2 +1,2 @@\n-one\n-two\n+1\n+2',
    });
    expect(readFolderText(folder)).toBe('one\r\ntwo\r\n');
  });

  it('shows a change of the line endings alone', () => {
    expect(formatFileDiff({ path: 'a', before: 'a\r\n', after: 'a\n' })).toBe('@@ -1,1 +1,1 @@\n-a\r\n+a');
  });

  it('is null if the edit would fail', async () => {
    using folder = createTempFolder({ 'a.txt': 'x x' });
    for (const args of [
      { path: 'a.txt', old: 'y', new: 'z' },
      { path: 'a.txt', old: 'x', new: 'z' },
      { path: 'none.txt', old: 'x', new: 'z' },
      { path: '../a.txt', old: 'x', new: 'z' },
      { path: 7 },
    ]) {
      expect(await previewEdit(folder, args)).toBeNull();
    }
  });

  it('is cut or left out if it is too large', () => {
    const cut = formatFileDiff({ path: 'a', before: null, after: createLines(0, 1_900) }, 1_000);
    expect(cut).toMatch(/\n… \d+ more lines of the diff$/);
    expect(cut?.length).toBeLessThan(1_050);
    expect(
      formatFileDiff({ path: 'a', before: createLines(0, 3_000), after: createLines(9_000, 3_000) }),
    ).toBeNull();
  });
});

describe('editing a file', () => {
  it('replaces a unique text, and shows the surrounding lines', async () => {
    using folder = createTempFolder({ 'a.txt': 'one\ntwo\nthree\nfour\nfive\n' });
    expect(await runEditTool(folder, { path: 'a.txt', old: 'three', new: '3' })).toMatchObject({
      ok: true,
      output: { path: 'a.txt', replacements: 1, now: '1: one\n2: two\n3: 3\n4: four\n5: five' },
      files: [
        {
          path: 'a.txt',
          hash: expect.stringMatching(/^[\da-f]{64}$/) as unknown,
          diff: '@@ -1,5 +1,5 @@\n one\n two\n-three\n+3\n four\n five',
        },
      ],
    });
    expect(readFolderText(folder)).toBe('one\ntwo\n3\nfour\nfive\n');
  });

  it('replaces all occurrences on request', async () => {
    using folder = createTempFolder({ 'a.txt': 'x y x y x' });
    expect(await runEditTool(folder, { path: 'a.txt', old: 'x', new: 'xx', all: true })).toMatchObject({
      output: { replacements: 3 },
    });
    expect(readFolderText(folder)).toBe('xx y xx y xx');
  });

  it('treats the new text literally', async () => {
    using folder = createTempFolder({ 'a.txt': 'price' });
    await runEditTool(folder, { path: 'a.txt', old: 'price', new: "$& $1 $` $' $$" });
    expect(readFolderText(folder)).toBe("$& $1 $` $' $$");
  });

  it('matches and preserves CRLF line endings', async () => {
    using folder = createTempFolder({ 'a.txt': '\ufeffone\r\ntwo\r\nthree\r\n' });
    expect(await runEditTool(folder, { path: 'a.txt', old: 'one\ntwo', new: '1\n2' })).toMatchObject({
      ok: true,
    });
    expect(readFolderText(folder)).toBe('\ufeff1\r\n2\r\nthree\r\n');
  });

  it('equals splitting and joining the text', async () => {
    using folder = createTempFolder();
    const piece = fc.stringMatching(/^[ab\n]{0,6}$/);
    await fc.assert(
      fc.asyncProperty(piece, piece, piece, async (before, after, put) => {
        writeFileSync(folder.at('a.txt'), `${before}#OLD#${after}`);
        await runEditTool(folder, { path: 'a.txt', old: '#OLD#', new: put });
        expect(readFolderText(folder)).toBe(before + put + after);
      }),
      { numRuns: 40 },
    );
  });

  it('runs concurrent edits one after the other', async () => {
    using folder = createTempFolder({ 'a.txt': 'a b c d e f' });
    const workspace = createWorkspace(folder.root);
    const tool = createEditTool(workspace);
    const results = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((old) =>
        runTestTool(tool, { path: 'a.txt', old, new: old.toUpperCase() }),
      ),
    );
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(readFolderText(folder)).toBe('A B C D E F');
  });
});

describe('an edit that is refused', () => {
  it('names the most similar text with its lines if only whitespace differs', async () => {
    using folder = createTempFolder({ 'a.txt': 'start\n\tif (x) {\n\t\trun();\n\t}\nend\n' });
    const result = await runEditTool(folder, { path: 'a.txt', old: '  if (x) {\n    run();\n  }', new: 'y' });
    expect(result).toEqual(
      matchRefusal(
        'failed',
        /text to replace was not found in "a\.txt"\. The most similar text is on lines 2 to 4, which differ only in whitespace:\n2: \tif \(x\) \{\n3: \t\trun\(\);\n4: \t\}\nCopy/,
      ),
    );
  });

  it('names the most similar text if a few letters differ', async () => {
    using folder = createTempFolder({ 'a.txt': 'zero\nconst total = sum(values);\nlast\n' });
    expect(await runEditTool(folder, { path: 'a.txt', old: 'const totals = sum(value);', new: 'y' })).toEqual(
      matchRefusal('failed', /lines 2 to 2:\n2: const total = sum\(values\);\n/),
    );
  });

  it('reports if nothing is similar', async () => {
    using folder = createTempFolder({ 'a.txt': 'zero\n' });
    expect(await runEditTool(folder, { path: 'a.txt', old: 'qqqq wwww', new: 'y' })).toEqual(
      matchRefusal('failed', /Nothing in the file is similar: read the file first/),
    );
  });

  it('lists the lines of a text that is not unique', async () => {
    using folder = createTempFolder({ 'a.txt': 'x\ny\nx\nx\n' });
    expect(await runEditTool(folder, { path: 'a.txt', old: 'x', new: 'z' })).toEqual(
      matchRefusal(
        'failed',
        /not unique in "a\.txt": it occurs 3 times, on lines 1, 3, 4\. .*"all" to true/s,
      ),
    );
    expect(readFolderText(folder)).toBe('x\ny\nx\nx\n');
  });

  it('leaves a file unchanged that has changed since it was read', async () => {
    using folder = createTempFolder({ 'a.txt': 'one two' });
    const workspace = createWorkspace(folder.root);
    await runTestTool(createReadTool(workspace, workspace), { path: 'a.txt' });
    writeFileSync(folder.at('a.txt'), 'one two three');
    const args = { path: 'a.txt', old: 'one', new: '1' };
    expect(await runTestTool(createEditTool(workspace), args)).toEqual(
      matchRefusal('failed', /changed since it was read/),
    );
    expect(readFolderText(folder)).toBe('one two three');
    await runTestTool(createReadTool(workspace, workspace), { path: 'a.txt' });
    expect(await runTestTool(createEditTool(workspace), args)).toMatchObject({ ok: true });
    // The tool's own change does not count as an outside change.
    expect(await runTestTool(createEditTool(workspace), { ...args, old: 'two', new: '2' })).toMatchObject({
      ok: true,
    });
  });

  it.each([
    [{ path: 'a.txt', old: 'x', new: 'x' }, 'invalid', /are the same/],
    [{ path: 'a.txt', old: '', new: 'x' }, 'invalid', /Invalid arguments/],
    [{ path: 'a.txt', old: 'x', new: '\ud800' }, 'invalid', /lone surrogate/],
    [
      { path: 'src/whele.ts', old: 'x', new: 'y' },
      'failed',
      /no file "src\/whele\.ts"\. Try "src\/wheel\.ts"/,
    ],
    [{ path: 'binary', old: 'x', new: 'y' }, 'failed', /binary/],
    [{ path: '../a.txt', old: 'x', new: 'y' }, 'denied', /outside/],
    [{ path: 'link', old: 'safe', new: 'y' }, 'denied', /outside/],
  ] as const)(
    'is one that makes no sense or leads out: %j',
    { tags: ['unix'] },
    async (args, kind, message) => {
      using folder = createTempFolder({ 'inner/a.txt': 'x', 'inner/binary': 'x\0', 'a.txt': 'safe' });
      symlinkSync(folder.at('a.txt'), folder.at('inner/link'));
      expect(await runEditTool({ root: folder.at('inner') }, args)).toEqual(matchRefusal(kind, message));
      expect(readFolderText(folder)).toBe('safe');
    },
  );

  it.each([
    ['many equal lines', 'x\n'.repeat(200_000), `${'x\n'.repeat(20_000)}y`],
    ['many blank lines', '\n'.repeat(2_000_000), `${'\n'.repeat(1_000_000)}z`],
    ['one endless line', 'a'.repeat(4_000_000), `${'a'.repeat(1_000_000)}b`],
    ['many lines a bit alike', 'const a = b;\n'.repeat(100_000), 'const c = d;'],
  ])('is explained quickly for %s', async (_, text, old) => {
    using folder = createTempFolder({ 'a.txt': text });
    const cpuMs = startCpuTimer();
    const result = await runEditTool(folder, { path: 'a.txt', old, new: 'new' });
    expect(result).toMatchObject({ ok: false, error: { kind: 'failed' } });
    expect(JSON.stringify(result).length).toBeLessThan(10_000);
    expect(cpuMs()).toBeLessThan(10_000);
  });
});
