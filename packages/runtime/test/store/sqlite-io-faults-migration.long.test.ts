import { copyFileSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { migrateStore } from '../../src/store/sqlite-connection.ts';
import { isSoak, createMemoryFolder, spawnTraced } from './sqlite-io-faults-tracing.ts';

const migratorScript = fileURLToPath(new URL('fixtures/migrator.ts', import.meta.url));

const first = `CREATE TABLE things (name TEXT NOT NULL) STRICT;
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
  INSERT INTO things SELECT printf('%0100d', i) FROM n`;
const second = `ALTER TABLE things ADD COLUMN length INTEGER;
  UPDATE things SET length = length(name);
  CREATE INDEX things_by_name ON things (name)`;
const third = 'CREATE TABLE more (x INTEGER) STRICT; INSERT INTO more VALUES (1)';
const steps = [first, second, third];

/** A database as an older version left it. */
function createOldDatabase(path: string): void {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL');
  migrateStore(database, path, [first]);
  database.close();
}

/** Everything that is in it, to be compared. */
function dumpDatabase(path: string): string {
  const database = new DatabaseSync(path);
  const tables = database.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all();
  const rows = database.prepare('SELECT * FROM things ORDER BY name').all();
  const version = database.prepare('PRAGMA user_version').get();
  const check = database.prepare('PRAGMA integrity_check').all();
  database.close();
  return JSON.stringify({ tables, rows, version, check });
}

type MigrationRun = {
  readonly isSaid: boolean;
  readonly hasFailed: boolean;
  readonly trace: string;
  readonly errorText: string;
};

async function runMigration(path: string, inject: string | null): Promise<MigrationRun> {
  const ofOurs = [path, `${path}-wal`].flatMap((each) => ['-P', each]);
  const what = inject === null ? [] : ['-e', `inject=${inject}`];
  const options = ['-s', '0', ...ofOurs, '-e', 'trace=fsync,pwrite64', ...what, '-o', `${path}.trace`];
  const child = spawnTraced(options, migratorScript, path, JSON.stringify(steps));
  const [said, errorText] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((done) => child.once('exit', done)),
  ]);
  const trace = readFileSync(`${path}.trace`, 'utf8');
  return {
    isSaid: said !== '',
    hasFailed: trace.includes('(INJECTED)') || trace.includes('killed by SIGKILL'),
    trace,
    errorText,
  };
}

describe('migrating a file', { tags: ['strace'] }, () => {
  it('completes or changes nothing, whichever system call fails', { timeout: 3_600_000 }, async () => {
    using folder = createMemoryFolder();
    const [old, upToDate] = [folder.at('old.db'), folder.at('new.db')];
    createOldDatabase(old);
    copyFileSync(old, upToDate);
    const { isSaid, trace } = await runMigration(upToDate, null);
    expect(isSaid).toBe(true);
    const [before, after] = [dumpDatabase(old), dumpDatabase(upToDate)];
    expect(before).not.toBe(after);
    const faults = ['fsync', 'pwrite64'].flatMap((call) => {
      const count = trace.split(` ${call}(`).length - 1;
      const places = Array.from({ length: count }, (_, index) => index + 1);
      const kinds = ['error=EIO', 'error=ENOSPC', 'signal=SIGKILL'];
      return places.flatMap((callNumber) => kinds.map((kind) => `${call}:${kind}:when=${callNumber}`));
    });
    expect(faults.length).toBeGreaterThan(100);
    const chosen = isSoak ? faults : faults.filter((_, index) => index % Math.ceil(faults.length / 10) === 1);
    const seen = { old: 0, new: 0 };
    for (const [index, fault] of chosen.entries()) {
      const path = folder.at(`${index}.db`);
      copyFileSync(old, path);
      const { isSaid: isDone, hasFailed, errorText } = await runMigration(path, fault);
      const content = dumpDatabase(path);
      expect(hasFailed, `${fault}: ${errorText}`).toBe(true);
      expect(content === after || (content === before && !isDone), fault).toBe(true);
      seen[content === after ? 'new' : 'old'] += 1;
      const database = new DatabaseSync(path);
      migrateStore(database, path, steps);
      database.close();
      expect(dumpDatabase(path)).toBe(after);
    }
    console.log(
      `migrations cut short: ${chosen.length} of ${faults.length}, ${seen.old} as before, ${seen.new} up to date`,
    );
    expect(seen.old).toBeGreaterThan(0);
  });
});
