import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createGlobTool } from '../../src/tools/glob.ts';
import { tempFolder } from '../search/temp-folder.ts';
import { refused, runTool } from './run-tool.ts';

describe('listing files by a pattern', () => {
  it('leaves out what the index leaves out, and says how many it looked at', async () => {
    using folder = tempFolder({
      'src/a.ts': '',
      'src/deep/b.ts': '',
      'readme.md': '',
      'node_modules/x/c.ts': '',
      'gen/d.ts': '',
      '.gitignore': 'gen/\n',
    });
    expect(await runTool(createGlobTool(folder), { pattern: '**/*.ts' })).toEqual({
      ok: true,
      output: {
        pattern: '**/*.ts',
        matched: 2,
        looked: 4,
        complete: true,
        paths: ['src/a.ts', 'src/deep/b.ts'],
      },
    });
    expect(await runTool(createGlobTool(folder), { pattern: './src/*' })).toMatchObject({
      output: { paths: ['src/a.ts'] },
    });
  });

  it('returns no more than asked for and counts the rest', async () => {
    using folder = tempFolder(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}.txt`, ''])));
    const result = await runTool(createGlobTool(folder), { pattern: '*.txt', limit: 5 });
    expect(result).toMatchObject({ output: { matched: 30, paths: { length: 5 } } });
  });

  it('follows no link, not even into a circle, and does not leave the folder', async () => {
    using folder = tempFolder({ 'inner/a.txt': '', 'outside/b.txt': '' });
    symlinkSync(folder.at('outside'), folder.at('inner/out'));
    mkdirSync(folder.at('inner/loop'));
    symlinkSync('..', folder.at('inner/loop/up'));
    const tool = createGlobTool({ root: folder.at('inner') });
    expect(await runTool(tool, { pattern: '**/*.txt' })).toMatchObject({ output: { paths: ['a.txt'] } });
    expect(await runTool(tool, { pattern: '../**' })).toMatchObject({ output: { paths: [] } });
  });

  it('refuses what stands for too many patterns, and stops when called off', async () => {
    using folder = tempFolder({ a: '' });
    const tool = createGlobTool(folder);
    expect(await runTool(tool, { pattern: '{a,b}'.repeat(40) })).toEqual(refused('invalid', /too many/));
    expect(await runTool(tool, { pattern: '*' }, { signal: AbortSignal.abort() })).toEqual(
      refused('cancelled', /called off/),
    );
  });
});
