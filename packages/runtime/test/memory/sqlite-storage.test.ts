import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import * as consumers from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { openSqliteStorage } from '../../src/memory/sqlite-storage.ts';
import type { EntryStorage } from '../../src/memory/storage.ts';
import { createTempFolder, type TempFolder } from '../search/temp-folder.ts';
import { createEntry, describeStorageContract } from './storage-contract.ts';

const openedStorages: { readonly storage: EntryStorage; readonly folder: TempFolder }[] = [];

function openNewStorage(): EntryStorage {
  const folder = createTempFolder();
  const storage = openSqliteStorage(folder.at('storage.db'));
  openedStorages.push({ storage, folder });
  return storage;
}

afterEach(async () => {
  for (const { storage, folder } of openedStorages.splice(0)) {
    await storage.close();
    folder[Symbol.dispose]();
  }
});

describe('storage in SQLite', () => {
  describeStorageContract(openNewStorage);

  it('keeps everything when it is closed and reopened', async () => {
    using folder = createTempFolder();
    const first = openSqliteStorage(folder.at('storage.db'));
    await first.save([createEntry('plan', 'walk to the harbour')]);
    await first.close();
    await first.close();
    const second = openSqliteStorage(folder.at('storage.db'));
    expect(await second.load('plan')).toEqual(createEntry('plan', 'walk to the harbour'));
    expect(await second.search({ text: 'harbour', tags: [] })).toHaveLength(1);
    await second.close();
  });

  it('uses a write-ahead log', () => {
    using folder = createTempFolder();
    void openSqliteStorage(folder.at('storage.db')).close();
    const database = new DatabaseSync(folder.at('storage.db'));
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    database.close();
  });

  it('is shared by two connections', async () => {
    using folder = createTempFolder();
    const one = openSqliteStorage(folder.at('storage.db'));
    const two = openSqliteStorage(folder.at('storage.db'));
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? one : two).save([createEntry(`k${index}`, index)]),
      ),
    );
    expect(await one.count()).toBe(40);
    expect(await two.count()).toBe(40);
    await one.close();
    await two.close();
  });

  it('may be opened for the first time by several processes at once', async () => {
    using folder = createTempFolder();
    const script = fileURLToPath(new URL('fixtures/opens-storage.ts', import.meta.url));
    const start = String(Date.now() + 1_000);
    const counts = await Promise.all(
      [1, 2, 3, 4].map(() => {
        const args = [script, folder.root, start, '25'];
        return consumers.text(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }).stdout);
      }),
    );
    expect(counts).toEqual(Array.from({ length: 4 }, () => '0\n'.repeat(25)));
  });

  it('keeps every acknowledged entry when the process is killed', async () => {
    using folder = createTempFolder();
    const path = folder.at('storage.db');
    const script = fileURLToPath(new URL('fixtures/saves-to-storage.ts', import.meta.url));
    for (const afterMs of [60, 140]) {
      const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
      let message = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        message += text;
      });
      await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
      setTimeout(() => child.kill('SIGKILL'), afterMs);
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
      const acknowledged = message.split('\n').slice(0, -1);
      expect(acknowledged.length).toBeGreaterThan(0);
      const storage = openSqliteStorage(path);
      for (const key of acknowledged) expect((await storage.load(key))?.value).toBe(`value of ${key}`);
      expect((await storage.search({ text: acknowledged.at(-1) ?? '', tags: [] })).length).toBeGreaterThan(0);
      await storage.close();
    }
  });

  it.each([
    [
      'not-a-database',
      'This file is not a storage database',
      'a text file, long enough to be no empty database'.repeat(20),
    ],
    ['not-ours', 'This database belongs to another program', 'CREATE TABLE theirs (x)'],
    ['too-new', 'This storage was written by a newer version of Pawl', 'PRAGMA user_version = 99'],
  ])('leaves a file that is %s alone, with one clear error', (code, message, content) => {
    using folder = createTempFolder(code === 'not-a-database' ? { 'x.db': content } : {});
    if (code !== 'not-a-database') {
      const database = new DatabaseSync(folder.at('x.db'));
      database.exec(content);
      database.close();
    }
    const before = readFileSync(folder.at('x.db'));
    expect(() => openSqliteStorage(folder.at('x.db'))).toThrow(
      expect.objectContaining({
        name: 'StorageError',
        code,
        message: expect.stringContaining(message),
      }) as Error,
    );
    expect(readFileSync(folder.at('x.db'))).toEqual(before);
  });

  it('reports a missing folder', () => {
    using folder = createTempFolder();
    expect(() => openSqliteStorage(folder.at('none/x.db'))).toThrow(
      /^This storage cannot be opened: ".*none.x\.db"/,
    );
  });
});
