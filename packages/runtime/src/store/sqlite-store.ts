import type { TurnStatus } from '@pawl/core';
import { resolve } from 'node:path';
import type { StatementSync } from 'node:sqlite';
import { channelOn } from '../commands/channel-on-rows.ts';
import type { LastingConnection } from './lasting-connection.ts';
import type { CommandRows, EventRow, Rows, SessionRow, SnapshotRow } from './rows.ts';
import { SeenRows, type SeenRow } from './seen-rows.ts';
import { sqliteClaims } from './sqlite-claims.ts';
import { sqliteCommands } from './sqlite-commands.ts';
import { openConnection, translating, type ConnectionOptions } from './sqlite-connection.ts';
import type { Store } from './store.ts';
import { storeOn } from './store-on-rows.ts';

/** Opens a store in a file, or makes it. Several processes may work with the same file at once. */
export function openSqliteStore(path: string, options: ConnectionOptions = {}): Store {
  const file = resolve(path);
  const rows = sqliteRows(openConnection(file, options), file);
  return storeOn(rows, channelOn(rows));
}

function sqliteRows(connection: LastingConnection, path: string): Rows & CommandRows {
  const prepare: Prepare = (sql) => connection.statement(sql);
  const version = prepare('PRAGMA data_version');
  const seen = new SeenRows(() => Number(version().get()?.['data_version']));
  const { numberOf, ...sessions } = sessionRows(prepare, seen);
  return {
    read: (work) => translating(path, () => seen.during(() => connection.read(work))),
    write: (work) => translating(path, () => seen.during(() => connection.write(work))),
    ...sessions,
    ...eventRows(prepare, numberOf),
    ...sqliteClaims(prepare),
    ...sqliteCommands(prepare),
    close: () => connection.close(),
  };
}

/** The statement is asked for at each use, since the handle may be another one by then. */
export type Prepare = (sql: string) => () => StatementSync;

const columns = [
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

type SessionPart = 'nextFence' | 'insert' | 'find' | 'initial' | 'update' | 'remove' | 'list';

/** The number of a session; undefined if there is none. */
type NumberOf = (id: string) => number | undefined;

function sessionRows(
  prepare: Prepare,
  seen: SeenRows,
): Pick<Rows, SessionPart> & { readonly numberOf: NumberOf } {
  const names = columns.join(', ');
  const marks = columns.map(() => '?').join(', ');
  const insert = prepare(`INSERT INTO sessions (${names}, id) VALUES (${marks}, ?) RETURNING number`);
  const begin = prepare('INSERT INTO beginnings (session, initial, about) VALUES (?, ?, ?)');
  const update = prepare(`UPDATE sessions SET (${names}) = (${marks}) WHERE number = ?`);
  const whole = `SELECT id, number, about, ${names} FROM sessions LEFT JOIN beginnings ON session = number`;
  const find = prepare(`${whole} WHERE id = ?`);
  const list = prepare(`${whole} ORDER BY updated_at DESC, id LIMIT ?`);
  const initial = prepare(
    'SELECT initial FROM beginnings WHERE session = (SELECT number FROM sessions WHERE id = ?)',
  );
  const nextFence = prepare('UPDATE fences SET last = last + 1 RETURNING last');
  const remove = prepare('DELETE FROM sessions WHERE id = ?');
  const read = (id: string): SeenRow | undefined => {
    const found = find().get(id);
    return found === undefined ? undefined : { number: Number(found['number']), row: toSession(found) };
  };
  return {
    nextFence: () => Number(nextFence().get()?.['last']),
    insert: (row, text) => {
      const number = Number(insert().get(...valuesOf(row), row.id)?.['number']);
      begin().run(number, text, row.about);
      seen.keep({ number, row });
    },
    update: (row) => {
      const known = seen.find(row.id, read);
      if (known === undefined) return;
      update().run(...valuesOf(row), known.number);
      seen.keep({ ...known, row });
    },
    find: (id) => seen.find(id, read)?.row,
    numberOf: (id) => seen.find(id, read)?.number,
    list: (limit) => list().all(limit).map(toSession),
    initial: (id) => String(initial().get(id)?.['initial'] ?? ''),
    remove: (id) => {
      remove().run(id);
      seen.forget(id);
    },
  };
}

/** In the order of `columns`. */
function valuesOf({ summary, ...row }: SessionRow): (string | number | null)[] {
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

type Columns = Readonly<Record<string, unknown>>;

/** The tables are strict: a column has the type it was made with. */
function toSession(row: Columns): SessionRow {
  return {
    id: String(row['id']),
    owner: String(row['owner']),
    fence: Number(row['fence']),
    head: Number(row['head']),
    hash: String(row['hash']),
    damage: textOrNull(row['damage']),
    summary: {
      profile: String(row['profile']),
      goal: textOrNull(row['goal']),
      status: String(row['status']) as TurnStatus,
      createdAt: Number(row['created_at']),
      updatedAt: Number(row['updated_at']),
      steps: Number(row['steps']),
    },
    about: textOrNull(row['about']),
    parent: toParent(row),
    snapshotHead: Number(row['snapshot_head']),
    snapshotBytes: Number(row['snapshot_bytes']),
    tailBytes: Number(row['tail_bytes']),
  };
}

function toParent(row: Columns): SessionRow['parent'] {
  const id = textOrNull(row['parent_id']);
  return id === null ? null : { id, at: Number(row['parent_at']) };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

type EventPart = 'addEvents' | 'events' | 'snapshot' | 'putSnapshot';

function eventRows(prepare: Prepare, numberOf: NumberOf): Pick<Rows, EventPart> {
  const session = '(SELECT number FROM sessions WHERE id = ?1)';
  // An event's place is the number of its session and its own in one. Numbers come from JavaScript as floating point, which
  // has no room for it.
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
      return number === undefined ? [] : events().all(number, after, limit).map(toEvent);
    },
    snapshot: (id) => {
      const row = snapshot().get(id);
      return row === undefined ? undefined : toSnapshot(row);
    },
    putSnapshot: (id, { version, head, hash, text, checksum }) =>
      void putSnapshot().run(id, version, head, hash, text, checksum),
  };
}

function toEvent(row: Columns): EventRow {
  return { seq: Number(row['seq']), text: String(row['text']), hash: String(row['hash']) };
}

function toSnapshot(row: Columns): SnapshotRow {
  return {
    version: Number(row['version']),
    head: Number(row['head']),
    hash: String(row['hash']),
    text: String(row['text']),
    checksum: String(row['checksum']),
  };
}
