import { readdirSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createFileSpool, createMemorySpool, spoolOutputBytesMax } from '../../src/store/spool.ts';
import { createTempFolder } from '../search/temp-folder.ts';

const result = { ok: true, output: { exitCode: 0, output: 'ü' } } as const;

describe('the spools', () => {
  it('return saved results and output, and nothing after removal', async () => {
    using folder = createTempFolder();
    for (const spool of [createMemorySpool(), createFileSpool(folder.at('spool'))]) {
      expect(await spool.find('a1')).toEqual({ result: null, output: null });
      spool.appendOutput('a1', Buffer.from('one '));
      spool.appendOutput('a1', Buffer.from('two'));
      spool.appendOutput('b2', Buffer.from('other'));
      expect(await spool.find('a1')).toEqual({ result: null, output: 'one two' });
      await spool.saveResult('a1', result);
      expect(await spool.find('a1')).toEqual({ result, output: 'one two' });
      await spool.remove('a1');
      await spool.remove('a1');
      expect(await spool.find('a1')).toEqual({ result: null, output: null });
      expect(await spool.find('b2')).toEqual({ result: null, output: 'other' });
    }
  });

  it('limit the recorded output', async () => {
    using folder = createTempFolder();
    for (const spool of [createMemorySpool(), createFileSpool(folder.at('spool'))]) {
      const piece = Buffer.alloc(spoolOutputBytesMax - 10, 'x');
      for (let round = 0; round < 5; round += 1) spool.appendOutput('a', piece);
      expect((await spool.find('a')).output).toHaveLength(spoolOutputBytesMax);
    }
  });
});

describe('a spool in a folder', () => {
  it('is available to another process, and only to its owner', { tags: ['unix'] }, async () => {
    using folder = createTempFolder();
    const path = folder.at('data/spool');
    await createFileSpool(path).saveResult('a', result);
    expect((await createFileSpool(path).find('a')).result).toEqual(result);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(path)) expect(statSync(`${path}/${name}`).mode & 0o777).toBe(0o600);
    await createFileSpool(path).remove('a');
    expect(readdirSync(path)).toEqual([]);
  });

  it('rejects an id that would lead outside the folder', async () => {
    using folder = createTempFolder();
    const spool = createFileSpool(folder.at('spool'));
    await expect(spool.saveResult('../x', result)).rejects.toThrow('Invalid execution id');
    await expect(spool.find('a/b')).rejects.toThrow('Invalid execution id');
  });
});
