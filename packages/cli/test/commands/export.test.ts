import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createSession, replay, type Event } from '@pawl/core';
import { stateHash, type Tool } from '@pawl/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../../src/main.ts';
import { fixtureBeside } from '../../src/commands/export-test.ts';
import { captureIo } from '../captured-io.ts';
import {
  keepRun,
  lines,
  look,
  lookTool,
  makePlace,
  plainRun,
  put,
  putTool,
  say,
  stuckRun,
  type Place,
} from './kept-sessions.ts';

let place: Place;
beforeEach(() => {
  place = makePlace();
});
afterEach(() => place.close());

const at = (name: string): string => join(place.dir, name);

describe('pawl export', () => {
  it('writes all of a session as one JSON or as lines, with the hashes of the store', async () => {
    await keepRun(place, { ...plainRun, id: 'roof' });
    const { session: created } = await place.store.open('roof', { at: 0 });
    const { session: end } = await place.store.open('roof');
    const kept: unknown[] = [];
    for await (const each of place.store.events('roof')) kept.push(each);
    const whole = JSON.parse((await place.pawl('export', 'roof')).out) as unknown;
    const about = { dir: place.dir, model: 'scripted', profile: 'pawl' };
    const start = { format: 'pawl-session', version: 1, id: 'roof', about, parent: null, created };
    const stop = { head: 8, stateHash: stateHash(end) };
    expect(whole).toEqual({ ...start, events: kept, ...stop });
    const each = lines((await place.pawl('export', 'roof', '--as', 'jsonl')).out);
    expect(each.map((line) => JSON.parse(line) as unknown)).toEqual([start, ...kept, stop]);
  });

  it.each(['json', 'jsonl'])('writes %s that pawl audit reads, with the same verdict', async (form) => {
    await keepRun(place, { ...stuckRun, id: 'loop' });
    const out = at(`loop.${form}`);
    await place.pawl('export', 'loop', '--as', form, '--out', out);
    const { io, out: said, err } = captureIo();
    expect(await main(['audit', out, '--json'], io)).toBe(3);
    expect(err()).toBe('');
    expect(JSON.parse(said())).toMatchObject({ runs: [{ id: 'loop', stuck: true }], problems: [] });
  });

  it('writes to a file of its owner alone, and over another only if that is wanted', async () => {
    await keepRun(place, { ...plainRun, id: 'roof' });
    const out = at('roof.json');
    expect((await place.pawl('export', 'roof', '--out', out)).err).toBe(`Wrote ${JSON.stringify(out)}.\n`);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const before = readFileSync(out, 'utf8');
    const again = await place.pawl('export', 'roof', '--out', out, '--as', 'markdown');
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('it is there already')]);
    expect(readFileSync(out, 'utf8')).toBe(before);
    expect((await place.pawl('export', 'roof', '--out', out, '--as', 'markdown', '--force')).code).toBe(0);
    expect(readFileSync(out, 'utf8')).toMatch(/^# Session/);
    expect((await place.pawl('export', 'roof', '--out', at('no/such/folder'))).err).toContain(
      'its folder does not exist',
    );
    expect((await place.pawl('export', 'roof', '--as', 'yaml')).err).toContain(
      'There are: json, jsonl, markdown, test.',
    );
  });

  it('writes a transcript in which nothing that anybody wrote is rendered', async () => {
    const trap = '```\n<script>alert(1)</script>\n````\n![x](https://example.org/x)';
    await keepRun(place, { id: 'trap', goal: trap, replies: [look('`a` | b'), say(trap)] });
    const { out } = await place.pawl('export', 'trap', '--as', 'markdown');
    const plain = withoutFences(out);
    expect(plain).not.toContain('<script>');
    expect(plain).not.toContain('![x]');
    expect(out).toContain(`\`\`\`\`\`text\n${trap}\n\`\`\`\`\``);
    expect(lines(plain).filter((line) => line.startsWith('#'))).toEqual([
      '# Session ` trap `',
      expect.stringMatching(/^## User, \d{4}-/),
      expect.stringMatching(/^## Model, \d{4}-.*, after 3\.0 s$/),
      '### Result of `` look {"at":"`a` | b"} ``',
      expect.stringMatching(/^## Model/),
      '## Ended: answered',
    ]);
  });
});

describe('a transcript', () => {
  it('has what the user said meanwhile, and what else happened, in its place', async () => {
    const session = createSession({ id: 'busy', at: 0 });
    const events: readonly Event[] = [
      { type: 'user-message', at: 1, text: 'Go' },
      { type: 'steered', at: 2, text: 'Faster' },
      { type: 'cancel-requested', at: 3, reason: 'enough' },
    ];
    const position = await place.store.create(session, 'a test');
    await place.store.append('busy', position, events, replay(session, events));
    const { out } = await place.pawl('export', 'busy', '--as', 'markdown');
    expect(out.replaceAll(/\d{4}-.*|\d\d:\d\d:\d\d/g, 'when')).toContain(
      '## User, when\n\n```text\nGo\n```\n\n## User, when\n\n```text\nFaster\n```\n\n- when session: ` cancel requested: enough `\n',
    );
  });
});

/** What a reader of Markdown would render: all but the fenced blocks and the code in lines. */
function withoutFences(markdown: string): string {
  let fence = '';
  const kept = lines(markdown).filter((line) => {
    const [ticks = ''] = /^`{3,}/.exec(line) ?? [];
    if (fence === '' && ticks !== '') fence = ticks;
    else if (fence !== '' && line === fence) fence = '';
    else return fence === '';
    return false;
  });
  return kept.map((line) => (line.startsWith('|') ? line.replaceAll(/(`+) .* \1/g, '') : line)).join('\n');
}

/** Of two calls, the second is done before the first. */
const slowLook: Tool = {
  ...lookTool,
  async run(args, context) {
    const isFirst = JSON.stringify(args).includes('first');
    await new Promise((done) => setTimeout(done, isFirst ? 50 : 1));
    return lookTool.run(args, context);
  },
};

describe('pawl export --as test', () => {
  const vitest = promisify(execFile);

  /** Runs the test files of the folder as somebody else would, with the packages of this project. */
  async function runTests(): Promise<string> {
    const root = resolve(import.meta.dirname, '../../../..');
    if (!existsSync(at('node_modules'))) symlinkSync(join(root, 'node_modules'), at('node_modules'));
    const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', place.dir, '--no-color'];
    const { stdout } = await vitest(process.execPath, args, { cwd: place.dir }).catch(
      (error: unknown) => error as { readonly stdout: string },
    );
    return stdout;
  }

  it('makes a test that does it all again, and that fails when it comes out otherwise', async () => {
    await keepRun(place, { ...plainRun, id: 'roof' });
    await keepRun(place, { ...stuckRun, id: 'key' });
    await keepRun(place, {
      id: 'beside',
      goal: 'Look at two things at once, then change one',
      replies: [
        {
          calls: [
            { tool: 'look', args: { at: 'first' } },
            { tool: 'look', args: { at: 'second' } },
          ],
        },
        {
          calls: [
            { tool: 'look', args: { at: 'third' } },
            { tool: 'put', args: { path: 'a', text: 'b' } },
          ],
        },
        { failure: { kind: 'auth', message: 'the key is bad', retryable: false } },
      ],
      agent: { tools: [slowLook, putTool] },
    });
    await keepRun(place, {
      id: 'asked',
      goal: 'Do "what"\nmay be done',
      replies: [put('a', 'b'), put('c', 'd'), say('Done what I may.')],
      agent: {
        rules: () => 'ask',
        decide: async ({ args }) =>
          JSON.stringify(args).includes('"a"')
            ? { decision: 'allow' }
            : { decision: 'deny', reason: 'not c' },
        hooks: async () => true,
      },
      settings: { mutatingTools: ['put'] },
    });
    for (const id of ['roof', 'key', 'beside', 'asked']) {
      const { code, err } = await place.pawl('export', id, '--as', 'test', '--out', at(`${id}.test.ts`));
      expect([code, err]).toEqual([0, expect.stringContaining(`${id}.session.json`)]);
    }
    expect(await runTests()).toMatch(/Tests +4 passed \(4\)/);
    const fixture = at('roof.session.json');
    writeFileSync(fixture, readFileSync(fixture, 'utf8').replaceAll('tiles', 'straw'));
    const stdout = await runTests();
    expect(stdout).toMatch(/Tests +1 failed \| 3 passed \(4\)/);
    expect(stdout).toContain('does again what it did: Mend the roof');
  }, 120_000);

  it('says where the two files go, and writes neither over another', async () => {
    await keepRun(place, { ...plainRun, id: 'roof' });
    expect((await place.pawl('export', 'roof', '--as', 'test')).err).toContain('say where with --out');
    expect(fixtureBeside('a/b.test.ts')).toBe('a/b.session.json');
    expect(fixtureBeside('b.mts')).toBe('b.session.json');
    expect(fixtureBeside('b')).toBe('b.session.json');
    writeFileSync(at('x.session.json'), 'mine');
    const { code, err } = await place.pawl('export', 'roof', '--as', 'test', '--out', at('x.test.ts'));
    expect([code, err]).toEqual([2, expect.stringContaining('x.session.json')]);
    expect(existsSync(at('x.test.ts'))).toBe(false);
  });

  it('makes none of a session that cannot be done again, and says why', async () => {
    const id = await keepRun(place, plainRun);
    const { fence, head, session } = await place.store.open(id);
    // A log that no agent has written: there was nothing to call off.
    await place.store.append(id, { fence, head }, [{ type: 'cancel-requested', at: 1 }], session);
    const { code, err } = await place.pawl('export', id, '--as', 'test', '--out', at('x.test.ts'));
    expect([code, err]).toEqual([
      1,
      'pawl: No test can be made of this session: Event 9 (cancel-requested) is not taken this time.\n',
    ]);
    expect(existsSync(at('x.session.json'))).toBe(false);
  });
});
