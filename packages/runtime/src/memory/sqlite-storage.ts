import type { Json, StoredEntry } from '@pawl/core';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { termsOf } from '../search/terms.ts';
import { hiddenWords } from '../search/words.ts';
import { LastingConnection } from '../store/lasting-connection.ts';
import { openDatabase, sqliteCodes } from '../store/sqlite-file.ts';
import { StorageError } from './storage-error.ts';
import { foundLimit, storageLimits, textOf, type Storage, type StorageQuery } from './storage.ts';

/** Opens a storage in a file, or makes it. A save that has returned survives the loss of power. */
export function openSqliteStorage(path: string): Storage {
  const connection = new LastingConnection(() => open(path));
  const write = writing(connection);
  const select: Select = (rest, ...values) =>
    connection
      .statement(`SELECT entries.* FROM ${rest}`)()
      .all(...values)
      .map(toEntry);
  return {
    async save(entries) {
      connection.write(() => entries.forEach((entry) => write.save(entry)));
    },
    async load(key) {
      return connection.read(() => select('entries WHERE key = ?', key)[0] ?? null);
    },
    async search(query) {
      return connection.read(() => search(select, query));
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

function writing(connection: LastingConnection): {
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
      const text = textOf(entry).replaceAll('\0', ' ');
      const before = find().get(key)?.['id'];
      if (before !== undefined) unindex().run(before);
      const row = write().get(key, key.toLowerCase(), JSON.stringify(value), kind, savedAt);
      index().run(Number(row?.['id']), key, text, hiddenWords(`${key} ${text}`));
    },
    remove(key) {
      const before = find().get(key)?.['id'];
      if (before === undefined) return false;
      unindex().run(before);
      remove().run(before);
      return true;
    },
  };
}

type Select = (rest: string, ...values: readonly SQLInputValue[]) => readonly StoredEntry[];

/** Entries with all the words, then those with any; only if there are none, those with them inside other words. */
function search(select: Select, query: StorageQuery): readonly StoredEntry[] {
  const limit = foundLimit(query);
  const tags = query.tags.slice(0, storageLimits.tags).map((tag) => tag.toLowerCase());
  const tagged = tags.map(() => ' AND instr(folded, ?) > 0').join('');
  const newest = 'ORDER BY saved_at DESC, entries.key LIMIT ?';
  const terms = termsOf(query.text);
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

function toEntry(row: Readonly<Record<string, unknown>>): StoredEntry {
  // Only `save` writes rows, so that what comes back is what went in.
  return {
    key: String(row['key']),
    value: JSON.parse(String(row['value'])) as Json,
    kind: String(row['kind']) as StoredEntry['kind'],
    savedAt: Number(row['saved_at']),
  };
}

const version = 1;

/** `words` has no copy of the text; `hidden` are words that the tokenizer cannot see in it. `porter` lets "stops" find "stop". */
const schema = `
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, folded TEXT NOT NULL, value TEXT NOT NULL,
    kind TEXT NOT NULL, saved_at REAL NOT NULL
  ) STRICT;
  CREATE INDEX entries_by_age ON entries (saved_at);
  CREATE VIRTUAL TABLE words USING fts5 (
    key, text, hidden, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
  );
  PRAGMA user_version = ${version}`;

const waitForOtherProcessesMs = 5_000;

function open(path: string): DatabaseSync {
  try {
    return openDatabase({
      path,
      waitMs: waitForOtherProcessesMs,
      check: (database) => void versionIn(database, path),
      migrate: (database) => makeTables(database, path),
    });
  } catch (error) {
    if (error instanceof StorageError) throw error;
    throw new StorageError(isNoDatabase(error) ? 'not-a-database' : 'unusable', path, error);
  }
}

/** 0 for a file that is still empty. */
function versionIn(database: DatabaseSync, path: string): number {
  // One statement, since another process may be making the tables at this moment.
  const row = database
    .prepare(
      'SELECT user_version AS version, (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_user_version',
    )
    .get();
  const found = Number(row?.['version']);
  if (found > version) throw new StorageError('too-new', path);
  if (found === 0 && Number(row?.['tables']) > 0) throw new StorageError('not-ours', path);
  return found;
}

/** All of them or none, by whichever process comes first. */
function makeTables(database: DatabaseSync, path: string): void {
  if (versionIn(database, path) === version) return;
  database.exec('BEGIN IMMEDIATE');
  // If something fails, the database is closed, which rolls this back.
  if (versionIn(database, path) === 0) database.exec(schema);
  database.exec('COMMIT');
}

function isNoDatabase(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteCodes.notADatabase;
}
