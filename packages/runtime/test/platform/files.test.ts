import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  canSyncFolders,
  hasFileModes,
  openFlags,
  openRefusingLinks,
  replaceFile,
  replaceFileSync,
  syncFolder,
  syncFolderSync,
} from '../../src/platform/files.ts';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'pawl-files-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

function fail(code: string): Error {
  return Object.assign(new Error(code), { code });
}

describe('replacing a file that is in use', () => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])('is retried on Windows after %s', async (code) => {
    let tries = 0;
    const rename = (): void => {
      tries += 1;
      if (tries < 3) throw fail(code);
    };
    await replaceFile('a', 'b', { platform: 'win32', rename: async () => rename() });
    expect(tries).toBe(3);
    tries = 0;
    replaceFileSync('a', 'b', { platform: 'win32', rename });
    expect(tries).toBe(3);
  });

  it('fails after the last retry', async () => {
    let tries = 0;
    const rename = async (): Promise<void> => {
      tries += 1;
      throw fail('EPERM');
    };
    await expect(replaceFile('a', 'b', { platform: 'win32', rename })).rejects.toThrow('EPERM');
    expect(tries).toBe(8);
  });

  it('fails at once for other errors and on other platforms', async () => {
    let tries = 0;
    const rename = (code: string) => (): never => {
      tries += 1;
      throw fail(code);
    };
    expect(() => replaceFileSync('a', 'b', { platform: 'win32', rename: rename('ENOENT') })).toThrow(
      'ENOENT',
    );
    expect(() => replaceFileSync('a', 'b', { platform: 'linux', rename: rename('EPERM') })).toThrow('EPERM');
    await expect(replaceFile('a', 'b', { platform: 'darwin', rename: rename('EBUSY') })).rejects.toThrow(
      'EBUSY',
    );
    expect(tries).toBe(3);
  });

  it('leaves the new content', async () => {
    const [from, to] = [join(folder, 'new'), join(folder, 'old')];
    await Promise.all([writeFile(from, 'new'), writeFile(to, 'old')]);
    await replaceFile(from, to, { platform: 'win32' });
    expect(await readFile(to, 'utf8')).toBe('new');
  });
});

describe('flushing a folder', () => {
  it('is skipped on Windows, which does not support it', async () => {
    const missing = join(folder, 'missing');
    expect(canSyncFolders('win32')).toBe(false);
    await syncFolder(missing, 'win32');
    syncFolderSync(missing, 'win32');
    expect(canSyncFolders('darwin')).toBe(true);
    await expect(syncFolder(missing, 'linux')).rejects.toThrow('ENOENT');
    expect(() => syncFolderSync(missing, 'darwin')).toThrow('ENOENT');
  });

  it('syncs a folder', { tags: ['unix'] }, async () => {
    await syncFolder(folder);
    syncFolderSync(folder);
  });
});

describe('opening a file', () => {
  it('follows no link with the flags of any platform', { tags: ['unix'] }, async () => {
    const [file, link] = [join(folder, 'file'), join(folder, 'link')];
    await writeFile(file, 'text');
    await symlink(file, link);
    await expect(openRefusingLinks(link, openFlags.read, { platform: 'win32' })).rejects.toThrow(
      'This is a symbolic link',
    );
    for (const platform of ['linux', 'win32'] as const) {
      await expect(openRefusingLinks(link, openFlags.read, { platform })).rejects.toMatchObject({
        code: 'ELOOP',
      });
      await using opened = await openRefusingLinks(file, openFlags.read, { platform });
      expect(await opened.readFile('utf8')).toBe('text');
    }
  });

  it('has only numeric flags', () => {
    for (const flag of Object.values(openFlags)) expect(flag).toBeTypeOf('number');
  });

  it('reports file modes everywhere except on Windows', () => {
    expect([hasFileModes('linux'), hasFileModes('darwin'), hasFileModes('win32')]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
