import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { computeLinkHash } from '../../src/store/chain.ts';
import { migrateStore, storeMigrations } from '../../src/store/sqlite-connection.ts';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import { createMemoryFolder } from '../store/sqlite-io-faults-tracing.ts';
import { createSampleSession } from '../store/sample-session.ts';

/** A session as the version before commands wrote it. */
function writeThirdVersion(path: string): void {
  const database = new DatabaseSync(path);
  migrateStore(database, path, storeMigrations.slice(0, 3));
  const initial = JSON.stringify(createSampleSession());
  const { lastInsertRowid } = database
    .prepare(
      `INSERT INTO sessions (id, owner, fence, head, hash, profile, status, updated_at, steps, snapshot_head,
       snapshot_bytes, tail_bytes, created_at) VALUES ('a', 'old', 1, 0, ?, 'pawl', 'waitingForUser', 1, 0, 0, 0, 0, 1)`,
    )
    .run(computeLinkHash('', initial));
  database.prepare('INSERT INTO beginnings VALUES (?, ?, NULL)').run(lastInsertRowid, initial);
  database.close();
}

describe('a store from a version without commands', () => {
  it('is migrated, and accepts commands for its sessions', async () => {
    using folder = createMemoryFolder();
    const path = folder.at('sessions.db');
    writeThirdVersion(path);
    const store = openSqliteStore(path);
    expect(await store.commands.listPending('a')).toEqual([]);
    const id = await store.commands.send('a', { kind: 'say', text: 'Hello.' });
    await store.close();
    const again = openSqliteStore(path);
    expect(await again.commands.listPending('a')).toEqual([{ id, command: { kind: 'say', text: 'Hello.' } }]);
    expect(await again.verify('a')).toEqual({ ok: true, head: 0 });
    await again.close();
  });

  it('lists a damaged command as unreadable', async () => {
    using folder = createMemoryFolder();
    const path = folder.at('sessions.db');
    const store = openSqliteStore(path);
    await store.create(createSampleSession(), 'me');
    const ids = [];
    for (const text of ['one', 'two']) ids.push(await store.commands.send('a', { kind: 'say', text }));
    const database = new DatabaseSync(path);
    database.exec(`UPDATE commands SET text = '{"kind' WHERE number = 1`);
    database.close();
    expect(await store.commands.listPending('a')).toEqual([
      { id: ids[0], command: null },
      { id: ids[1], command: { kind: 'say', text: 'two' } },
    ]);
    await store.close();
  });
});
