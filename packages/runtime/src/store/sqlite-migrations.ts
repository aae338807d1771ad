import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from './store-error.ts';

/** "pawl" in ASCII: whose file this is. */
const applicationId = 0x7061776c;

/**
 * Each brings a database from the version before to the next; what has been released is never changed, only added to.
 * AUTOINCREMENT keeps the number of a removed session from being given to another.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE sessions (
     number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, initial TEXT NOT NULL,
     owner TEXT NOT NULL, fence INTEGER NOT NULL, head INTEGER NOT NULL, hash TEXT NOT NULL, damage TEXT,
     profile TEXT NOT NULL, goal TEXT, status TEXT NOT NULL, updated_at REAL NOT NULL, steps INTEGER NOT NULL,
     snapshot_head INTEGER NOT NULL, snapshot_bytes INTEGER NOT NULL, tail_bytes INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX sessions_by_age ON sessions (updated_at DESC, id);
   CREATE TABLE events (
     session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE, seq INTEGER NOT NULL,
     text TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (session, seq)
   ) STRICT;
   CREATE TABLE fences (only INTEGER PRIMARY KEY CHECK (only = 1), last INTEGER NOT NULL) STRICT;
   INSERT INTO fences VALUES (1, 0);
   CREATE TABLE snapshots (
     session INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE, version INTEGER NOT NULL,
     head INTEGER NOT NULL, hash TEXT NOT NULL, text TEXT NOT NULL, checksum TEXT NOT NULL
   ) STRICT`,
  // When a session was created stands in its beginning, unless that is damaged.
  `ALTER TABLE sessions ADD COLUMN created_at REAL NOT NULL DEFAULT 0;
   ALTER TABLE sessions ADD COLUMN about TEXT;
   ALTER TABLE sessions ADD COLUMN parent_id TEXT;
   ALTER TABLE sessions ADD COLUMN parent_at INTEGER;
   UPDATE sessions SET created_at = CASE
     WHEN NOT json_valid(initial) THEN updated_at
     WHEN json_type(initial, '$.turn.since') IN ('integer', 'real') THEN json_extract(initial, '$.turn.since')
     ELSE updated_at
   END`,
  // A row is written anew as a whole with every append: what is long and never changes does not belong in it, and an
  // index of what always changes costs more than a list saves by it.
  `CREATE TABLE beginnings (
     session INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE, initial TEXT NOT NULL, about TEXT
   ) STRICT;
   INSERT INTO beginnings SELECT number, initial, about FROM sessions;
   DROP INDEX sessions_by_age;
   ALTER TABLE sessions DROP COLUMN initial;
   ALTER TABLE sessions DROP COLUMN about`,
  // What was carried out has no text any more; it is only kept for as long as somebody may ask for it again. Here too no
  // number is ever given again.
  `CREATE TABLE commands (
     number INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
     request TEXT, text TEXT, UNIQUE (session, request)
   ) STRICT;
   CREATE INDEX commands_waiting ON commands (session, number) WHERE text IS NOT NULL`,
  // Of earlier claims nothing is known.
  `CREATE TABLE claims (
     number INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
     owner TEXT NOT NULL, at REAL NOT NULL, head INTEGER NOT NULL, status TEXT NOT NULL
   ) STRICT;
   CREATE INDEX claims_by_session ON claims (session, number)`,
  // The session and the number of an event are one number, which is the key of the table itself: a key of two columns was a
  // second tree, and every append wrote a page of it. No event was ever kept under a number that does not fit.
  `CREATE TABLE places (
     place INTEGER PRIMARY KEY, text TEXT NOT NULL, hash TEXT NOT NULL,
     session INTEGER GENERATED ALWAYS AS (place >> 32), seq INTEGER GENERATED ALWAYS AS (place & 4294967295)
   ) STRICT;
   INSERT INTO places (place, text, hash)
     SELECT (session << 32) + seq, text, hash FROM events WHERE seq BETWEEN 0 AND 4294967295 ORDER BY session, seq;
   DROP TABLE events;
   ALTER TABLE places RENAME TO events;
   CREATE TRIGGER events_go_with_their_session AFTER DELETE ON sessions BEGIN
     DELETE FROM events WHERE place BETWEEN old.number << 32 AND (old.number << 32) + 4294967295;
   END`,
];

/** Throws, and has changed nothing, if the file is not a store of this version or an older one. */
export function checkVersion(
  database: DatabaseSync,
  path: string,
  known: number = migrations.length,
): number {
  // One statement, since another process may be making the tables at this moment.
  const found = database
    .prepare(
      `SELECT user_version AS version, application_id AS application, (SELECT count(*) FROM sqlite_schema) AS tables
       FROM pragma_user_version, pragma_application_id`,
    )
    .get();
  const [version, tables] = [Number(found?.['version']), Number(found?.['tables'])];
  const isOurs = found?.['application'] === applicationId;
  if (isOurs ? version === 0 : tables > 0 || version > 0) {
    throw new StoreError('unreadable', JSON.stringify(path), 'this database belongs to another program');
  }
  if (version > known)
    throw new StoreError('newer', JSON.stringify(path), `version ${version}, not ${known}`);
  return version;
}

/** Brings a database up to date: all the way, or not at all. */
export function migrate(database: DatabaseSync, path: string, steps: readonly string[] = migrations): void {
  if (checkVersion(database, path, steps.length) === steps.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have done it while this one waited.
    const version = checkVersion(database, path, steps.length);
    for (const step of steps.slice(version)) database.exec(step);
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${steps.length}; COMMIT`);
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
