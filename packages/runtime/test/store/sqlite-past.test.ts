import { replay } from '@pawl/core';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { chainEvents, computeLinkHash } from '../../src/store/chain.ts';
import { forkStoredSession } from '../../src/store/fork.ts';
import { migrateStore, storeMigrations } from '../../src/store/sqlite-connection.ts';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createTempFolder } from '../search/temp-folder.ts';
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

function createStorePath(): string {
  const folder = createTempFolder();
  cleanUps.push(() => folder[Symbol.dispose]());
  return folder.at('sessions.db');
}

function openTestStore(path: string): Store {
  const store = openSqliteStore(path);
  cleanUps.push(() => store.close());
  return store;
}

function executeStatement(path: string, statement: string): void {
  const database = new DatabaseSync(path);
  database.exec(statement);
  database.close();
}

/** A session of 8 events and its file. */
async function createStoredSession(): Promise<{ readonly store: Store; readonly path: string }> {
  const path = createStorePath();
  const store = openTestStore(path);
  await appendSampleEvents(store, createSampleSession(), await store.create(createSampleSession(), 'me'), 8);
  return { store, path };
}

/** As that version wrote it: its tables, and rows with its columns. */
function writeFirstVersion(path: string): void {
  const database = new DatabaseSync(path);
  migrateStore(database, path, storeMigrations.slice(0, 1));
  database.exec('UPDATE fences SET last = 7');
  const insert = database.prepare(
    `INSERT INTO sessions (id, initial, owner, fence, head, hash, profile, goal, status, updated_at, steps,
     snapshot_head, snapshot_bytes, tail_bytes) VALUES (?, ?, 'old', 7, ?, ?, 'pawl', 'goal', ?, 3000, 2, 0, 0, 0)`,
  );
  const insertEvent = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?)');
  for (const id of ['a', 'b']) {
    const { events, end } = createSampleLog(createSampleSession(id), 6);
    const initial = JSON.stringify(createSampleSession(id));
    const from = { head: 0, hash: computeLinkHash('', initial) };
    const links = chainEvents(
      from,
      events.map((event) => JSON.stringify(event)),
    );
    const { lastInsertRowid } = insert.run(id, initial, 6, links.at(-1)?.hash ?? '', end.turn.status);
    for (const { seq, text, hash } of links) insertEvent.run(lastInsertRowid, seq, text, hash);
  }
  database.close();
}

describe('a store of the first version', () => {
  it('is migrated with all its data, and continues', async () => {
    const path = createStorePath();
    writeFirstVersion(path);
    const store = openTestStore(path);
    const { events, end } = createSampleLog(createSampleSession(), 6);
    const common = { head: 6, owner: 'old', metadata: null, parent: null };
    expect(await store.open('a')).toStrictEqual({ ...common, session: end, fence: 7, replayed: 6 });
    expect(await listStoredEvents(store, 'a')).toStrictEqual(events);
    expect(await store.verify('b')).toEqual({ ok: true, head: 6 });
    expect((await store.list())[0]).toEqual({
      ...common,
      id: 'a',
      profile: 'pawl',
      goal: 'goal',
      status: end.turn.status,
      createdAt: 1_000,
      updatedAt: 3_000,
      steps: 2,
    });
    expect(await appendSampleEvents(store, end, { fence: 7, head: 6 }, 2)).toMatchObject({ at: { head: 8 } });
    await forkStoredSession(store, 'a', { at: 3, newId: 'c', owner: 'me', now: 9_000 });
    expect(await openTestStore(path).open('c')).toMatchObject({ parent: { id: 'a', at: 3 } });
  });

  it('loses only the events of a removed session', async () => {
    const path = createStorePath();
    writeFirstVersion(path);
    const store = openTestStore(path);
    expect(await store.remove('a')).toBe(true);
    using database = new DatabaseSync(path);
    const left = database.prepare('SELECT session, count(*) AS count FROM events GROUP BY session').all();
    expect(left).toMatchObject([{ session: 2, count: 6 }]);
    expect(await store.verify('b')).toEqual({ ok: true, head: 6 });
  });

  it('is migrated without impossible rows', async () => {
    const path = createStorePath();
    writeFirstVersion(path);
    executeStatement(path, `INSERT INTO events VALUES (1, -3, '{}', ''), (1, ${2 ** 40}, '{}', '')`);
    const store = openTestStore(path);
    for (const id of ['a', 'b']) expect(await store.verify(id)).toEqual({ ok: true, head: 6 });
  });

  it.each([
    ['no JSON', '{'],
    ['another object', '{"turn": {"since": "soon"}}'],
    ['a list', '[]'],
    ['deeper than SQLite reads', `${'['.repeat(1_500)}${']'.repeat(1_500)}`],
  ])(
    'is migrated although the initial state of one session is %s, and other sessions continue',
    async (_, initial) => {
      const path = createStorePath();
      writeFirstVersion(path);
      executeStatement(path, `UPDATE sessions SET initial = '${initial}' WHERE id = 'a'`);
      const store = openTestStore(path);
      expect((await store.list()).map(({ createdAt }) => createdAt)).toEqual([3_000, 1_000]);
      await expect(store.open('a')).rejects.toMatchObject({ code: 'damaged' });
      expect((await store.open('b')).session).toStrictEqual(
        replay(createSampleSession('b'), await listStoredEvents(store, 'b')),
      );
    },
  );
});

describe('damage in the history', () => {
  it.each([
    ['is changed', `UPDATE events SET text = replace(text, 'step', 'stop') WHERE seq = 5`],
    ['is gone', 'DELETE FROM events WHERE seq = 5'],
    ['has another hash', `UPDATE events SET hash = 'x' WHERE seq = 5`],
  ])('is found by a replay that reaches an event that %s', async (_, statement) => {
    const { store, path } = await createStoredSession();
    executeStatement(path, statement);
    expect(await store.open('a', { at: 4 })).toMatchObject({
      session: createSampleLog(createSampleSession(), 4).end,
      head: 4,
    });
    await expect(store.open('a', { at: 5 })).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringContaining('event 5'),
    });
    expect((await store.list())[0]?.status).toBe('damaged');
    await expect(store.open('a', { at: 4 })).rejects.toMatchObject({ code: 'damaged' });
  });

  it('is found by a read after a missing event', async () => {
    const { store, path } = await createStoredSession();
    executeStatement(path, 'DELETE FROM events WHERE seq = 5');
    await expect(listStoredEvents(store, 'a', 5)).rejects.toThrow('event 5 is missing');
    expect((await store.list())[0]?.status).toBe('damaged');
  });

  it('includes an event after the last one', async () => {
    const { store, path } = await createStoredSession();
    executeStatement(
      path,
      `INSERT INTO events (place, text, hash) SELECT place + 1, text, hash FROM events WHERE seq = 8`,
    );
    const reason = 'event 9 exists, but only 8 events were stored';
    await expect(store.open('a')).rejects.toThrow(reason);
    expect(await store.verify('a')).toEqual({ ok: false, seq: 9, reason });
  });

  it('is not copied into a fork', async () => {
    const { store, path } = await createStoredSession();
    executeStatement(path, `UPDATE events SET text = replace(text, 'step', 'stop') WHERE seq = 5`);
    const forking = forkStoredSession(store, 'a', { at: 6, newId: 'b', owner: 'me', now: 9_000 });
    await expect(forking).rejects.toMatchObject({ code: 'damaged' });
    expect((await store.list()).map(({ id }) => id)).toEqual(['a']);
  });

  it('of the metadata does not prevent opening the session', async () => {
    const { store, path } = await createStoredSession();
    executeStatement(path, `UPDATE beginnings SET about = '{"dir'`);
    expect(await store.open('a')).toMatchObject({ metadata: null, head: 8 });
    expect(await store.list()).toMatchObject([{ id: 'a', metadata: null }]);
  });
});
