import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSession, replay, type Event } from '@pawl/core';
import { computeStateHash } from '@pawl/runtime/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../../src/main.ts';
import { getFixturePath } from '../../src/commands/export/test-file.ts';
import { captureIo } from '../capture-io.ts';
import {
  saveRun,
  splitLines,
  createLookReply,
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

const getWorkspacePath = (name: string): string => join(testWorkspace.dir, name);

describe('pawl export', () => {
  it('writes a whole session as one JSON object or as lines, with the hashes of the store', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    const { session: created } = await testWorkspace.store.open('roof', { at: 0 });
    const { session: end } = await testWorkspace.store.open('roof');
    const stored: unknown[] = [];
    for await (const each of testWorkspace.store.events('roof')) stored.push(each);
    const whole = JSON.parse((await testWorkspace.pawl('export', 'roof')).out) as unknown;
    const about = { dir: testWorkspace.dir, model: 'scripted', profile: 'pawl' };
    const start = { format: 'pawl-session', version: 1, id: 'roof', about, parent: null, created };
    const stop = { head: 8, stateHash: computeStateHash(end) };
    expect(whole).toEqual({ ...start, events: stored, ...stop });
    const each = splitLines((await testWorkspace.pawl('export', 'roof', '--as', 'jsonl')).out);
    expect(each.map((line) => JSON.parse(line) as unknown)).toEqual([start, ...stored, stop]);
  });

  it.each(['json', 'jsonl'])('writes %s that pawl audit reads, with the same verdict', async (format) => {
    await saveRun(testWorkspace, { ...stuckRun, id: 'loop' });
    const out = getWorkspacePath(`loop.${format}`);
    await testWorkspace.pawl('export', 'loop', '--as', format, '--out', out);
    const { io, out: report, err } = captureIo();
    expect(await main(['audit', out, '--json'], io)).toBe(3);
    expect(err()).toBe('');
    expect(JSON.parse(report())).toMatchObject({ runs: [{ id: 'loop', stuck: true }], problems: [] });
  });

  it(
    'writes a file that only its owner can read, and overwrites one only with --force',
    { tags: ['unix'] },
    async () => {
      await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
      const out = getWorkspacePath('roof.json');
      expect((await testWorkspace.pawl('export', 'roof', '--out', out)).err).toBe(
        `Wrote ${JSON.stringify(out)}.\n`,
      );
      expect(statSync(out).mode & 0o777).toBe(0o600);
      const before = readFileSync(out, 'utf8');
      const again = await testWorkspace.pawl('export', 'roof', '--out', out, '--as', 'markdown');
      expect([again.code, again.err]).toEqual([2, expect.stringContaining('the file exists')]);
      expect(readFileSync(out, 'utf8')).toBe(before);
      expect(
        (await testWorkspace.pawl('export', 'roof', '--out', out, '--as', 'markdown', '--force')).code,
      ).toBe(0);
      expect(readFileSync(out, 'utf8')).toMatch(/^# Session/);
      expect(
        (await testWorkspace.pawl('export', 'roof', '--out', getWorkspacePath('no/such/folder'))).err,
      ).toContain('its folder does not exist');
      expect((await testWorkspace.pawl('export', 'roof', '--as', 'yaml')).err).toContain(
        'Available: json, jsonl, markdown, test.',
      );
    },
  );

  it('writes a transcript in which no recorded text is rendered as Markdown', async () => {
    const trap = '```\n<script>alert(1)</script>\n````\n![x](https://example.org/x)';
    await saveRun(testWorkspace, {
      id: 'trap',
      goal: trap,
      replies: [createLookReply('`a` | b'), createTextReply(trap)],
    });
    const { out } = await testWorkspace.pawl('export', 'trap', '--as', 'markdown');
    const plain = removeFences(out);
    expect(plain).not.toContain('<script>');
    expect(plain).not.toContain('![x]');
    expect(out).toContain(`\`\`\`\`\`text\n${trap}\n\`\`\`\`\``);
    expect(splitLines(plain).filter((line) => line.startsWith('#'))).toEqual([
      '# Session ` trap `',
      expect.stringMatching(/^## User, \d{4}-/),
      expect.stringMatching(/^## Model, \d{4}-.*, after 3\.0 s$/),
      '### Result of `` look {"at":"`a` | b"} ``',
      expect.stringMatching(/^## Model/),
      '## Ended: answered',
    ]);
  });
});

describe('an exported transcript', () => {
  it('contains steering messages and other events in order', async () => {
    const session = createSession({ id: 'busy', at: 0 });
    const events: readonly Event[] = [
      { type: 'user-message', at: 1, text: 'Go' },
      { type: 'steered', at: 2, text: 'Faster' },
      { type: 'cancel-requested', at: 3, reason: 'enough' },
    ];
    const position = await testWorkspace.store.create(session, 'a test');
    await testWorkspace.store.append('busy', position, events, replay(session, events));
    const { out } = await testWorkspace.pawl('export', 'busy', '--as', 'markdown');
    expect(out.replaceAll(/\d{4}-.*|\d\d:\d\d:\d\d/g, 'when')).toContain(
      '## User, when\n\n```text\nGo\n```\n\n## User, when\n\n```text\nFaster\n```\n\n- when session: ` cancel requested: enough `\n',
    );
  });
});

/** Returns what a Markdown viewer renders: everything except fenced blocks and inline code. */
function removeFences(markdown: string): string {
  let fence = '';
  const rendered = splitLines(markdown).filter((line) => {
    const [ticks = ''] = /^`{3,}/.exec(line) ?? [];
    if (fence === '' && ticks !== '') fence = ticks;
    else if (fence !== '' && line === fence) fence = '';
    else return fence === '';
    return false;
  });
  return rendered
    .map((line) => (line.startsWith('|') ? line.replaceAll(/(`+) .* \1/g, '') : line))
    .join('\n');
}

describe('pawl export --as test', () => {
  it('requires --out and overwrites neither of the two files', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    expect((await testWorkspace.pawl('export', 'roof', '--as', 'test')).err).toContain(
      'specify the path with --out',
    );
    expect(getFixturePath('a/b.test.ts')).toBe('a/b.session.json');
    expect(getFixturePath('b.mts')).toBe('b.session.json');
    expect(getFixturePath('b')).toBe('b.session.json');
    writeFileSync(getWorkspacePath('x.session.json'), 'mine');
    const { code, err } = await testWorkspace.pawl(
      'export',
      'roof',
      '--as',
      'test',
      '--out',
      getWorkspacePath('x.test.ts'),
    );
    expect([code, err]).toEqual([2, expect.stringContaining('x.session.json')]);
    expect(existsSync(getWorkspacePath('x.test.ts'))).toBe(false);
  });

  it('fails with a reason for a session that cannot be replayed', async () => {
    const id = await saveRun(testWorkspace, successfulRun);
    const { fence, head, session } = await testWorkspace.store.open(id);
    // No agent writes such a log: there was nothing to cancel.
    await testWorkspace.store.append(id, { fence, head }, [{ type: 'cancel-requested', at: 1 }], session);
    const { code, err } = await testWorkspace.pawl(
      'export',
      id,
      '--as',
      'test',
      '--out',
      getWorkspacePath('x.test.ts'),
    );
    expect([code, err]).toEqual([
      1,
      'pawl: Cannot generate a test from this session: Event 9 (cancel-requested) is not accepted in the replay.\n',
    ]);
    expect(existsSync(getWorkspacePath('x.session.json'))).toBe(false);
  });
});
