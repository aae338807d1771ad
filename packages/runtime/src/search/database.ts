import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';
import { isMarkdown, getFileWeight, isImportLine } from './file-kind.ts';
import type { TextPassage } from './passages.ts';
import { extractHiddenWords } from './words.ts';

export type PassageRow = Record<string, SQLOutputValue>;

/** The passages of a folder in an in-memory database. */
export type PassageDatabase = {
  add(path: string, passage: TextPassage): void;
  /** Call once, after all passages are added. */
  seal(): void;
  /** Runs several changes in one transaction. */
  change(work: () => void): void;
  remove(path: string): void;
  size(): number;
  all(sql: string, ...values: readonly SQLInputValue[]): readonly PassageRow[];
  count(condition: string, ...values: readonly SQLInputValue[]): number;
  close(): void;
};

/** Opens the database and creates its schema. */
export function openPassageDatabase(): PassageDatabase {
  const database = new DatabaseSync(':memory:');
  database.exec(passageSchema);
  const insert = database.prepare(
    'INSERT INTO passages (text, heading, outer, path, hidden, first, last, weight) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  let size = 0;
  database.exec('BEGIN');
  return {
    add(path, { text, headings, first, last }) {
      const outer = headings.slice(0, -1).join(' > ');
      const hidden = extractHiddenWords(`${path} ${text}`);
      insert.run(
        text,
        headings.at(-1) ?? '',
        outer,
        path,
        hidden,
        first,
        last,
        computePassageWeight(path, text),
      );
      size++;
    },
    seal() {
      database.exec("COMMIT; INSERT INTO passages (passages) VALUES ('optimize')");
    },
    change(work) {
      database.exec('BEGIN');
      try {
        work();
        database.exec('COMMIT');
      } catch (error) {
        database.exec('ROLLBACK');
        throw error;
      }
    },
    remove(path) {
      size -= Number(database.prepare('DELETE FROM passages WHERE path = ?').run(path).changes);
    },
    size: () => size,
    all: (sql, ...values) => database.prepare(sql).all(...values),
    count(condition, ...values) {
      const sql = `SELECT count(*) AS n FROM passages WHERE ${condition}`;
      return Number(database.prepare(sql).get(...values)?.['n']);
    },
    close() {
      if (database.isOpen) database.close();
    },
  };
}

/**
 * `heading` is the nearest heading, `outer` those above it; `hidden` are words that the tokenizer cannot see in the
 * text. `porter` lets "stops" find "stop". `vocabulary` lists all indexed words as stems.
 */
const passageSchema = `
  CREATE VIRTUAL TABLE passages USING fts5 (
    text, heading, outer, path, hidden, first UNINDEXED, last UNINDEXED, weight UNINDEXED,
    tokenize = 'porter unicode61 remove_diacritics 2'
  );
  CREATE VIRTUAL TABLE vocabulary USING fts5vocab ('passages', 'row')`;

/** Imports mention many names but explain nothing. */
const importsWeight = 0.2;

function computePassageWeight(path: string, text: string): number {
  const isImports = !isMarkdown(path) && text.split('\n').every(isImportLine);
  return getFileWeight(path) * (isImports ? importsWeight : 1);
}
