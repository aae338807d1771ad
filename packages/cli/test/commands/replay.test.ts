import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createSession } from '@pawl/core';
import { Agent } from '@pawl/runtime';
import { createLibrarian } from '@pawl/runtime/models';
import { indexFolder } from '@pawl/runtime/search';
import { createStoreEventLog, computeStateHash } from '@pawl/runtime/store';
import { createLibrarianTools } from '@pawl/runtime/tools';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startOpenAiServer } from '../openai-server.ts';
import {
  saveRun,
  splitLines,
  createLookReply,
  createTestWorkspace,
  successfulRun,
  createPutReply,
  createTextReply,
  stuckRun,
  type TestWorkspace,
} from './test-workspace.ts';

let testWorkspace: TestWorkspace;
beforeEach(() => {
  testWorkspace = createTestWorkspace();
});
afterEach(() => testWorkspace.close());

describe('pawl replay', () => {
  it('reaches the state in the store, with the same hash each time', async () => {
    await saveRun(testWorkspace, { ...stuckRun, id: 'key' });
    const hash = computeStateHash((await testWorkspace.store.open('key')).session);
    const told = {
      type: 'replay',
      id: 'key',
      events: 14,
      status: 'halted',
      stateHash: hash,
      expected: hash,
      same: true,
      differsAt: null,
      reason: null,
    };
    for (let time = 0; time < 3; time += 1) expect(await testWorkspace.json('replay', 'key')).toEqual([told]);
    const { code, out } = await testWorkspace.pawl('replay', 'key');
    expect(code).toBe(0);
    expect(out).toBe(
      `Replayed 14 events of key.\n  state       halted\n  state hash  ${hash}\nMatches the stored state.\n`,
    );
  });

  it('names the first event after which a wrong snapshot differs', async () => {
    await saveLongSession('long', 150);
    const database = new DatabaseSync(testWorkspace.file);
    const row = database.prepare('SELECT * FROM snapshots').get() ?? {};
    const text = String(row['text']).replace('step 1', 'leap 1');
    const sum = createHash('sha256').update(
      `${String(row['version'])}\n${String(row['head'])}\n${String(row['hash'])}\n`,
    );
    database.prepare('UPDATE snapshots SET text = ?, checksum = ?').run(text, sum.update(text).digest('hex'));
    database.close();
    const { code, out } = await testWorkspace.pawl('replay', 'long');
    expect(code).toBe(1);
    expect(out).toContain(`Does not match the stored state: it differs at event ${Number(row['head'])};`);
    expect(await testWorkspace.json('replay', 'long')).toMatchObject([
      { same: false, differsAt: Number(row['head']) },
    ]);
  });

  it('names the event that is no longer accepted', async () => {
    const id = await saveRun(testWorkspace, successfulRun);
    const { fence, head, session } = await testWorkspace.store.open(id);
    await testWorkspace.store.append(id, { fence, head }, [{ type: 'cancel-requested', at: 1 }], session);
    const { code, out } = await testWorkspace.pawl('replay', id);
    expect(code).toBe(1);
    expect(out).toContain('it differs at event 9; it is no longer accepted.');
  });

  it('requires a session or a file, but not both', async () => {
    for (const args of [[], ['some', '--file', 'x']]) {
      const { code, err } = await testWorkspace.pawl('replay', ...args);
      expect([code, err]).toEqual([2, expect.stringContaining('an id, or --file')]);
    }
  });
});

/** Stores a session that is long enough for a snapshot. */
async function saveLongSession(id: string, steps: number): Promise<void> {
  const replies = Array.from({ length: steps }, (_, index) => ({
    ...createLookReply(`step ${index}`),
    text: `step ${index}`,
  }));
  await saveRun(testWorkspace, {
    id,
    goal: 'Go on',
    replies: [...replies, createTextReply('There.')],
    settings: { governor: { preset: 'none', rules: {} } },
  });
}

const getWorkspacePath = (name: string): string => join(testWorkspace.dir, name);

describe('pawl replay --file', () => {
  const files = ['json', 'jsonl'] as const;
  async function exported(form: (typeof files)[number]): Promise<string> {
    const file = getWorkspacePath(`roof.${form}`);
    await testWorkspace.pawl('export', 'roof', '--as', form, '--out', file);
    return file;
  }

  it('replays an export to the same state', async () => {
    const strange = 'quote " newline \n lone \ud800 \u2028 and __proto__';
    await saveRun(testWorkspace, {
      id: 'roof',
      goal: strange,
      replies: [createLookReply('{"__proto__": 1}'), createPutReply('1', strange), createTextReply(strange)],
    });
    const [here] = await testWorkspace.json('replay', 'roof');
    for (const form of files) {
      const file = await exported(form);
      expect(await testWorkspace.json('replay', '--file', file)).toEqual([here]);
      expect((await testWorkspace.pawl('replay', '--file', file)).out).toContain(
        'Matches the exported state.',
      );
    }
  });

  it('finds the event that was changed, removed or moved', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    const all = splitLines(readFileSync(await exported('jsonl'), 'utf8'));
    const swapped = all.with(3, all[4] ?? '').with(4, all[3] ?? '');
    const changes: readonly (readonly [readonly string[], number])[] = [
      [all.with(5, (all[5] ?? '').replace('tiles', 'straw')), 5],
      [all.toSpliced(3, 1), 3],
      [swapped, 3],
      [all.with(0, (all[0] ?? '').replace('"maxRetries":3', '"maxRetries":4')), 1],
      [all.with(2, (all[2] ?? '').replace('model-replied', 'model-sneezed')), 2],
    ];
    for (const [changed, seq] of changes) {
      writeFileSync(getWorkspacePath('changed.jsonl'), `${changed.join('\n')}\n`);
      const { code, err } = await testWorkspace.pawl('replay', '--file', getWorkspacePath('changed.jsonl'));
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(`^pawl: Event ${seq} of .*differs from the exported event: `),
      ]);
      expect(await testWorkspace.json('replay', '--file', getWorkspacePath('changed.jsonl'))).toMatchObject([
        { same: false, differsAt: seq },
      ]);
    }
  });

  it('survives extremely deep nesting', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    const all = splitLines(readFileSync(await exported('jsonl'), 'utf8'));
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    for (const [line, code, from, to] of [
      [2, 1, '"args":{"at":"roof"}', `"args":${deep}`],
      [0, 2, '"settings":{', `"settings":{"x":${deep},`],
    ] as const) {
      writeFileSync(
        getWorkspacePath('deep.jsonl'),
        all.with(line, (all[line] ?? '').replace(from, to)).join('\n'),
      );
      const ran = await testWorkspace.pawl('replay', '--file', getWorkspacePath('deep.jsonl'));
      expect([line, ran.code, splitLines(ran.err)]).toEqual([
        line,
        code,
        [expect.stringContaining('nested too deep')],
      ]);
    }
  });

  it('rejects a file that is not an exported session in one line', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    const whole = readFileSync(await exported('json'), 'utf8');
    const cases: readonly (readonly [string, string])[] = [
      ['', 'line 1 is not a JSON object'],
      ['{"a":1', 'line 1 is not a JSON object'],
      ['{"a":1}', 'it was not written by pawl export'],
      ['[1]', 'it was not written by pawl export'],
      [
        whole.replace('"version":1', '"version":2'),
        'its version is 2, but this version of Pawl reads version 1',
      ],
      [whole.replace('"created":{"version":1', '"created":{"version":2'), 'a newer version of Pawl'],
      [whole.replace(/"turn":\{"status":"\w+"/, '"turn":{"status":7'), 'is incomplete'],
      [whole.replace('"head":8', '"head":9'), 'it should have 9 events but has 8'],
      [whole.replace('"stateHash":"', '"other":"'), 'its end is missing'],
    ];
    for (const [text, problem] of cases) {
      writeFileSync(getWorkspacePath('bad.json'), text);
      const { code, err } = await testWorkspace.pawl('replay', '--file', getWorkspacePath('bad.json'));
      expect([code, splitLines(err)]).toEqual([2, [expect.stringContaining(problem)]]);
    }
    expect((await testWorkspace.pawl('replay', '--file', getWorkspacePath('missing.json'))).err).toContain(
      'no such file',
    );
    expect((await testWorkspace.pawl('replay', '--file', testWorkspace.dir)).code).toBe(2);
  });

  it('reports when the same events lead to a different state', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    const file = await exported('json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"stateHash":"./, '"stateHash":"x'));
    const { code, out } = await testWorkspace.pawl('replay', '--file', file);
    expect(code).toBe(1);
    expect(out).toContain(
      'Does not match the exported state: it differs at event 8; the events match the export',
    );
  });
});

describe('pawl replay --with-model', () => {
  it('reports no difference if the model repeats its replies', async () => {
    writeFileSync(
      join(testWorkspace.dir, 'notes.md'),
      '# Garden party\n\nThe garden party is on the third of June.\n',
    );
    using folder = await indexFolder(testWorkspace.dir);
    const tools = createLibrarianTools(folder);
    const metadata = {
      dir: testWorkspace.dir,
      model: 'librarian',
      prompt: '',
      tools: tools.map(({ description }) => description),
    };
    const session = createSession({ id: 'party', at: 0 });
    const position = await testWorkspace.store.create(session, 'a test', { metadata });
    const agent = new Agent({
      session,
      tools,
      model: createLibrarian(),
      log: createStoreEventLog(testWorkspace.store, 'party', position),
    });
    void agent.sendMessage('When is the garden party?');
    await agent.waitUntilIdle();
    const { code, out, err } = await testWorkspace.pawl('replay', 'party', '--with-model');
    expect([code, err]).toEqual([0, '']);
    expect(splitLines(out).at(-1)).toMatch(/^librarian: all \d+ replies match\.$/);
    expect(splitLines(out)[0]).toBe('prompt 1 (event 2): same');
  });

  it('shows the first reply that differs, and stops there without --all', async () => {
    const server = await startOpenAiServer();
    try {
      server.says = (number) =>
        number === 1 ? { tool: 'look', args: { at: 'roof' } } : 'I would rather not.';
      await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
      const model = ['--model', 'openai-compatible:some', '--base-url', server.url];
      const { code, out, err } = await testWorkspace.pawl('replay', 'roof', '--with-model', ...model);
      expect(code).toBe(1);
      expect(splitLines(out)).toEqual([
        'prompt 1 (event 2): same',
        'prompt 2 (event 5): differs',
        '  recorded  put {"path":"roof.txt","text":"tiles"}',
        '  now       I would rather not.',
        expect.stringMatching(/: 1 of 2 compared replies differ\.$/),
      ]);
      expect(err).toBe(
        'The system prompt was not recorded; it is omitted.\nThe tools of that run were not recorded; only the tools that were called are offered.\n',
      );
      expect(server.asked.at(-1)?.messages.map(({ role }) => role)).toEqual([
        'system',
        'user',
        'assistant',
        'tool',
      ]);
      const all = await testWorkspace.json('replay', 'roof', '--with-model', '--all', ...model);
      expect(all.map(({ number, seq, same }) => [number, seq, same])).toEqual([
        [1, 2, false],
        [2, 5, false],
        [3, 8, false],
        [undefined, undefined, 0],
      ]);
      expect(all.at(-1)).toMatchObject({ type: 'summary', same: 0, different: 3 });
    } finally {
      server.close();
    }
  });

  it('reports a model failure', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    const bad = await testWorkspace.pawl('replay', 'roof', '--with-model', '--model', 'nobody:x');
    expect([bad.code, splitLines(bad.err)]).toEqual([2, [expect.stringContaining('nobody')]]);
    const model = ['--model', 'openai-compatible:some', '--base-url', 'http://127.0.0.1:9'];
    const { code, err } = await testWorkspace.pawl('replay', 'roof', '--with-model', ...model);
    expect([code, err]).toEqual([5, expect.stringContaining('pawl: prompt 1: the model failed: ')]);
    expect(await testWorkspace.json('replay', 'roof', '--with-model', ...model)).toMatchObject([
      { type: 'failure', number: 1 },
    ]);
  });
});
