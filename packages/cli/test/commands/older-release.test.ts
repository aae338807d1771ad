import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toRecordedNames } from '../../../core/test/old-logs/recorded-names.ts';
import { createTestWorkspace, saveRun, stuckRun, type TestWorkspace } from './test-workspace.ts';

/* Sessions as a release before 0.2.0 stored and exported them: the same content under other names. */

let testWorkspace: TestWorkspace;
beforeEach(() => {
  testWorkspace = createTestWorkspace();
});
afterEach(() => testWorkspace.close());

function chainHash(previous: string, text: string): string {
  return createHash('sha256').update(`${previous}\n${text}`).digest('hex');
}

/** Gives the stored session the names of an older release, with a valid hash chain. */
function ageStoredSession(id: string): void {
  const database = new DatabaseSync(testWorkspace.file);
  const { number, initial } = database
    .prepare('SELECT number, initial FROM sessions JOIN beginnings ON session = number WHERE id = ?')
    .get(id) as { number: number; initial: string };
  const old = JSON.stringify(toRecordedNames(JSON.parse(initial) as object));
  expect(old).toContain('"spent"');
  let hash = chainHash('', old);
  database.prepare('UPDATE beginnings SET initial = ? WHERE session = ?').run(old, number);
  const rows = database.prepare('SELECT seq, text FROM events WHERE session = ? ORDER BY seq').all(number);
  for (const { seq, text } of rows as { seq: number; text: string }[]) {
    hash = chainHash(hash, text);
    database.prepare('UPDATE events SET hash = ? WHERE session = ? AND seq = ?').run(hash, number, seq);
  }
  database.prepare('UPDATE sessions SET hash = ? WHERE number = ?').run(hash, number);
  database.close();
}

describe('a session stored by an older release', () => {
  it('opens, replays and shows like one of this release', async () => {
    await saveRun(testWorkspace, { ...stuckRun, id: 'key' });
    const current = await testWorkspace.store.open('key');
    const shown = await testWorkspace.pawl('show', 'key');
    ageStoredSession('key');
    expect((await testWorkspace.store.open('key')).session).toEqual(current.session);
    expect((await testWorkspace.pawl('show', 'key')).out).toBe(shown.out);
    expect(await testWorkspace.json('replay', 'key')).toMatchObject([{ same: true }]);
  });

  it('is exported with current names, as a file whose hashes hold', async () => {
    await saveRun(testWorkspace, { ...stuckRun, id: 'key' });
    ageStoredSession('key');
    const file = join(testWorkspace.dir, 'key.jsonl');
    writeFileSync(file, (await testWorkspace.pawl('export', 'key', '--as', 'jsonl')).out);
    expect(await testWorkspace.json('replay', '--file', file)).toMatchObject([{ same: true }]);
  });
});

describe('a file exported by an older release', () => {
  it('replays, and its state hash is neither confirmed nor denied', async () => {
    await saveRun(testWorkspace, { ...stuckRun, id: 'key' });
    const { out } = await testWorkspace.pawl('export', 'key', '--as', 'json');
    const record = JSON.parse(out) as { created: object; events: { event: object }[] };
    const created = toRecordedNames(record.created);
    let hash = chainHash('', JSON.stringify(created));
    const events = record.events.map((stored) => {
      hash = chainHash(hash, JSON.stringify(stored.event));
      return { ...stored, hash };
    });
    const file = join(testWorkspace.dir, 'old.json');
    writeFileSync(file, JSON.stringify({ ...record, created, events }));
    expect(await testWorkspace.json('replay', '--file', file)).toMatchObject([
      { same: null, expected: null, status: 'halted', differsAt: null },
    ]);
    const { code, out: text } = await testWorkspace.pawl('replay', '--file', file);
    expect(code).toBe(0);
    expect(text).toContain('whose state hash cannot be compared');
    expect(text).not.toContain('Matches');
  });
});
