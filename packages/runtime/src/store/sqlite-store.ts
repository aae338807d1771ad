import type { TurnStatus } from '@pawl/core';
import { resolve } from 'node:path';
import type { StatementSync } from 'node:sqlite';
import { createRowCommandChannel } from '../commands/row-command-channel.ts';
import type { ReconnectingDatabase } from './reconnecting-database.ts';
import type { CommandRows, EventRow, StoreRows, SessionRow, SnapshotRow } from './rows.ts';
import { RowCache, type CachedRow } from './row-cache.ts';
import { createSqliteClaims } from './sqlite-claims.ts';
import { createSqliteCommands } from './sqlite-commands.ts';
import { openStoreConnection, translateStoreErrors, type SqliteStoreOptions } from './sqlite-connection.ts';
import type { Store } from './store.ts';
import { createRowStore } from './row-store.ts';

/**
 * Opens a store in a file and creates it if it does not exist. Several processes can use the same file concurrently.
 */
export function openSqliteStore(path: string, options: SqliteStoreOptions = {}): Store {
  const file = resolve(path);
  const rows = createSqliteRows(openStoreConnection(file, options), file);
  return createRowStore(rows, createRowCommandChannel(rows));
}

function createSqliteRows(connection: ReconnectingDatabase, path: string): StoreRows & CommandRows {
  const prepare: PrepareStatement = (sql) => connection.statement(sql);
  const version = prepare('PRAGMA data_version');
  const cache = new RowCache(() => Number(version().get()?.['data_version']));
  const { numberOf, ...sessions } = createSessionRows(prepare, cache);
  return {
    read: (work) => translateStoreErrors(path, () => cache.runTransaction(() => connection.read(work))),
    write: (work) => translateStoreErrors(path, () => cache.runTransaction(() => connection.write(work))),
    ...sessions,
    ...createEventRows(prepare, numberOf),
    ...createSqliteClaims(prepare),
    ...createSqliteCommands(prepare),
    close: () => connection.close(),
  };
}

/** Returns a getter, because the handle may have been replaced between two uses. */
export type PrepareStatement = (sql: string) => () => StatementSync;

const sessionColumns = [
  'owner',
  'fence',
  'head',
  'hash',
  'damage',
  'profile',
  'goal',
  'status',
  'updated_at',
  'steps',
  'snapshot_head',
  'snapshot_bytes',
  'tail_bytes',
  'created_at',
  'parent_id',
  'parent_at',
] as const;

type SessionRowMethods = 'nextFence' | 'insert' | 'find' | 'initial' | 'update' | 'remove' | 'list';

/** Returns the number of a session; undefined if it does not exist. */
type SessionNumberLookup = (id: string) => number | undefined;

function createSessionRows(
  prepare: PrepareStatement,
  cache: RowCache,
): Pick<StoreRows, SessionRowMethods> & { readonly numberOf: SessionNumberLookup } {
  const names = sessionColumns.join(', ');
  const placeholders = sessionColumns.map(() => '?').join(', ');
  const insert = prepare(`INSERT INTO sessions (${names}, id) VALUES (${placeholders}, ?) RETURNING number`);
  const insertInitial = prepare('INSERT INTO beginnings (session, initial, about) VALUES (?, ?, ?)');
  const update = prepare(`UPDATE sessions SET (${names}) = (${placeholders}) WHERE number = ?`);
  const selectRow = `SELECT id, number, about, ${names} FROM sessions LEFT JOIN beginnings ON session = number`;
  const find = prepare(`${selectRow} WHERE id = ?`);
  const list = prepare(`${selectRow} ORDER BY updated_at DESC, id LIMIT ?`);
  const initial = prepare(
    'SELECT initial FROM beginnings WHERE session = (SELECT number FROM sessions WHERE id = ?)',
  );
  const nextFence = prepare('UPDATE fences SET last = last + 1 RETURNING last');
  const remove = prepare('DELETE FROM sessions WHERE id = ?');
  const read = (id: string): CachedRow | undefined => {
    const row = find().get(id);
    return row === undefined ? undefined : { number: Number(row['number']), row: toSessionRow(row) };
  };
  return {
    nextFence: () => Number(nextFence().get()?.['last']),
    insert: (row, text) => {
      const number = Number(insert().get(...toColumnValues(row), row.id)?.['number']);
      insertInitial().run(number, text, row.metadata);
      cache.put({ number, row });
    },
    update: (row) => {
      const cached = cache.find(row.id, read);
      if (cached === undefined) return;
      update().run(...toColumnValues(row), cached.number);
      cache.put({ ...cached, row });
    },
    find: (id) => cache.find(id, read)?.row,
    numberOf: (id) => cache.find(id, read)?.number,
    list: (limit) => list().all(limit).map(toSessionRow),
    initial: (id) => String(initial().get(id)?.['initial'] ?? ''),
    remove: (id) => {
      remove().run(id);
      cache.remove(id);
    },
  };
}

/** Returns the values in the order of `sessionColumns`. */
function toColumnValues({ summary, ...row }: SessionRow): (string | number | null)[] {
  return [
    row.owner,
    row.fence,
    row.head,
    row.hash,
    row.damage,
    summary.profile,
    summary.goal,
    summary.status,
    summary.updatedAt,
    summary.steps,
    row.snapshotHead,
    row.snapshotBytes,
    row.tailBytes,
    summary.createdAt,
    row.parent?.id ?? null,
    row.parent?.at ?? null,
  ];
}

type ColumnValues = Readonly<Record<string, unknown>>;

/** The tables are STRICT, so every column has its declared type. */
function toSessionRow(row: ColumnValues): SessionRow {
  return {
    id: String(row['id']),
    owner: String(row['owner']),
    fence: Number(row['fence']),
    head: Number(row['head']),
    hash: String(row['hash']),
    damage: toTextOrNull(row['damage']),
    summary: {
      profile: String(row['profile']),
      goal: toTextOrNull(row['goal']),
      status: String(row['status']) as TurnStatus,
      createdAt: Number(row['created_at']),
      updatedAt: Number(row['updated_at']),
      steps: Number(row['steps']),
    },
    metadata: toTextOrNull(row['about']),
    parent: toSessionParent(row),
    snapshotHead: Number(row['snapshot_head']),
    snapshotBytes: Number(row['snapshot_bytes']),
    tailBytes: Number(row['tail_bytes']),
  };
}

function toSessionParent(row: ColumnValues): SessionRow['parent'] {
  const id = toTextOrNull(row['parent_id']);
  return id === null ? null : { id, at: Number(row['parent_at']) };
}

function toTextOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

type EventRowMethods = 'addEvents' | 'events' | 'snapshot' | 'putSnapshot';

function createEventRows(
  prepare: PrepareStatement,
  numberOf: SessionNumberLookup,
): Pick<StoreRows, EventRowMethods> {
  const session = '(SELECT number FROM sessions WHERE id = ?1)';
  // An event's key combines its session's number and its own. The cast is needed because JavaScript passes numbers as
  // floating point, which cannot hold the combined value.
  const place = '(?1 << 32) + CAST(?2 AS INTEGER)';
  const add = prepare(`INSERT INTO events (place, text, hash) VALUES (${place}, ?3, ?4)`);
  const events = prepare(
    `SELECT seq, text, hash FROM events WHERE place > ${place} AND place <= (?1 << 32) + 4294967295
     ORDER BY place LIMIT ?3`,
  );
  const snapshot = prepare(`SELECT * FROM snapshots WHERE session = ${session}`);
  const putSnapshot = prepare(
    `REPLACE INTO snapshots (session, version, head, hash, text, checksum) VALUES (${session}, ?, ?, ?, ?, ?)`,
  );
  return {
    addEvents: (id, rows) => {
      const number = numberOf(id);
      if (number === undefined) return;
      for (const { seq, text, hash } of rows) add().run(number, seq, text, hash);
    },
    events: (id, after, limit) => {
      const number = numberOf(id);
      return number === undefined ? [] : events().all(number, after, limit).map(toEventRow);
    },
    snapshot: (id) => {
      const row = snapshot().get(id);
      return row === undefined ? undefined : toSnapshotRow(row);
    },
    putSnapshot: (id, { version, head, hash, text, checksum }) =>
      void putSnapshot().run(id, version, head, hash, text, checksum),
  };
}

function toEventRow(row: ColumnValues): EventRow {
  return { seq: Number(row['seq']), text: String(row['text']), hash: String(row['hash']) };
}

function toSnapshotRow(row: ColumnValues): SnapshotRow {
  return {
    version: Number(row['version']),
    head: Number(row['head']),
    hash: String(row['hash']),
    text: String(row['text']),
    checksum: String(row['checksum']),
  };
}
