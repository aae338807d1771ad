import { DatabaseSync } from 'node:sqlite';
import { createSession } from '@pawl/core';
import { getProcessOwner } from '@pawl/runtime/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  saveRun,
  splitLines,
  createTestWorkspace,
  successfulRun,
  createTextReply,
  stuckRun,
  type TestWorkspace,
} from './test-workspace.ts';

let testWorkspace: TestWorkspace;
beforeEach(() => {
  testWorkspace = createTestWorkspace();
});
afterEach(() => testWorkspace.close());

const createSessionId = (number: number): string =>
  `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`;

describe('pawl sessions', () => {
  it('lists the sessions of this folder, newest first, with short ids', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: createSessionId(1) });
    await saveRun(testWorkspace, { ...stuckRun, id: createSessionId(2) });
    await saveRun(testWorkspace, { ...successfulRun, id: createSessionId(3), about: { dir: '/elsewhere' } });
    const { code, out, err } = await testWorkspace.pawl('sessions');
    expect(code).toBe(0);
    const [head = '', first = '', second = '', ...rest] = splitLines(out);
    expect(head).toMatch(/^id +when +status +profile +model +steps +goal$/);
    expect(first).toMatch(
      /^00000002 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}halted +pawl +scripted +5 {2}Find the key$/,
    );
    expect(second).toMatch(/^00000001 {2}.* waiting for the user +pawl +scripted +3 {2}Mend the roof$/);
    expect(rest).toEqual([]);
    expect(err).toBe('1 session in other folders; use --all to show them.\n');
  });

  it('lists the sessions of all folders with --all, up to --limit', async () => {
    for (const number of [1, 2, 3]) {
      await saveRun(testWorkspace, {
        ...successfulRun,
        id: createSessionId(number),
        about: { dir: `/${number}` },
        start: number * 100_000,
      });
    }
    expect((await testWorkspace.pawl('sessions')).err).toContain(
      'There are no sessions in this folder yet.\n3 sessions in other',
    );
    const rows = await testWorkspace.json('sessions', '--all', '--limit', '2');
    expect(rows.map(({ id, dir }) => [id, dir])).toEqual([
      [createSessionId(3), '/3'],
      [createSessionId(2), '/2'],
    ]);
    expect((await testWorkspace.pawl('sessions', '--all', '--limit', '2')).err).toBe(
      '1 more; use --limit to show them.\n',
    );
    expect((await testWorkspace.pawl('sessions', '--limit', 'few')).code).toBe(2);
  });

  it('prints one JSON object per line', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: createSessionId(1) });
    expect(await testWorkspace.json('sessions')).toEqual([
      {
        id: createSessionId(1),
        short: '00000001',
        profile: 'pawl',
        goal: 'Mend the roof',
        status: 'waitingForUser',
        running: false,
        createdAt: 1_700_000_000_000,
        updatedAt: 1_700_000_013_000,
        steps: 3,
        head: 8,
        parent: null,
        dir: testWorkspace.dir,
        model: 'scripted',
        about: { dir: testWorkspace.dir, model: 'scripted', profile: 'pawl' },
      },
    ]);
  });

  it('marks a session whose process is alive as running', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: createSessionId(1), owner: getProcessOwner() });
    await saveRun(testWorkspace, { ...stuckRun, id: createSessionId(2), owner: getProcessOwner() });
    const [ended = '', open = ''] = splitLines((await testWorkspace.pawl('sessions')).out).slice(1);
    expect(open).toContain('waiting for the user, running');
    expect(ended).not.toContain(', running');
  });

  it('marks a damaged session, and says what to do', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: createSessionId(1) });
    await saveRun(testWorkspace, { ...successfulRun, id: createSessionId(2) });
    const database = new DatabaseSync(testWorkspace.file);
    database.exec("UPDATE events SET text = replace(text, 'roof', 'hoof') WHERE session = 1");
    database.close();
    expect((await testWorkspace.store.verify(createSessionId(1))).ok).toBe(false);
    const { code, out, err } = await testWorkspace.pawl('sessions');
    expect(code).toBe(0);
    expect(splitLines(out).filter((line) => line.includes('damaged'))).toHaveLength(1);
    expect(err).toContain('00000001 is damaged. Restore the store');
    expect(err).toContain('remove the session: pawl rm 00000001');
    const shown = await testWorkspace.pawl('show', '00000001');
    expect((await testWorkspace.pawl('rm', '00000001', '--yes')).code).toBe(0);
    expect(shown.code).toBe(1);
    expect(splitLines(shown.err)).toEqual([
      expect.stringMatching(/^pawl: The session is damaged: session "00000001/),
    ]);
  });

  it('lists a session of a newer version, and names the version on show', async () => {
    const session = { ...createSession({ id: createSessionId(1), at: 0 }), version: 2 } as never;
    await testWorkspace.store.create(session, 'a test', { metadata: { dir: testWorkspace.dir } });
    expect((await testWorkspace.pawl('sessions')).out).toContain('00000001');
    for (const command of ['show', 'replay', 'export', 'fork']) {
      const { code, err } = await testWorkspace.pawl(command, createSessionId(1));
      expect([command, code, splitLines(err).length]).toEqual([command, 1, 1]);
      expect(err).toContain('newer version');
    }
  });

  it('escapes text from users and models', async () => {
    const goal = 'Wipe\u001b[2J the \u202escreen\n\tnow';
    await saveRun(testWorkspace, {
      id: createSessionId(1),
      goal,
      replies: [createTextReply('\u001b]0;title\u0007done')],
    });
    for (const args of [
      ['sessions'],
      ['show', 'last'],
      ['show', 'last', '--at', '1'],
      ['show', 'last', '--prompt', '1'],
      ['export', 'last', '--as', 'markdown'],
    ] as const) {
      const { out } = await testWorkspace.pawl(...args);
      // oxlint-disable-next-line no-control-regex
      expect(out).not.toMatch(/[\u001b\u0007\u202e]/);
      expect(out).toContain('Wipe\\x1b[2J the \\u202escreen');
    }
    expect(splitLines((await testWorkspace.pawl('sessions')).out)).toHaveLength(2);
  });

  it('has help, like the related commands', async () => {
    for (const command of ['sessions', 'show', 'replay', 'fork', 'diff', 'export', 'rm', 'prune']) {
      const { code, out } = await testWorkspace.pawl(command, '--help');
      expect([command, code]).toEqual([command, 0]);
      for (const text of ['Examples:\n  pawl ', '--store <where>', '--dir <folder>'])
        expect(out).toContain(text);
    }
  });

  it('lists five thousand sessions', async () => {
    await testWorkspace.store.create(createSession({ id: 'one', at: 0 }), 'a test', {
      metadata: { dir: testWorkspace.dir },
    });
    const database = new DatabaseSync(testWorkspace.file);
    const columns = database
      .prepare("SELECT name FROM pragma_table_info('sessions') WHERE name NOT IN ('id', 'number')")
      .all()
      .map(({ name }) => String(name))
      .join(', ');
    database.exec(`WITH RECURSIVE more(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM more WHERE n < 5000)
      INSERT INTO sessions (id, ${columns}) SELECT n || ' of many', ${columns} FROM sessions, more;
      INSERT INTO beginnings SELECT number, initial, about FROM sessions,
        (SELECT initial, about FROM beginnings) WHERE number NOT IN (SELECT session FROM beginnings)`);
    database.close();
    expect(await testWorkspace.json('sessions', '--limit', '5000')).toHaveLength(5_000);
  });
});
