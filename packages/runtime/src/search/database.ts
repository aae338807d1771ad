import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';
import { isMarkdown, weightOf } from './file-kind.ts';
import { isImport } from './imports.ts';
import type { Passage } from './passages.ts';
import { hiddenWords } from './words.ts';

export type Row = Record<string, SQLOutputValue>;

/** The passages of a folder in a database. */
export type Passages = {
  add(path: string, passage: Passage): void;
  /** Called once, when everything is there. */
  seal(): void;
  /** Changes several things at once, or none of them. */
  change(work: () => void): void;
  remove(path: string): void;
  size(): number;
  all(sql: string, ...values: readonly SQLInputValue[]): readonly Row[];
  count(condition: string, ...values: readonly SQLInputValue[]): number;
  close(): void;
};

/** The one place where the database is opened and made. */
export function openPassages(): Passages {
  const database = new DatabaseSync(':memory:');
  database.exec(schema);
  const insert = database.prepare(
    'INSERT INTO passages (text, heading, outer, path, hidden, first, last, weight) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  let size = 0;
  database.exec('BEGIN');
  return {
    add(path, { text, headings, first, last }) {
      const outer = headings.slice(0, -1).join(' > ');
      const hidden = hiddenWords(`${path} ${text}`);
      insert.run(text, headings.at(-1) ?? '', outer, path, hidden, first, last, weigh(path, text));
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
 * `heading` is the nearest, `outer` those above it; `hidden` are words that the tokenizer cannot see in the text. `porter`
 * lets "stops" find "stop". `vocabulary` is a view of all the words there are, as stems.
 */
const schema = `
  CREATE VIRTUAL TABLE passages USING fts5 (
    text, heading, outer, path, hidden, first UNINDEXED, last UNINDEXED, weight UNINDEXED,
    tokenize = 'porter unicode61 remove_diacritics 2'
  );
  CREATE VIRTUAL TABLE vocabulary USING fts5vocab ('passages', 'row')`;

/** Imports name much and say nothing. */
const importsWeight = 0.2;

function weigh(path: string, text: string): number {
  const isImports = !isMarkdown(path) && text.split('\n').every(isImport);
  return weightOf(path) * (isImports ? importsWeight : 1);
}
