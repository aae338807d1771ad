import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createGlobTool } from '../../src/tools/glob.ts';
import { createTempFolder } from '../search/temp-folder.ts';
import { matchRefusal, runTestTool } from './run-test-tool.ts';

describe('listing files by a pattern', () => {
  it('excludes what the index excludes, and reports how many files it checked', async () => {
    using folder = createTempFolder({
      'src/a.ts': '',
      'src/deep/b.ts': '',
      'readme.md': '',
      'node_modules/x/c.ts': '',
      'gen/d.ts': '',
      '.gitignore': 'gen/\n',
    });
    expect(await runTestTool(createGlobTool(folder), { pattern: '**/*.ts' })).toEqual({
      ok: true,
      output: {
        pattern: '**/*.ts',
        matched: 2,
        looked: 4,
        complete: true,
        paths: ['src/a.ts', 'src/deep/b.ts'],
      },
    });
    expect(await runTestTool(createGlobTool(folder), { pattern: './src/*' })).toMatchObject({
      output: { paths: ['src/a.ts'] },
    });
  });

  it('returns at most the requested number and counts the rest', async () => {
    using folder = createTempFolder(
      Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}.txt`, ''])),
    );
    const result = await runTestTool(createGlobTool(folder), { pattern: '*.txt', limit: 5 });
    expect(result).toMatchObject({ output: { matched: 30, paths: { length: 5 } } });
  });

  it('follows no link, not even a cyclic one, and stays in the folder', { tags: ['unix'] }, async () => {
    using folder = createTempFolder({ 'inner/a.txt': '', 'outside/b.txt': '' });
    symlinkSync(folder.at('outside'), folder.at('inner/out'));
    mkdirSync(folder.at('inner/loop'));
    symlinkSync('..', folder.at('inner/loop/up'));
    const tool = createGlobTool({ root: folder.at('inner') });
    expect(await runTestTool(tool, { pattern: '**/*.txt' })).toMatchObject({
      output: { paths: ['a.txt'] },
    });
    expect(await runTestTool(tool, { pattern: '../**' })).toMatchObject({ output: { paths: [] } });
  });

  it('rejects braces that expand to too many patterns, and stops on abort', async () => {
    using folder = createTempFolder({ a: '' });
    const tool = createGlobTool(folder);
    expect(await runTestTool(tool, { pattern: '{a,b}'.repeat(40) })).toEqual(
      matchRefusal('invalid', /too many/),
    );
    expect(await runTestTool(tool, { pattern: '*' }, { signal: AbortSignal.abort() })).toEqual(
      matchRefusal('cancelled', /cancelled/),
    );
  });
});
