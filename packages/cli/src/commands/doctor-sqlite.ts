import { DatabaseSync } from 'node:sqlite';
import type { DoctorCheck } from './doctor-check.ts';

/** Checks that SQLite has full-text search and JSON, which sessions and searches need. */
export function checkSqlite(): DoctorCheck {
  const name = 'sqlite';
  try {
    using database = new DatabaseSync(':memory:');
    database.exec('CREATE VIRTUAL TABLE words USING fts5(text)');
    const row = database.prepare(`SELECT sqlite_version() AS version, json('1') AS one`).get();
    return { name, needed: true, ok: true, found: String(row?.['version']), advice: null };
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    const advice =
      'Install Node.js from https://nodejs.org: this build lacks full-text search or JSON in SQLite.';
    return { name, needed: true, ok: false, found, advice };
  }
}
