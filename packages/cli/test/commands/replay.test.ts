import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createSession } from '@pawl/core';
import { Agent, createLibrarian, eventLogOn, indexFolder, librarianTools, stateHash } from '@pawl/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startOpenAiServer } from '../openai-server.ts';
import {
  keepRun,
  lines,
  look,
  makePlace,
  plainRun,
  put,
  say,
  stuckRun,
  type Place,
} from './kept-sessions.ts';

let place: Place;
beforeEach(() => {
  place = makePlace();
});
afterEach(() => place.close());

describe('pawl replay', () => {
  it('comes to the session that the store opens, with the same hash each time', async () => {
    await keepRun(place, { ...stuckRun, id: 'key' });
    const hash = stateHash((await place.store.open('key')).session);
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
    for (let time = 0; time < 3; time += 1) expect(await place.json('replay', 'key')).toEqual([told]);
    const { code, out } = await place.pawl('replay', 'key');
    expect(code).toBe(0);
    expect(out).toBe(
      `Replayed 14 events of key.\n  state       halted\n  state hash  ${hash}\nThe same as what the store opens.\n`,
    );
  });

  it('says from which event on the store opens another session, if a snapshot is wrong', async () => {
    await keepLong('long', 150);
    const database = new DatabaseSync(place.file);
    const row = database.prepare('SELECT * FROM snapshots').get() ?? {};
    const text = String(row['text']).replace('step 1', 'leap 1');
    const sum = createHash('sha256').update(
      `${String(row['version'])}\n${String(row['head'])}\n${String(row['hash'])}\n`,
    );
    database.prepare('UPDATE snapshots SET text = ?, checksum = ?').run(text, sum.update(text).digest('hex'));
    database.close();
    const { code, out } = await place.pawl('replay', 'long');
    expect(code).toBe(1);
    expect(out).toContain(
      `Not the same as what the store opens: it differs at event ${Number(row['head'])};`,
    );
    expect(await place.json('replay', 'long')).toMatchObject([
      { same: false, differsAt: Number(row['head']) },
    ]);
  });

  it('says which event is not taken any more', async () => {
    const id = await keepRun(place, plainRun);
    const { fence, head, session } = await place.store.open(id);
    await place.store.append(id, { fence, head }, [{ type: 'cancel-requested', at: 1 }], session);
    const { code, out } = await place.pawl('replay', id);
    expect(code).toBe(1);
    expect(out).toContain('it differs at event 9; it is not taken any more.');
  });

  it('wants a session or a file, and not both', async () => {
    for (const args of [[], ['some', '--file', 'x']]) {
      const { code, err } = await place.pawl('replay', ...args);
      expect([code, err]).toEqual([2, expect.stringContaining('its id, or --file')]);
    }
  });
});

/** Keeps a session that is long enough for a snapshot. */
async function keepLong(id: string, steps: number): Promise<void> {
  const replies = Array.from({ length: steps }, (_, index) => ({
    ...look(`step ${index}`),
    text: `step ${index}`,
  }));
  await keepRun(place, {
    id,
    goal: 'Go on',
    replies: [...replies, say('There.')],
    settings: { governor: { preset: 'none', rules: {} } },
  });
}

const at = (name: string): string => join(place.dir, name);

describe('pawl replay --file', () => {
  const files = ['json', 'jsonl'] as const;
  async function exported(form: (typeof files)[number]): Promise<string> {
    const file = at(`roof.${form}`);
    await place.pawl('export', 'roof', '--as', form, '--out', file);
    return file;
  }

  it('reads back what was exported, and comes to the same', async () => {
    const strange = 'quote " newline \n lone \ud800 \u2028 and __proto__';
    await keepRun(place, {
      id: 'roof',
      goal: strange,
      replies: [look('{"__proto__": 1}'), put('1', strange), say(strange)],
    });
    const [here] = await place.json('replay', 'roof');
    for (const form of files) {
      const file = await exported(form);
      expect(await place.json('replay', '--file', file)).toEqual([here]);
      expect((await place.pawl('replay', '--file', file)).out).toContain('The same as what the file says.');
    }
  });

  it('finds the event that was changed, left out or put elsewhere', async () => {
    await keepRun(place, { ...plainRun, id: 'roof' });
    const all = lines(readFileSync(await exported('jsonl'), 'utf8'));
    const swapped = all.with(3, all[4] ?? '').with(4, all[3] ?? '');
    const changes: readonly (readonly [readonly string[], number])[] = [
      [all.with(5, (all[5] ?? '').replace('tiles', 'straw')), 5],
      [all.toSpliced(3, 1), 3],
      [swapped, 3],
      [all.with(0, (all[0] ?? '').replace('"maxRetries":3', '"maxRetries":4')), 1],
      [all.with(2, (all[2] ?? '').replace('model-replied', 'model-sneezed')), 2],
    ];
    for (const [changed, seq] of changes) {
      writeFileSync(at('changed.jsonl'), `${changed.join('\n')}\n`);
      const { code, err } = await place.pawl('replay', '--file', at('changed.jsonl'));
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(`^pawl: Event ${seq} of .*is not as it was exported: `),
      ]);
      expect(await place.json('replay', '--file', at('changed.jsonl'))).toMatchObject([
        { same: false, differsAt: seq },
      ]);
    }
  });

  it('is not brought down by what is nested deeper than anything can be', async () => {
    await keepRun(place, { ...plainRun, id: 'roof' });
    const all = lines(readFileSync(await exported('jsonl'), 'utf8'));
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    for (const [line, code, from, to] of [
      [2, 1, '"args":{"at":"roof"}', `"args":${deep}`],
      [0, 2, '"settings":{', `"settings":{"x":${deep},`],
    ] as const) {
      writeFileSync(at('deep.jsonl'), all.with(line, (all[line] ?? '').replace(from, to)).join('\n'));
      const ran = await place.pawl('replay', '--file', at('deep.jsonl'));
      expect([line, ran.code, lines(ran.err)]).toEqual([
        line,
        code,
        [expect.stringContaining('nested too deep')],
      ]);
    }
  });

  it('refuses what is no exported session with one line', async () => {
    await keepRun(place, { ...plainRun, id: 'roof' });
    const whole = readFileSync(await exported('json'), 'utf8');
    const cases: readonly (readonly [string, string])[] = [
      ['', 'line 1 is not a JSON object'],
      ['{"a":1', 'line 1 is not a JSON object'],
      ['{"a":1}', 'it was not made by pawl export'],
      ['[1]', 'it was not made by pawl export'],
      [whole.replace('"version":1', '"version":2'), 'its version is 2, and this Pawl reads 1'],
      [whole.replace('"created":{"version":1', '"created":{"version":2'), 'a newer version of Pawl'],
      [whole.replace(/"turn":\{"status":"\w+"/, '"turn":{"status":7'), 'is not whole'],
      [whole.replace('"head":8', '"head":9'), 'it should have 9 events and has 8'],
      [whole.replace('"stateHash":"', '"other":"'), 'its end is missing'],
    ];
    for (const [text, problem] of cases) {
      writeFileSync(at('bad.json'), text);
      const { code, err } = await place.pawl('replay', '--file', at('bad.json'));
      expect([code, lines(err)]).toEqual([2, [expect.stringContaining(problem)]]);
    }
    expect((await place.pawl('replay', '--file', at('missing.json'))).err).toContain('no such file');
    expect((await place.pawl('replay', '--file', place.dir)).code).toBe(2);
  });

  it('says when the same events lead elsewhere', async () => {
    await keepRun(place, { ...plainRun, id: 'roof' });
    const file = await exported('json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"stateHash":"./, '"stateHash":"x'));
    const { code, out } = await place.pawl('replay', '--file', file);
    expect(code).toBe(1);
    expect(out).toContain(
      'Not the same as what the file says: it differs at event 8; every event is as exported',
    );
  });
});

describe('pawl replay --with-model', () => {
  it('finds nothing where the model says the same again', async () => {
    writeFileSync(
      join(place.dir, 'notes.md'),
      '# Garden party\n\nThe garden party is on the third of June.\n',
    );
    using folder = await indexFolder(place.dir);
    const tools = librarianTools(folder);
    const about = {
      dir: place.dir,
      model: 'librarian',
      prompt: '',
      tools: tools.map(({ description }) => description),
    };
    const session = createSession({ id: 'party', at: 0 });
    const position = await place.store.create(session, 'a test', { about });
    const agent = new Agent({
      session,
      tools,
      model: createLibrarian(),
      log: eventLogOn(place.store, 'party', position),
    });
    void agent.say('When is the garden party?');
    await agent.idle();
    const { code, out, err } = await place.pawl('replay', 'party', '--with-model');
    expect([code, err]).toEqual([0, '']);
    expect(lines(out).at(-1)).toMatch(/^librarian says the same in all \d+ replies\.$/);
    expect(lines(out)[0]).toBe('prompt 1 (event 2): the same');
  });

  it('shows where another model says something else, and stops there unless told to go on', async () => {
    const server = await startOpenAiServer();
    try {
      server.says = (number) =>
        number === 1 ? { tool: 'look', args: { at: 'roof' } } : 'I would rather not.';
      await keepRun(place, { ...plainRun, id: 'roof' });
      const model = ['--model', 'openai-compatible:some', '--base-url', server.url];
      const { code, out, err } = await place.pawl('replay', 'roof', '--with-model', ...model);
      expect(code).toBe(1);
      expect(lines(out)).toEqual([
        'prompt 1 (event 2): the same',
        'prompt 2 (event 5): differs',
        '  recorded  put {"path":"roof.txt","text":"tiles"}',
        '  now       I would rather not.',
        expect.stringMatching(/says something else in 1 of 2 replies that were looked at\.$/),
      ]);
      expect(err).toBe(
        'What the model was told first is not on record: it is left out.\nThe tools of that run are not on record: those that were called are offered as they were called.\n',
      );
      expect(server.asked.at(-1)?.messages.map(({ role }) => role)).toEqual([
        'system',
        'user',
        'assistant',
        'tool',
      ]);
      const all = await place.json('replay', 'roof', '--with-model', '--all', ...model);
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

  it('says so when the model cannot be asked', async () => {
    await keepRun(place, { ...plainRun, id: 'roof' });
    const bad = await place.pawl('replay', 'roof', '--with-model', '--model', 'nobody:x');
    expect([bad.code, lines(bad.err)]).toEqual([2, [expect.stringContaining('nobody')]]);
    const model = ['--model', 'openai-compatible:some', '--base-url', 'http://127.0.0.1:9'];
    const { code, err } = await place.pawl('replay', 'roof', '--with-model', ...model);
    expect([code, err]).toEqual([5, expect.stringContaining('pawl: prompt 1: the model failed: ')]);
    expect(await place.json('replay', 'roof', '--with-model', ...model)).toMatchObject([
      { type: 'failure', number: 1 },
    ]);
  });
});
