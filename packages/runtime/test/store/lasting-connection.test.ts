import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import type { Position, Store } from '../../src/store/store.ts';
import { tempFolder, type TempFolder } from '../search/temp-folder.ts';
import { session, tale, tell } from './tale.ts';

let folder: TempFolder;
let path = '';
let store: Store;
let at: Position;
const end = tale(session(), 5).end;

beforeEach(async () => {
  folder = tempFolder();
  path = folder.at('sessions.db');
  store = openSqliteStore(path);
  at = (await tell(store, session(), await store.create(session(), 'me'), 5)).at;
});

afterEach(async () => {
  await store.close();
  folder[Symbol.dispose]();
});

/** Spoils the file, in such a way that nobody can go on with what they have read before; returns how it was. */
function spoil(): Buffer {
  const other = new DatabaseSync(path);
  other.exec('UPDATE fences SET last = last + 1; PRAGMA wal_checkpoint(TRUNCATE)');
  other.close();
  const before = readFileSync(path);
  writeFileSync(path, Buffer.alloc(before.length, 'no database '));
  return before;
}

describe('a connection', () => {
  it('says what is wrong with the file as long as it is, and goes on once it is put right', async () => {
    const before = spoil();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(store.open('a')).rejects.toMatchObject({ name: 'StoreError', code: 'unreadable' });
      await expect(tell(store, end, at, 1)).rejects.toMatchObject({ name: 'StoreError', code: 'unreadable' });
    }
    writeFileSync(path, before);
    expect(await store.open('a')).toMatchObject({ session: end, head: 5 });
    expect(await tell(store, end, at, 1)).toMatchObject({ at: { head: 6 } });
    expect(await store.verify('a')).toEqual({ ok: true, head: 6 });
  });

  it('does not begin anew with an empty file where the one with the sessions is gone', async () => {
    spoil();
    await expect(store.list()).rejects.toMatchObject({ code: 'unreadable' });
    rmSync(path);
    await expect(store.list()).rejects.toThrow('the file is gone');
    expect(existsSync(path)).toBe(false);
  });

  it('stays closed, whatever was wrong before', async () => {
    const before = spoil();
    await expect(store.list()).rejects.toMatchObject({ code: 'unreadable' });
    writeFileSync(path, before);
    await store.close();
    await expect(store.list()).rejects.toMatchObject({ code: 'unreadable' });
  });
});
