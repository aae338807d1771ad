import type { TurnStatus } from '@pawl/core';
import { resolve } from 'node:path';
import type { StatementSync } from 'node:sqlite';
import { commandLimits } from './command-channel.ts';
import { createRowCommandChannel, createRowStore } from './row-store.ts';
import type { ReconnectingDatabase } from './sqlite-file.ts';
import {
  type CommandRows,
  type EventRow,
  type StoreRows,
  type SessionRow,
  type SnapshotRow,
  claimsMax,
} from './rows.ts';
import { openStoreConnection, translateStoreErrors, type SqliteStoreOptions } from './sqlite-connection.ts';
import type { Store, SessionClaim } from './store.ts';

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
  const { findNumber, ...sessions } = createSessionRows(prepare, cache);
  return {
    read: (work) => translateStoreErrors(path, () => cache.runTransaction(() => connection.read(work))),
    write: (work) => translateStoreErrors(path, () => cache.runTransaction(() => connection.write(work))),
    ...sessions,
    ...createEventRows(prepare, findNumber),
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
): Pick<StoreRows, SessionRowMethods> & { readonly findNumber: SessionNumberLookup } {
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
      cache.cacheRow({ number, row });
    },
    update: (row) => {
      const cached = cache.find(row.id, read);
      if (cached === undefined) return;
      update().run(...toColumnValues(row), cached.number);
      cache.cacheRow({ ...cached, row });
    },
    find: (id) => cache.find(id, read)?.row,
    findNumber: (id) => cache.find(id, read)?.number,
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
  findNumber: SessionNumberLookup,
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
      const number = findNumber(id);
      if (number === undefined) return;
      for (const { seq, text, hash } of rows) add().run(number, seq, text, hash);
    },
    events: (id, after, limit) => {
      const number = findNumber(id);
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

/** A session row and the session number under which its events are stored. */
export type CachedRow = { readonly number: number; readonly row: SessionRow };

/** Far more sessions than one process runs. */
const cachedRowsMax = 1_000;

/**
 * Caches the rows that one connection has read or written; they stay valid until another connection writes. An append
 * therefore need not reread what the previous append wrote.
 */
class RowCache {
  readonly #rows = new Map<string, CachedRow>();
  readonly #version: () => number;
  #cachedVersion = Number.NaN;
  #isCurrent = false;

  /** `version` changes whenever another connection writes. */
  constructor(version: () => number) {
    this.#version = version;
  }

  /** Wraps each transaction: within it, only its own writes change anything. */
  runTransaction<Result>(transaction: () => Result): Result {
    try {
      return transaction();
    } catch (error) {
      // The stored state and the connection itself are unknown after an error.
      this.#rows.clear();
      throw error;
    } finally {
      this.#isCurrent = false;
    }
  }

  find(id: string, read: (id: string) => CachedRow | undefined): CachedRow | undefined {
    if (!this.#isCurrent) this.#refresh();
    const cached = this.#rows.get(id) ?? read(id);
    if (cached !== undefined) this.cacheRow(cached);
    return cached;
  }

  cacheRow(cached: CachedRow): void {
    if (this.#rows.size >= cachedRowsMax) this.#rows.clear();
    this.#rows.set(cached.row.id, cached);
  }

  remove(id: string): void {
    this.#rows.delete(id);
  }

  #refresh(): void {
    const version = this.#version();
    if (version !== this.#cachedVersion) this.#rows.clear();
    this.#cachedVersion = version;
    this.#isCurrent = true;
  }
}

/** Reads and writes the claim history of sessions. */
function createSqliteClaims(prepare: PrepareStatement): Pick<StoreRows, 'addClaim' | 'claims'> {
  const session = '(SELECT number FROM sessions WHERE id = ?)';
  const add = prepare(
    `INSERT INTO claims (session, owner, at, head, status)
     VALUES (${session}, ?, round(unixepoch('subsec') * 1000), ?, ?)`,
  );
  const removeOld = prepare(
    `DELETE FROM claims WHERE session = ${session} AND number <= (
       SELECT number FROM claims WHERE session = ${session} ORDER BY number DESC LIMIT 1 OFFSET ${claimsMax}
     )`,
  );
  const all = prepare(
    `SELECT owner, at, head, status FROM claims WHERE session = ${session} ORDER BY number`,
  );
  return {
    addClaim: (id, { owner, head, status }) => {
      add().run(id, owner, head, status);
      removeOld().run(id, id);
    },
    claims: (id) =>
      all()
        .all(id)
        .map((row) => ({
          owner: String(row['owner']),
          at: Number(row['at']),
          head: Number(row['head']),
          status: String(row['status']) as SessionClaim['status'],
        })),
  };
}

type CommandRowMethods = 'addCommand' | 'commands' | 'findCommandId' | 'removeCommands';

/** Stores session commands. An executed command keeps its request id but not its text. */
function createSqliteCommands(prepare: PrepareStatement): Pick<CommandRows, CommandRowMethods> {
  const session = '(SELECT number FROM sessions WHERE id = ?)';
  const add = prepare(
    `INSERT INTO commands (session, request, text) VALUES (${session}, ?, ?) RETURNING number`,
  );
  const pending = prepare(
    `SELECT number, text FROM commands WHERE session = ${session} AND text IS NOT NULL ORDER BY number LIMIT ?`,
  );
  const byRequest = prepare(`SELECT number FROM commands WHERE session = ${session} AND request = ?`);
  const markExecuted = prepare(`UPDATE commands SET text = NULL WHERE session = ${session} AND number = ?`);
  const removeOld = prepare(
    `DELETE FROM commands WHERE session = ${session} AND text IS NULL AND (request IS NULL OR number <= (
       SELECT number FROM commands WHERE session = ${session} AND request IS NOT NULL
       ORDER BY number DESC LIMIT 1 OFFSET ${commandLimits.requestIdsMax}
     ))`,
  );
  return {
    addCommand: (id, text, request) => String(add().get(id, request, text)?.['number']),
    commands: (id, limit) =>
      pending()
        .all(id, limit)
        .map((row) => ({ id: String(row['number']), text: String(row['text']) })),
    findCommandId: (id, request) => {
      const row = byRequest().get(id, request);
      return row === undefined ? undefined : String(row['number']);
    },
    removeCommands: (id, commands) => {
      for (const command of commands) markExecuted().run(id, command);
      removeOld().run(id, id);
    },
  };
}
