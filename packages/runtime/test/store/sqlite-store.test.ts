import { createHash } from 'node:crypto';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { computeLinkHash } from '../../src/store/chain.ts';
import { connectDatabase, migrateStore } from '../../src/store/sqlite-connection.ts';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createTempFolder, type TempFolder } from '../search/temp-folder.ts';
import { describeStoreContract } from './store-contract.ts';
import {
  listStoredEvents,
  createSampleSession,
  createSampleLog,
  appendSampleEvents,
} from './sample-session.ts';

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

function createCleanedFolder(): TempFolder {
  const made = createTempFolder();
  cleanUps.push(() => made[Symbol.dispose]());
  return made;
}

function openTestStore(path: string, options: Parameters<typeof openSqliteStore>[1] = {}): Store {
  const store = openSqliteStore(path, options);
  cleanUps.push(() => store.close());
  return store;
}

/** Work on the file itself, past all rules. */
function executeStatements(path: string, ...statements: readonly string[]): void {
  const database = new DatabaseSync(path);
  for (const statement of statements) database.exec(statement);
  database.close();
}

/** Windows knows only whether a file may be written to. */
function getFileMode(file: string): number {
  const { mode } = statSync(file);
  if (process.platform === 'win32') return statSync(file).isDirectory() ? 0o700 : 0o600;
  return mode & 0o777;
}

function queryValue(path: string, query: string): unknown {
  const database = new DatabaseSync(path);
  const [value] = Object.values(database.prepare(query).get() ?? {});
  database.close();
  return value;
}

describe('a store in SQLite', () => {
  describeStoreContract(() => {
    const path = createCleanedFolder().at('sessions.db');
    return () => openTestStore(path);
  });

  it('has all data after it is reopened', async () => {
    const path = createCleanedFolder().at('sessions.db');
    const store = openSqliteStore(path);
    const { end } = await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      250,
    );
    await store.close();
    await store.close();
    await expect(store.list()).rejects.toMatchObject({ code: 'unreadable' });
    expect((await openTestStore(path).open('a')).session).toStrictEqual(end);
  });

  it('supports the maximum number of sessions', async () => {
    const path = createCleanedFolder().at('sessions.db');
    await openTestStore(path).create(createSampleSession('first'), 'me');
    executeStatements(path, `UPDATE sqlite_sequence SET seq = ${2 ** 30} WHERE name = 'sessions'`);
    const store = openTestStore(path);
    const { end } = await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      7,
    );
    const { events } = createSampleLog(createSampleSession(), 7);
    expect(await listStoredEvents(store, 'a')).toStrictEqual(events);
    expect(await listStoredEvents(store, 'a', 5)).toStrictEqual(events.slice(5));
    expect((await store.open('a')).session).toStrictEqual(end);
    expect(await listStoredEvents(store, 'first')).toEqual([]);
  });

  it('sees the writes of other connections between two appends', async () => {
    const path = createCleanedFolder().at('sessions.db');
    const store = openTestStore(path);
    const { at, end } = await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      3,
    );
    executeStatements(path, `UPDATE sessions SET damage = 'by hand'`);
    await expect(appendSampleEvents(store, end, at, 1)).rejects.toMatchObject({ code: 'damaged' });
    executeStatements(path, `UPDATE sessions SET damage = NULL`);
    const later = await appendSampleEvents(store, end, at, 1);
    executeStatements(path, `DELETE FROM sessions`);
    await expect(appendSampleEvents(store, later.end, later.at, 1)).rejects.toMatchObject({
      code: 'missing',
    });
  });

  it('can be read only by its owner', async () => {
    const made = createCleanedFolder();
    const path = made.at('new/deep/sessions.db');
    const store = openTestStore(path);
    await store.create(createSampleSession(), 'me');
    expect([path, `${path}-wal`, `${path}-shm`].map(getFileMode)).toEqual([0o600, 0o600, 0o600]);
    expect([made.at('new'), made.at('new/deep')].map(getFileMode)).toEqual([0o700, 0o700]);
  });

  it('syncs to disk on every connection', () => {
    const path = createCleanedFolder().at('sessions.db');
    for (const database of [connectDatabase(path), connectDatabase(path)]) {
      cleanUps.push(() => database.close());
      expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
      expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    }
  });

  it('grows linearly with the number of events', async () => {
    const made = createCleanedFolder();
    const measureBytes = async (count: number): Promise<number> => {
      const path = made.at(`${count}.db`);
      const store = openSqliteStore(path);
      await appendSampleEvents(
        store,
        createSampleSession(),
        await store.create(createSampleSession(), 'me'),
        count,
      );
      await store.close();
      return statSync(path).size;
    };
    const [some, more] = [await measureBytes(1_500), await measureBytes(3_000)];
    expect(more / some).toBeGreaterThan(1.5);
    expect(more / some).toBeLessThan(2.4);
  });

  it('stores nothing of an append that does not fit, and continues once there is space', async () => {
    const path = createCleanedFolder().at('sessions.db');
    const small = openTestStore(path, { bytesMax: 200_000 });
    const started = await appendSampleEvents(
      small,
      createSampleSession(),
      await small.create(createSampleSession(), 'me'),
      3,
    );
    const { events, end } = createSampleLog(started.end, 3_000);
    await expect(small.append('a', started.at, events, end)).rejects.toMatchObject({
      code: 'full',
      message: expect.stringContaining('Free some space'),
    });
    expect(await small.open('a')).toMatchObject({ session: started.end, head: 3 });
    expect(await openTestStore(path).append('a', started.at, events, end)).toMatchObject({ head: 3_003 });
  });

  it('reports a file that another process keeps locked', async () => {
    const path = createCleanedFolder().at('sessions.db');
    const store = openTestStore(path, { waitMs: 20 });
    const at = await store.create(createSampleSession(), 'me');
    const other = new DatabaseSync(path);
    cleanUps.push(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    await expect(appendSampleEvents(store, createSampleSession(), at, 1)).rejects.toMatchObject({
      code: 'busy',
    });
    other.exec('ROLLBACK');
    expect(await appendSampleEvents(store, createSampleSession(), at, 1)).toMatchObject({ at: { head: 1 } });
  });
});

describe('the file of a store', () => {
  it('is rejected unchanged if it belongs to another program', () => {
    const path = createCleanedFolder().at('other.db');
    executeStatements(path, 'CREATE TABLE theirs (x)', 'PRAGMA user_version = 7');
    expect(() => openTestStore(path)).toThrow(expect.objectContaining({ code: 'unreadable' }));
    expect(queryValue(path, 'PRAGMA journal_mode')).toBe('delete');
    expect(queryValue(path, 'SELECT count(*) FROM sqlite_schema')).toBe(1);
  });

  it('is rejected if it is not a database, is a folder, or is below a file', () => {
    const made = createCleanedFolder();
    writeFileSync(made.at('text'), 'nothing of the kind, '.repeat(100));
    mkdirSync(made.at('folder'));
    for (const path of ['text', 'folder', 'text/sessions.db']) {
      expect(() => openTestStore(made.at(path))).toThrow(
        expect.objectContaining({ code: 'unreadable', message: expect.stringContaining(path) }),
      );
    }
  });

  it('is rejected if a newer version wrote it', async () => {
    const path = createCleanedFolder().at('sessions.db');
    await openSqliteStore(path).close();
    executeStatements(path, 'PRAGMA user_version = 99');
    expect(() => openTestStore(path)).toThrow(/newer version of Pawl.*version 99.*Update Pawl/);
  });

  const first = 'CREATE TABLE one (x)';
  const second = "ALTER TABLE one ADD COLUMN y DEFAULT 'new'";

  it('is migrated from an older version with its data', () => {
    const database = new DatabaseSync(createCleanedFolder().at('x.db'));
    cleanUps.push(() => database.close());
    migrateStore(database, 'x.db', [first]);
    database.exec('INSERT INTO one VALUES (1)');
    migrateStore(database, 'x.db', [first, second]);
    migrateStore(database, 'x.db', [first, second]);
    expect(database.prepare('SELECT * FROM one').all()).toEqual([{ x: 1, y: 'new' }]);
    expect(() => migrateStore(database, 'x.db', [first])).toThrow(expect.objectContaining({ code: 'newer' }));
  });

  it('is unchanged if a migration fails midway', () => {
    const database = new DatabaseSync(createCleanedFolder().at('x.db'));
    cleanUps.push(() => database.close());
    migrateStore(database, 'x.db', [first]);
    expect(() => migrateStore(database, 'x.db', [first, second, 'no such statement'])).toThrow('syntax');
    expect(database.prepare('PRAGMA table_info(one)').all()).toHaveLength(1);
    migrateStore(database, 'x.db', [first, second]);
    expect(database.prepare('PRAGMA table_info(one)').all()).toHaveLength(2);
  });
});

describe('damage', () => {
  const inA = "session = (SELECT number FROM sessions WHERE id = 'a')";

  it.each([
    [
      'an event is changed',
      `UPDATE events SET text = replace(text, 'step', 'stop') WHERE ${inA} AND seq = 5`,
      5,
    ],
    ['an event is gone', `DELETE FROM events WHERE ${inA} AND seq = 4`, 4],
    ['the last events are gone', `DELETE FROM events WHERE ${inA} AND seq > 6`, 7],
    ['a hash is changed', `UPDATE events SET hash = 'x' WHERE ${inA} AND seq = 3`, 3],
    [
      'events have changed places',
      `UPDATE events SET place = -seq WHERE ${inA} AND seq IN (6, 7);
       UPDATE events SET place = (SELECT number << 32 FROM sessions WHERE id = 'a') + 13 + place WHERE place < 0`,
      6,
    ],
    [
      'the beginning is changed',
      `UPDATE beginnings SET initial = replace(initial, 'none', 'pawl') WHERE ${inA}`,
      1,
    ],
    ['the beginning is no JSON', `UPDATE beginnings SET initial = '{' WHERE ${inA}`, 1],
  ])('is found if %s, and affects only that session', async (_, statement, seq) => {
    const path = createCleanedFolder().at('sessions.db');
    const store = openTestStore(path);
    const { at, end } = await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      8,
    );
    const other = await appendSampleEvents(
      store,
      createSampleSession('b'),
      await store.create(createSampleSession('b'), 'me'),
      3,
    );
    executeStatements(path, statement);
    const damaged = { code: 'damaged', message: expect.stringContaining('"a"') };
    await expect(store.open('a')).rejects.toMatchObject(damaged);
    expect(await store.verify('a')).toMatchObject({ ok: false, seq });
    expect((await store.list()).map(({ id, status }) => `${id} ${status}`).toSorted()).toEqual([
      'a damaged',
      'b executingTools',
    ]);
    await expect(appendSampleEvents(store, end, at, 1)).rejects.toMatchObject(damaged);
    await expect(store.claim('a', 'me')).rejects.toMatchObject(damaged);
    expect(await appendSampleEvents(store, other.end, other.at, 1)).toMatchObject({ at: { head: 4 } });
    expect(await store.remove('a')).toBe(true);
  });

  it('is found by reading the events', async () => {
    const path = createCleanedFolder().at('sessions.db');
    const store = openTestStore(path);
    await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      8,
    );
    executeStatements(path, `UPDATE events SET text = replace(text, 'step', 'stop') WHERE seq = 5`);
    await expect(listStoredEvents(store, 'a', 4)).rejects.toMatchObject({ code: 'damaged' });
    expect((await store.list())[0]?.status).toBe('damaged');
  });

  it('before the last snapshot is found by verification, and a repaired session continues', async () => {
    const path = createCleanedFolder().at('sessions.db');
    const store = openTestStore(path);
    const { end } = await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      8,
    );
    await store.snapshot('a');
    executeStatements(path, `UPDATE events SET text = replace(text, 'step', 'stop') WHERE seq = 2`);
    expect((await store.open('a')).session).toStrictEqual(end);
    expect(await store.verify('a')).toMatchObject({ ok: false, seq: 2 });
    await expect(store.open('a')).rejects.toMatchObject({ code: 'damaged' });
    executeStatements(path, `UPDATE events SET text = replace(text, 'stop', 'step') WHERE seq = 2`);
    expect(await store.verify('a')).toEqual({ ok: true, head: 8 });
    expect((await store.open('a')).session).toStrictEqual(end);
  });

  it.each([
    ['gone', 'DELETE FROM snapshots'],
    ['changed', `UPDATE snapshots SET text = replace(text, 'step', 'stop')`],
    ['cut short', 'UPDATE snapshots SET text = substr(text, 1, 100)'],
    ['of another version', 'UPDATE snapshots SET version = 99'],
    ['assigned to another event', 'UPDATE snapshots SET head = head - 1'],
  ])('of a snapshot that is %s only causes a longer replay', async (_, statement) => {
    const path = createCleanedFolder().at('sessions.db');
    const store = openTestStore(path);
    const { end } = await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      200,
    );
    expect((await store.open('a')).replayed).toBeLessThan(200);
    executeStatements(path, statement);
    expect(await store.open('a')).toMatchObject({ session: end, replayed: 200 });
    await store.snapshot('a');
    expect(await store.open('a')).toMatchObject({ session: end, replayed: 0 });
  });

  it('does not include a snapshot of another version, which is ignored', async () => {
    const path = createCleanedFolder().at('sessions.db');
    const store = openTestStore(path);
    const { end } = await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      200,
    );
    const text = (name: string): string => String(queryValue(path, `SELECT ${name} FROM snapshots`));
    const checked = `99\n${text('head')}\n${text('hash')}\n${text('text')}`;
    const checksum = createHash('sha256').update(checked).digest('hex');
    executeStatements(path, `UPDATE snapshots SET version = 99, checksum = '${checksum}'`);
    expect(await store.open('a')).toMatchObject({ session: end, replayed: 200 });
  });

  it('does not result from a snapshot of another session', async () => {
    const path = createCleanedFolder().at('sessions.db');
    const store = openTestStore(path);
    const { end } = await appendSampleEvents(
      store,
      createSampleSession('a'),
      await store.create(createSampleSession('a'), 'me'),
      200,
    );
    await appendSampleEvents(
      store,
      createSampleSession('b'),
      await store.create(createSampleSession('b'), 'me'),
      200,
    );
    executeStatements(
      path,
      `DELETE FROM snapshots WHERE ${inA}`,
      `UPDATE snapshots SET session = (SELECT number FROM sessions WHERE id = 'a')`,
    );
    expect(await store.open('a')).toMatchObject({ session: end, replayed: 200 });
  });

  it('does not include a session with a newer log version, which is rejected', async () => {
    const store = openTestStore(createCleanedFolder().at('sessions.db'));
    await store.create({ ...createSampleSession(), logVersion: 99 }, 'me');
    await expect(store.open('a')).rejects.toMatchObject({ code: 'newer' });
  });

  it.each([
    ['an unknown type', '{"type":"dream-dreamt","at":1}', 'newer'],
    ['no type', '{"at":1}', 'damaged'],
    ['nothing', 'null', 'damaged'],
    ['no JSON', '{', 'damaged'],
    ['a reply without its fields', '{"type":"model-replied","at":1}', 'damaged'],
  ])('includes %s as an event, even with a valid hash', async (_, text, code) => {
    const path = createCleanedFolder().at('sessions.db');
    const store = openTestStore(path);
    await store.create(createSampleLog(createSampleSession(), 1).end, 'me');
    const hash = computeLinkHash(String(queryValue(path, 'SELECT hash FROM sessions')), text);
    executeStatements(
      path,
      `INSERT INTO events (place, text, hash) VALUES ((SELECT number << 32 FROM sessions) + 2, '${text}', '${hash}')`,
      `UPDATE sessions SET head = 2, hash = '${hash}'`,
    );
    await expect(store.open('a')).rejects.toMatchObject({ code });
  });
});
