import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { toSynchronousLevel, measureElapsed, type DurableContender } from './contender.ts';
import { recordCommits } from './pawl.ts';
import { countBenchMessages } from './bench-session.ts';

/** The practical lower bound: the same texts in the same commits as Pawl, in a minimal table. */
export const rawAppend: DurableContender = {
  name: 'raw append',
  version: null,
  async run({ steps, folder, tick }) {
    const commits = (await recordCommits(steps)).map((events) => ({
      texts: events.map((event) => JSON.stringify(event)),
      isTool: events.some(({ type }) => type === 'tool-started'),
    }));
    const database = new DatabaseSync(join(folder, 'raw.db'));
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    database.exec('CREATE TABLE events (seq INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT');
    const add = database.prepare('INSERT INTO events (text) VALUES (?)');
    const elapsed = await measureElapsed(() => {
      for (const { texts, isTool } of commits) {
        // A single statement is its own transaction.
        if (texts.length > 1) database.exec('BEGIN IMMEDIATE');
        for (const text of texts) add.run(text);
        if (texts.length > 1) database.exec('COMMIT');
        if (isTool) tick();
      }
    });
    const synchronous = toSynchronousLevel(database.prepare('PRAGMA synchronous').get()?.['synchronous']);
    database.close();
    return {
      ...elapsed,
      synchronous,
      textBytes: commits
        .flatMap(({ texts }) => texts)
        .reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    };
  },
  async open(folder) {
    const start = performance.now();
    const database = new DatabaseSync(join(folder, 'raw.db'));
    const events = database
      .prepare('SELECT text FROM events ORDER BY seq')
      .all()
      .map(({ text }) => JSON.parse(String(text)) as { readonly type: string });
    const ms = performance.now() - start;
    database.close();
    const steps = events.filter(({ type }) => type === 'tool-finished').length;
    return { ms, messages: countBenchMessages(steps), replayed: null };
  },
};
