import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import type { LogPosition, Store } from '../../src/store/store.ts';
import { createTempFolder, type TempFolder } from '../search/temp-folder.ts';
import { createSampleSession, createSampleLog, appendSampleEvents } from './sample-session.ts';

let folder: TempFolder;
let path = '';
let store: Store;
let at: LogPosition;
const end = createSampleLog(createSampleSession(), 5).end;

beforeEach(async () => {
  folder = createTempFolder();
  path = folder.at('sessions.db');
  store = openSqliteStore(path);
  at = (
    await appendSampleEvents(store, createSampleSession(), await store.create(createSampleSession(), 'me'), 5)
  ).at;
});

afterEach(async () => {
  await store.close();
  folder[Symbol.dispose]();
});

/** Damages the file so that earlier reads are no longer valid; returns the original content. */
function corruptDatabase(): Buffer {
  const other = new DatabaseSync(path);
  other.exec('UPDATE fences SET last = last + 1; PRAGMA wal_checkpoint(TRUNCATE)');
  other.close();
  const before = readFileSync(path);
  writeFileSync(path, Buffer.alloc(before.length, 'no database '));
  return before;
}

describe('a connection', () => {
  it('reports an unusable file, and continues once it is usable again', async () => {
    const before = corruptDatabase();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(store.open('a')).rejects.toMatchObject({ name: 'StoreError', code: 'unreadable' });
      await expect(appendSampleEvents(store, end, at, 1)).rejects.toMatchObject({
        name: 'StoreError',
        code: 'unreadable',
      });
    }
    writeFileSync(path, before);
    expect(await store.open('a')).toMatchObject({ session: end, head: 5 });
    expect(await appendSampleEvents(store, end, at, 1)).toMatchObject({ at: { head: 6 } });
    expect(await store.verify('a')).toEqual({ ok: true, head: 6 });
  });

  it('does not create an empty file in place of a removed one', async () => {
    corruptDatabase();
    await expect(store.list()).rejects.toMatchObject({ code: 'unreadable' });
    rmSync(path);
    await expect(store.list()).rejects.toThrow('the file no longer exists');
    expect(existsSync(path)).toBe(false);
  });

  it('stays closed after earlier errors', async () => {
    const before = corruptDatabase();
    await expect(store.list()).rejects.toMatchObject({ code: 'unreadable' });
    writeFileSync(path, before);
    await store.close();
    await expect(store.list()).rejects.toMatchObject({ code: 'unreadable' });
  });
});
