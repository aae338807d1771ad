import type { Json } from '@pawl/core';
import type { StoredEntry } from '@pawl/core/memory';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { parseSearchTerms, extractHiddenWords } from '../search/words.ts';
import { ReconnectingDatabase, openDatabase, sqliteCodes } from '../store/sqlite-file.ts';
import {
  StorageError,
  getResultLimit,
  storageLimits,
  getEntryText,
  type EntryStorage,
  type StorageQuery,
} from './storage.ts';

/** Opens or creates a storage file. A completed save survives a power loss. */
export function openSqliteStorage(path: string): EntryStorage {
  const connection = new ReconnectingDatabase(() => openStorageDatabase(path));
  const write = createEntryWriter(connection);
  const select: EntrySelect = (rest, ...values) =>
    connection
      .statement(`SELECT entries.* FROM ${rest}`)()
      .all(...values)
      .map(parseEntryRow);
  return {
    async save(entries) {
      connection.write(() => entries.forEach((entry) => write.save(entry)));
    },
    async load(key) {
      return connection.read(() => select('entries WHERE key = ?', key)[0] ?? null);
    },
    async search(query) {
      return connection.read(() => searchSqliteEntries(select, query));
    },
    async list({ after = '', limit = storageLimits.listed } = {}) {
      return connection.read(() => select('entries WHERE key > ? ORDER BY key LIMIT ?', after, limit));
    },
    async remove(key) {
      return connection.write(() => write.remove(key));
    },
    async count() {
      const count = connection.statement('SELECT count(*) AS n FROM entries');
      return connection.read(() => Number(count().get()?.['n']));
    },
    async close() {
      connection.close();
    },
  };
}

function createEntryWriter(connection: ReconnectingDatabase): {
  save(entry: StoredEntry): void;
  remove(key: string): boolean;
} {
  const find = connection.statement('SELECT id FROM entries WHERE key = ?');
  const unindex = connection.statement('DELETE FROM words WHERE rowid = ?');
  const write = connection.statement(
    `INSERT INTO entries (key, folded, value, kind, saved_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value, kind = excluded.kind, saved_at = excluded.saved_at
     RETURNING id`,
  );
  const index = connection.statement('INSERT INTO words (rowid, key, text, hidden) VALUES (?, ?, ?, ?)');
  const remove = connection.statement('DELETE FROM entries WHERE id = ?');
  return {
    save(entry) {
      const { key, value, kind, savedAt } = entry;
      const text = getEntryText(entry).replaceAll('\0', ' ');
      const existingId = find().get(key)?.['id'];
      if (existingId !== undefined) unindex().run(existingId);
      const row = write().get(key, key.toLowerCase(), JSON.stringify(value), kind, savedAt);
      index().run(Number(row?.['id']), key, text, extractHiddenWords(`${key} ${text}`));
    },
    remove(key) {
      const existingId = find().get(key)?.['id'];
      if (existingId === undefined) return false;
      unindex().run(existingId);
      remove().run(existingId);
      return true;
    },
  };
}

type EntrySelect = (rest: string, ...values: readonly SQLInputValue[]) => readonly StoredEntry[];

/** Returns entries that match all terms, then those that match any; substring matches only if there are none. */
function searchSqliteEntries(select: EntrySelect, query: StorageQuery): readonly StoredEntry[] {
  const limit = getResultLimit(query);
  const tags = query.tags.slice(0, storageLimits.tags).map((tag) => tag.toLowerCase());
  const tagged = tags.map(() => ' AND instr(folded, ?) > 0').join('');
  const newest = 'ORDER BY saved_at DESC, entries.key LIMIT ?';
  const terms = parseSearchTerms(query.text);
  if (terms.length === 0) return select(`entries WHERE true${tagged} ${newest}`, ...tags, limit);
  const matching = (operator: string): readonly StoredEntry[] =>
    select(
      `words JOIN entries ON entries.id = words.rowid WHERE words MATCH ?${tagged} ORDER BY rank, saved_at DESC, entries.key LIMIT ?`,
      terms.map(({ expression }) => expression).join(` ${operator} `),
      ...tags,
      limit,
    );
  const found = new Map([...matching('AND'), ...matching('OR')].map((entry) => [entry.key, entry]));
  if (found.size > 0) return [...found.values()].slice(0, limit);
  const parts = terms
    .slice(0, storageLimits.substringTerms)
    .map(({ text }) => `%${text.replace(/[\\%_]/g, '\\$&')}%`);
  const inside = parts.map(() => "value LIKE ? ESCAPE '\\' OR entries.key LIKE ? ESCAPE '\\'").join(' OR ');
  const each = parts.flatMap((part) => [part, part]);
  return select(`entries WHERE (${inside})${tagged} ${newest}`, ...each, ...tags, limit);
}

function parseEntryRow(row: Readonly<Record<string, unknown>>): StoredEntry {
  // The casts are safe because only `save` writes rows.
  return {
    key: String(row['key']),
    value: JSON.parse(String(row['value'])) as Json,
    kind: String(row['kind']) as StoredEntry['kind'],
    savedAt: Number(row['saved_at']),
  };
}

const storageVersion = 1;

/**
 * `words` stores no copy of the text; `hidden` holds words that the tokenizer does not find in it. `porter` makes
 * "stops" match "stop".
 */
const storageSchema = `
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, folded TEXT NOT NULL, value TEXT NOT NULL,
    kind TEXT NOT NULL, saved_at REAL NOT NULL
  ) STRICT;
  CREATE INDEX entries_by_age ON entries (saved_at);
  CREATE VIRTUAL TABLE words USING fts5 (
    key, text, hidden, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
  );
  PRAGMA user_version = ${storageVersion}`;

const storageBusyTimeoutMs = 5_000;

function openStorageDatabase(path: string): DatabaseSync {
  try {
    return openDatabase({
      path,
      waitMs: storageBusyTimeoutMs,
      check: (database) => void readStorageVersion(database, path),
      migrate: (database) => createStorageTables(database, path),
    });
  } catch (error) {
    if (error instanceof StorageError) throw error;
    throw new StorageError(isNotDatabaseError(error) ? 'not-a-database' : 'unusable', path, error);
  }
}

/** Returns 0 for an empty file. */
function readStorageVersion(database: DatabaseSync, path: string): number {
  // A single statement, because another process may be creating the tables concurrently.
  const row = database
    .prepare(
      'SELECT user_version AS version, (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_user_version',
    )
    .get();
  const version = Number(row?.['version']);
  if (version > storageVersion) throw new StorageError('too-new', path);
  if (version === 0 && Number(row?.['tables']) > 0) throw new StorageError('not-ours', path);
  return version;
}

/** Creates the tables atomically; concurrent processes create them only once. */
function createStorageTables(database: DatabaseSync, path: string): void {
  if (readStorageVersion(database, path) === storageVersion) return;
  database.exec('BEGIN IMMEDIATE');
  // On failure the database is closed, which rolls the transaction back.
  if (readStorageVersion(database, path) === 0) database.exec(storageSchema);
  database.exec('COMMIT');
}

function isNotDatabaseError(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteCodes.notADatabase;
}
