import { createSession, step, type Event, type Session } from '@pawl/core';
import { parseEvent } from '@pawl/runtime/schema';
import { computeStateHash } from '@pawl/runtime/store';
import type { Tool } from '@pawl/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startCpuTimer } from '../../../../scripts/testing/cpu-time.ts';
import {
  createLookReply,
  createPutReply,
  createTestWorkspace,
  createTextReply,
  putTool,
  saveRun,
  splitLines,
  stuckRun,
  successfulRun,
  type TestWorkspace,
} from './test-workspace.ts';

let testWorkspace: TestWorkspace;
beforeEach(() => {
  testWorkspace = createTestWorkspace();
});
afterEach(() => testWorkspace.close());

/** Stores a session with these events in one append. */
async function saveEvents(id: string, events: readonly Event[], settings = {}): Promise<Session> {
  const created = createSession({ id, at: 0, settings });
  const position = await testWorkspace.store.create(created, 'a test', {
    metadata: { dir: testWorkspace.dir },
  });
  let end = created;
  for (const event of events) end = step(end, event).session;
  expect(end.seq).toBe(events.length);
  await testWorkspace.store.append(id, position, events, end);
  return end;
}

describe('pawl show', () => {
  it('shows the totals, timeline and ending of a session', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    const { code, out } = await testWorkspace.pawl('show', 'roof');
    expect(code).toBe(0);
    expect(out.replaceAll(/\d\d:\d\d:\d\d/g, 'hh:mm:ss').replaceAll(/\d{4}-\d\d-\d\d/g, 'date')).toBe(
      `Session roof
  goal         Mend the roof
  folder       ${testWorkspace.dir}
  model        scripted
  profile      pawl
  state        waiting for the user
  started      date hh:mm:ss
  duration     13.0 s
  totals       3 steps, 2 tool calls, 1 file changed, 0 input tokens, 0 output tokens, 8 events

    1  hh:mm:ss              user       Mend the roof
    2  hh:mm:ss       3.0 s  model 1    I look at roof. · calls look {"at":"roof"}
    4  hh:mm:ss       1.0 s  tool       look {"at":"roof"} → nothing new at roof
    5  hh:mm:ss       2.0 s  model 2    calls put {"path":"roof.txt","text":"tiles"}
    7  hh:mm:ss       1.0 s  tool       put {"path":"roof.txt","text":"tiles"} → put 5 characters; changed roof.txt
    8  hh:mm:ss       3.0 s  model 3    The roof is mended.

Ended: answered
The roof is mended.
`,
    );
  });

  it('shows why a session was stopped, with the events as evidence', async () => {
    await saveRun(testWorkspace, { ...stuckRun, id: 'key' });
    const { out } = await testWorkspace.pawl('show', 'key');
    const end = splitLines(out.slice(out.indexOf('Ended:')));
    expect(end.slice(0, 2)).toEqual([
      'Ended: stuck (rule repeated-call)',
      '  look was called 4 times in a row with the same arguments and the same result',
    ]);
    expect(end.slice(3).map((line) => line.split(/ {2,}/).slice(1))).toEqual([
      ['event', 'action', 'result'],
      ...['4', '7', '10', '13'].map((seq) => [seq, 'look {"at":"drawer"}', 'nothing new at drawer']),
    ]);
    const objects = await testWorkspace.json('show', 'key');
    expect(objects.at(-1)).toMatchObject({
      type: 'ending',
      how: 'stuck',
      rule: 'repeated-call',
      evidence: [4, 7, 10, 13],
      proof: [{ seq: 4, what: 'look {"at":"drawer"}', came: 'nothing new at drawer' }, {}, {}, {}],
    });
    expect(out).toMatch(/verdict +advise by repeated-call: .*\n(?:.*\n)*.*verdict +stop by repeated-call/);
  });

  it('shows takeovers', async () => {
    const session = createSession({ id: 'roof', at: 1 });
    const position = await testWorkspace.store.create(session, 'the first', {
      metadata: { dir: testWorkspace.dir },
    });
    const userMessage: Event = { type: 'user-message', at: 2, text: 'Mend the roof' };
    await testWorkspace.store.append('roof', position, [userMessage], step(session, userMessage).session);
    expect((await testWorkspace.pawl('show', 'roof')).out).not.toContain('taken over');
    await testWorkspace.store.claim('roof', 'the second');
    const { out } = await testWorkspace.pawl('show', 'roof');
    expect(out).toMatch(/taken over +once: by the second from the first at \d{4}-.*, after event 1\n/);
    expect((await testWorkspace.json('show', 'roof'))[0]).toMatchObject({
      takeovers: [{ by: 'the second', from: 'the first', after: 1 }],
    });
  });

  it('prints the changes to files as diffs with line numbers', async () => {
    const diff = `@@ -8,2 +8,2 @@\n-old \x1b[2J\n+new\n same${'\n+more'.repeat(30)}`;
    const files = [{ path: 'a', hash: 'b', diff }];
    const tool: Tool = { ...putTool, run: async () => ({ ok: true, output: 'done', files }) };
    const replies = [createPutReply('a', 'b'), createTextReply('Done.')];
    const id = await saveRun(testWorkspace, { goal: 'Change it', replies, agent: { tools: [tool] } });
    const { out } = await testWorkspace.pawl('show', id);
    expect(out).toContain(
      '\n            8 - old \\x1b[2J\n            8 + new\n            9   same\n           10 + more\n',
    );
    expect(out).toContain('\n        … 13 more lines\n');
    const entries = await testWorkspace.json('show', id);
    expect(entries.find((entry) => entry['what'] === 'tool')).toMatchObject({ diff });
  });

  it('prints one JSON object per line', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    const [session, first, ...rest] = await testWorkspace.json('show', 'roof');
    const { session: end } = await testWorkspace.store.open('roof');
    expect(session).toEqual({
      type: 'session',
      id: 'roof',
      profile: 'pawl',
      status: 'waitingForUser',
      running: false,
      dir: testWorkspace.dir,
      model: 'scripted',
      parent: null,
      createdAt: 1_700_000_000_000,
      updatedAt: 1_700_000_013_000,
      lastAt: 1_700_000_013_000,
      phases: { current: null, done: 0, failed: 0, total: null, percent: null, overdue: false },
      events: 8,
      goal: 'Mend the roof',
      steps: 3,
      modelFailures: 0,
      toolCalls: 2,
      inputTokens: 0,
      outputTokens: 0,
      cost: null,
      files: ['roof.txt'],
      error: null,
      answer: 'The roof is mended.',
      stateHash: computeStateHash(end),
      takeovers: [],
    });
    expect(first).toEqual({
      type: 'entry',
      seq: 1,
      at: 1_700_000_001_000,
      what: 'user',
      text: 'Mend the roof',
      tookMs: null,
      failed: false,
      diff: null,
      prompt: null,
    });
    expect(rest.map(({ type }) => type)).toEqual([...Array.from({ length: 5 }, () => 'entry'), 'ending']);
  });

  it('shows waits, failures, denials, phases, hooks and compaction', async () => {
    await saveEvents(
      'eventful',
      [
        { type: 'user-message', at: 1_000, text: 'Go' },
        { type: 'phase-started', at: 1_500, number: 1, description: 'Begin' },
        { type: 'model-failed', at: 2_000, error: { kind: 'overloaded', message: 'try later' }, jitter: 0 },
        { type: 'retry-due', at: 4_000 },
        {
          type: 'model-replied',
          at: 5_000,
          text: '',
          calls: [
            { id: 'a', tool: 'edit', args: {}, permission: 'ask' },
            { id: 'b', tool: 'rm', args: {}, permission: 'ask' },
          ],
          usage: { inputTokens: 100, outputTokens: 20, cost: 0.5 },
        },
        { type: 'permission-decided', at: 6_000, callId: 'a', decision: 'allow' },
        { type: 'permission-decided', at: 8_000, callId: 'b', decision: 'deny', reason: 'not that' },
        { type: 'tool-started', at: 8_000, callId: 'a' },
        {
          type: 'tool-finished',
          at: 9_000,
          callId: 'a',
          outcome: { ok: false, error: { kind: 'failed', message: 'no such file' } },
          tests: { passed: 2, failed: 1 },
        },
        { type: 'phase-completed', at: 9_500, success: true },
        { type: 'pause-requested', at: 9_600, reason: 'no memory left' },
        { type: 'resume-requested', at: 19_600 },
        { type: 'cancel-requested', at: 20_000 },
        { type: 'paging-requested', at: 21_000, reason: 'to see' },
        { type: 'paging-finished', at: 22_000, freedTokens: 7 },
      ],
      { governor: { preset: 'none', rules: {} } },
    );
    const { out } = await testWorkspace.pawl('show', 'eventful');
    const lines = splitLines(out)
      .filter((line) => /^ +\d+ {2}\d\d:/.test(line))
      .map((line) => line.slice(17).trim().replaceAll(/ {2,}/g, '  '));
    expect(lines).toEqual([
      'user  Go',
      'phase  phase 1 started: Begin',
      '1.0 s  model 1  overloaded: try later',
      '2.0 s  wait  before trying again',
      '1.0 s  model 2  [100 → 20 tokens] calls edit {}, rm {}',
      'tool  a allowed',
      '3.0 s  wait  for permission',
      'tool  b denied: not that',
      '1.0 s  tool  edit {} → failed: no such file; 2 tests passed, 1 failed',
      'phase  phase 1 done',
      'session  pause requested: no memory left',
      '10.0 s  wait  while paused',
      'session  resume requested',
      'session  cancel requested',
      '1.0 s  wait  for the user',
      'memory  compaction requested: to see',
      'memory  compaction freed 7 tokens',
    ]);
    expect(out).toContain('cost 0.5000');
    expect(out).toContain('1 failed model call');
    expect(out).toMatch(/phases +no phase under way \(1 done\)/);
  });

  it('shows why a session is unfinished, was shut down, or failed', async () => {
    await saveEvents('asking', [{ type: 'user-message', at: 1, text: 'Go' }]);
    expect((await testWorkspace.pawl('show', 'asking')).out).toMatch(
      /Not finished\n {2}The session is calling the model\.\n$/,
    );
    await saveEvents('shut', [
      { type: 'user-message', at: 1, text: 'Go' },
      { type: 'shutdown-requested', at: 2 },
    ]);
    expect((await testWorkspace.pawl('show', 'shut')).out).toContain('Ended: shut-down');
    const error = { kind: 'auth', message: 'bad key', retryable: false } as const;
    await saveEvents('locked', [
      { type: 'user-message', at: 1, text: 'Go' },
      { type: 'model-failed', at: 2, error },
    ]);
    expect((await testWorkspace.pawl('show', 'locked')).out).toContain('Ended: failed\n  bad key');
    await saveEvents('unused', []);
    expect((await testWorkspace.pawl('show', 'unused')).out).toContain('Ended: unused');
  });
});

describe('the ending of a session', () => {
  const verdict = {
    severity: 'stop',
    rule: 'my-rule',
    reason: 'nothing moves',
    advice: 'Move.',
    evidence: [2],
    response: { kind: 'ask' },
  } as const;
  const asked: readonly Event[] = [
    { type: 'user-message', at: 1, text: 'Find the key' },
    { type: 'model-replied', at: 2, text: 'I look.', calls: [{ id: 'a', tool: 'look', args: {} }] },
    { type: 'tool-started', at: 3, callId: 'a' },
    { type: 'verdict-reached', at: 4, verdict },
    { type: 'tool-finished', at: 5, callId: 'a', outcome: { ok: true, output: 'nothing' } },
  ];

  it('is that of its last turn: earlier verdicts no longer count', async () => {
    await saveEvents('stuck', asked);
    const proof = [{ seq: 2, what: 'reply', came: 'I look.' }];
    expect((await testWorkspace.json('show', 'stuck')).at(-1)).toMatchObject({
      how: 'stuck',
      rule: 'my-rule',
      proof,
    });
    await saveEvents('helped', [
      ...asked,
      { type: 'user-message', at: 6, text: 'Look under the mat' },
      { type: 'model-replied', at: 7, text: 'There it is.', calls: [] },
    ]);
    expect((await testWorkspace.json('show', 'helped')).at(-1)).toMatchObject({
      how: 'answered',
      rule: null,
      proof: [],
    });
  });
});

describe('pawl show --at', () => {
  it('shows the state after any event, as a summary or in full', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    const { out } = await testWorkspace.pawl('show', 'roof', '--at', '6');
    expect(splitLines(out).map((line) => line.replace(/\d\d:\d\d:\d\d/, 'hh:mm:ss'))).toEqual([
      'After event 6: running tools since hh:mm:ss',
      '  messages       4, the last from the model: put',
      '  running        put {"path":"roof.txt","text":"tiles"}',
      expect.stringMatching(/^ {2}hash {11}[0-9a-f]{64}$/),
    ]);
    for (let seq = 0; seq <= 8; seq += 1) {
      const { session } = await testWorkspace.store.open('roof', { at: seq });
      expect(await testWorkspace.json('show', 'roof', '--at', String(seq))).toEqual([
        { type: 'state', seq, stateHash: computeStateHash(session), session },
      ]);
    }
  });

  it('rejects an event that does not exist', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    expect((await testWorkspace.pawl('show', 'roof', '--at', '9')).err).toBe(
      'pawl: The session has 8 events; --at 9 is beyond its end.\n',
    );
    for (const at of ['-1', '1.5', 'x', ''])
      expect((await testWorkspace.pawl('show', 'roof', `--at=${at}`)).code).toBe(2);
    expect((await testWorkspace.pawl('show', 'roof', '--at', '1', '--events')).err).toContain(
      'Use only one of',
    );
  });
});

const createMetadata = (dir: string) => ({
  dir,
  prompt: 'You mend things.',
  tools: [{ name: 'look', description: 'Looks.', parameters: { type: 'object' } }],
});

describe('pawl show --prompt', () => {
  it('shows exactly what the model was sent', async () => {
    const requests: unknown[] = [];
    const settings = { governor: { preset: 'pawl', rules: {} } } as const;
    const tools = createMetadata('').tools.map((description) => ({
      description,
      run: async () => ({ ok: true, output: 'same' }) as const,
    }));
    await saveRun(testWorkspace, {
      ...stuckRun,
      id: 'key',
      about: createMetadata(testWorkspace.dir),
      settings,
      agent: {
        prompt: 'You mend things.',
        tools,
        model: {
          name: 'listening',
          async *stream(request) {
            requests.push(request);
            yield {
              type: 'reply',
              text: '',
              calls: request.tools.length === 0 ? [] : [{ tool: 'look', args: {} }],
            };
          },
        },
      },
    });
    expect(requests).toHaveLength(5);
    for (const [index, request] of requests.entries()) {
      const [shown] = await testWorkspace.json('show', 'key', '--prompt', String(index + 1));
      const { conversation, ...sent } = request as { conversation: { length: number } };
      expect(shown).toMatchObject({ type: 'prompt', number: index + 1, missing: [], ...sent });
      expect(shown?.['messages']).toHaveLength(conversation.length);
    }
    const { out } = await testWorkspace.pawl('show', 'key', '--prompt', '4');
    expect(out).toMatch(
      /^Prompt 4, sent after event 10\n\n── system ──\nYou mend things\.\n\n── user ──\nFind the key\n/,
    );
    expect(out).toMatch(/── tools ──\nlook\n\n── advice ──\nYou have called look 3 times in a row/);
  });

  it('reports what was not recorded, and which prompts exist', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    expect((await testWorkspace.pawl('show', 'roof', '--prompt', '1')).out).toBe(`Prompt 1, sent after event 1
Not recorded and omitted here: the prompt and the tools of that run. Everything else is as sent.

── user ──
Mend the roof
`);
    const { code, err } = await testWorkspace.pawl('show', 'roof', '--prompt', '4');
    expect([code, err]).toEqual([2, 'pawl: The session has 3 model requests; there is no prompt 4.\n']);
  });
});

describe('pawl show --events', () => {
  it('prints the log as events that can be replayed', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    const { out } = await testWorkspace.pawl('show', 'roof', '--events');
    const events = splitLines(out).map((line) => parseEvent(JSON.parse(line)));
    expect(events).toHaveLength(8);
    let { session } = await testWorkspace.store.open('roof', { at: 0 });
    for (const parsed of events) if (parsed.ok) session = step(session, parsed.event).session;
    expect(computeStateHash(session)).toBe(
      computeStateHash((await testWorkspace.store.open('roof')).session),
    );
  });
});

describe('a log of ten thousand events', () => {
  it('is shown, replayed, exported and compared within seconds', async () => {
    const events: Event[] = [{ type: 'user-message', at: 0, text: 'Go on and on' }];
    for (let number = 1; events.length < 10_000; number += 1) {
      const [at, callId] = [number, `c${number}`];
      events.push(
        {
          type: 'model-replied',
          at,
          text: `step ${number}`,
          calls: [{ id: callId, tool: 'look', args: { number } }],
        },
        { type: 'tool-started', at, callId },
        { type: 'tool-finished', at, callId, outcome: { ok: true, output: `seen ${number}` } },
      );
    }
    await saveEvents('long', events);
    await saveEvents('longer', [...events, { type: 'cancel-requested', at: 1e6 }]);
    for (const args of [
      ['show', 'long'],
      ['show', 'long', '--prompt', '3000'],
      ['replay', 'long'],
      ['export', 'long'],
      ['export', 'long', '--as', 'markdown'],
      ['diff', 'long', 'longer'],
    ] as const) {
      const cpuMs = startCpuTimer();
      const { code, out } = await testWorkspace.pawl(...args);
      expect([args, code]).toEqual([args, 0]);
      expect(out.length).toBeGreaterThan(100);
      // This takes one second; it would take minutes if every step read all steps before it.
      expect(cpuMs()).toBeLessThan(20_000);
    }
  });
});

describe('texts of every length', () => {
  it('are truncated to the line', async () => {
    const goal = `${'long '.repeat(100_000)}end`;
    await saveRun(testWorkspace, {
      id: 'wide',
      goal,
      replies: [
        createLookReply('x'.repeat(100_000)),
        createPutReply('f', 'y'),
        createTextReply('z'.repeat(100_000)),
      ],
    });
    const { out } = await testWorkspace.pawl('show', 'wide');
    const timeline = splitLines(out).filter((line) => /^ +\d+ {2}\d\d:/.test(line));
    expect(timeline).toHaveLength(6);
    for (const line of timeline) expect(line.length).toBeLessThanOrEqual(120);
    expect(out.length).toBeLessThan(8_000);
  });
});
