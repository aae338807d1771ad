import { createSession, step, type SessionOptions } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Agent, type AgentOptions, type StepResult } from '../../src/agent/agent.ts';
import { createEventLogger, type EventLoggerOptions } from '../../src/logging/event-logger.ts';
import { logLevels } from '../../src/logging/log-record.ts';
import { createScriptedModel, type ScriptedReply } from '../../src/models/scripted.ts';
import { defineTool } from '../../src/tools/tool.ts';

type LogLine = { readonly kind: string; readonly level: string; readonly [key: string]: unknown };

const lookTool = defineTool({
  name: 'look',
  description: 'Looks at something.',
  parameters: z.object({ at: z.string() }),
  effect: 'read-only',
  run: async ({ at }) =>
    at === 'nowhere'
      ? { ok: false, error: { kind: 'failed', message: 'password=hunter22 was wrong' } }
      : { ok: true, output: `nothing at ${at}` },
});

const createLookReply = (at: string): ScriptedReply => ({
  calls: [{ id: `look-${at}`, tool: 'look', args: { at } }],
});

type LoggedRun = {
  readonly replies: readonly ScriptedReply[];
  readonly agent?: Partial<AgentOptions>;
  readonly logger?: Partial<EventLoggerOptions>;
  readonly settings?: SessionOptions['settings'];
};

async function collectLogLines({
  replies,
  agent = {},
  logger = {},
  settings = {},
}: LoggedRun): Promise<readonly LogLine[]> {
  const written: string[] = [];
  const { observe } = createEventLogger({ write: (line) => void written.push(line), ...logger });
  const working = new Agent({
    session: createSession({ id: 'roof', at: 0, settings }),
    model: createScriptedModel(replies),
    tools: [lookTool],
    observe,
    ...agent,
  });
  void working.sendMessage('Mend the roof, the token is in the drawer');
  await working.waitUntilIdle();
  expect(written.every((line) => line.endsWith('\n') && line.indexOf('\n') === line.length - 1)).toBe(true);
  return written.map((line) => JSON.parse(line) as LogLine);
}

const filterByKind = (lines: readonly LogLine[], kind: string): readonly LogLine[] =>
  lines.filter((line) => line.kind === kind);

describe('createEventLogger', () => {
  it('logs every state transition with level, time, session, seq and cause', async () => {
    const seen: StepResult[] = [];
    const written: string[] = [];
    const { observe } = createEventLogger({ write: (line) => void written.push(line) });
    const agent = new Agent({
      id: 'roof',
      model: createScriptedModel([createLookReply('roof'), { text: 'Done.' }]),
      tools: [lookTool],
      observe(each) {
        seen.push(each);
        observe(each);
      },
    });
    void agent.sendMessage('Go');
    await agent.waitUntilIdle();
    const lines = written.map((line) => JSON.parse(line) as LogLine);
    const notes = seen.flatMap(({ notes: all, session: { seq } }) =>
      all.flatMap((note) => (note.type === 'transition' ? [{ ...note, seq }] : [])),
    );
    expect(notes.length).toBeGreaterThan(5);
    expect(filterByKind(lines, 'transition')).toEqual(
      notes.map(({ at, from, to, cause, durationMs, seq }) => ({
        level: 'info',
        time: at,
        session: 'roof',
        seq,
        kind: 'transition',
        machine: 'turn',
        from,
        to,
        cause,
        durationMs,
        msg: 'state changed',
      })),
    );
  });

  it('logs finished and failed tools with their duration, and verdicts with their evidence', async () => {
    const lines = await collectLogLines({
      replies: [...Array.from({ length: 12 }, () => createLookReply('nowhere')), { text: 'I give up.' }],
    });
    const [tool] = filterByKind(lines, 'tool');
    expect(tool).toMatchObject({ level: 'warn', tool: 'look', callId: 'look-nowhere', errorKind: 'failed' });
    expect(typeof tool?.['tookMs']).toBe('number');
    const verdicts = filterByKind(lines, 'verdict');
    expect(verdicts.length).toBeGreaterThan(1);
    expect(verdicts[0]).toMatchObject({ level: 'warn', severity: 'advise', response: 'advise' });
    expect(verdicts.at(-1)).toMatchObject({ level: 'error', severity: 'stop', response: 'stop' });
    expect(verdicts[0]?.['evidence']).toEqual([4, 7]);
  });

  it('logs a call that the governor denies', async () => {
    const settings: SessionOptions['settings'] = {
      governor: { preset: 'pawl', rules: { 'repeated-call': { advise: null, block: 2, stop: null } } },
    };
    const lines = await collectLogLines({
      replies: [...Array.from({ length: 3 }, () => createLookReply('roof')), { text: 'I give up.' }],
      settings,
    });
    expect(filterByKind(lines, 'permission')).toEqual([
      expect.objectContaining({
        level: 'warn',
        msg: 'call denied',
        tool: 'look',
        reason: expect.stringContaining('Not run again') as string,
      }),
    ]);
  });

  it('logs permission requests and decisions', async () => {
    const lines = await collectLogLines({
      replies: [createLookReply('roof'), { text: 'Then not.' }],
      agent: {
        rules: () => 'ask',
        decide: () => Promise.resolve({ decision: 'deny', reason: 'not today' }),
      },
    });
    expect(filterByKind(lines, 'permission')).toMatchObject([
      { level: 'info', msg: 'permission requested' },
      { level: 'warn', tool: 'look', decision: 'deny', reason: 'not today' },
    ]);
  });

  it('logs failures that are retried and the final one', async () => {
    const error = { kind: 'overloaded', message: 'try later sk-0123456789abcdef' } as const;
    const lines = await collectLogLines({
      replies: [{ failure: error }, { failure: error }],
      settings: { maxRetries: 2, retryBaseMs: 1, retryMaxMs: 1 },
    });
    expect(filterByKind(lines, 'retry')).toMatchObject([
      { level: 'warn', errorKind: 'overloaded', message: 'try later [key]', retries: 1 },
      { level: 'info', msg: 'retrying' },
    ]);
    expect(filterByKind(lines, 'model')).toMatchObject([{ level: 'error', errorKind: 'overloaded' }]);
    expect(filterByKind(lines, 'action')).toMatchObject([{ level: 'error', action: { type: 'show-error' } }]);
  });

  it('logs neither message text nor secrets, except masked at trace level', async () => {
    const replies = [createLookReply('nowhere'), { text: 'The treasure map says so.' }];
    const info = JSON.stringify(await collectLogLines({ replies }));
    expect(info).not.toMatch(/hunter22|drawer|treasure/);
    const lines = await collectLogLines({ replies, logger: { level: 'trace', redact: ['treasure map'] } });
    expect(filterByKind(lines, 'event').length).toBeGreaterThan(3);
    const all = JSON.stringify(lines);
    expect(all).toContain('drawer');
    expect(all).not.toMatch(/hunter22|treasure/);
  });

  it.each(logLevels.map((level, index) => ({ level, index })))(
    'leaves out what matters less than $level',
    async ({ level, index }) => {
      const lines = await collectLogLines({
        replies: [...Array.from({ length: 12 }, () => createLookReply('roof')), { text: 'I give up.' }],
        logger: { level },
      });
      expect(lines.length).toBeGreaterThan(0);
      expect(new Set(lines.map((line) => line.level))).toEqual(new Set(logLevels.slice(index)));
    },
  );

  it('logs why an event was refused', async () => {
    const written: string[] = [];
    const { observe } = createEventLogger({ write: (line) => void written.push(line) });
    const agent = new Agent({ id: 'x', model: createScriptedModel([]), tools: [], observe });
    await agent.post({ type: 'tool-finished', callId: 'none', outcome: { ok: true, output: 'x' } });
    expect(written.map((line) => JSON.parse(line) as LogLine)).toMatchObject([
      { level: 'warn', kind: 'refused', seq: 0, event: 'tool-finished', status: 'waitingForUser' },
    ]);
  });

  it('skips ephemeral events', async () => {
    const written: string[] = [];
    const { observe } = createEventLogger({ write: (line) => void written.push(line), level: 'trace' });
    const agent = new Agent({ id: 'x', model: createScriptedModel([]), tools: [], observe });
    await agent.post({ type: 'text-delta', text: 'x' });
    expect(written).toEqual([]);
  });

  it('logs successful and failed compactions', () => {
    const written: string[] = [];
    const { observe } = createEventLogger({ write: (line) => void written.push(line) });
    let session = createSession({ id: 'full', at: 0 });
    const full = { kind: 'context-overflow', message: 'too long' } as const;
    for (const event of [
      { type: 'user-message', at: 1, text: 'Go' },
      { type: 'model-failed', at: 2, error: full },
      { type: 'paging-failed', at: 3, message: 'disk full', jitter: 0 },
      { type: 'retry-due', at: 5_000 },
      { type: 'paging-finished', at: 6_000, freedTokens: 40, heldTokens: 100 },
    ] as const) {
      const result = step(session, event);
      session = result.session;
      observe({ ...result, event });
    }
    const lines = written.map((line) => JSON.parse(line) as LogLine);
    expect(filterByKind(lines, 'memory')).toMatchObject([
      { msg: 'compaction finished', freedTokens: 40, heldTokens: 100 },
    ]);
    expect(filterByKind(lines, 'retry')).toMatchObject([
      { level: 'warn', of: 'paging', message: 'disk full', retries: 1 },
      { level: 'info', seq: 4 },
    ]);
  });

  it('logs phases', async () => {
    const written: string[] = [];
    const { observe } = createEventLogger({ write: (line) => void written.push(line) });
    const agent = new Agent({ id: 'x', model: createScriptedModel([]), tools: [], observe });
    await agent.post({ type: 'phase-started', number: 1, description: 'Begin' });
    await agent.post({ type: 'phase-completed', success: false });
    const lines = written.map((line) => JSON.parse(line) as LogLine);
    expect(filterByKind(lines, 'phase')).toMatchObject([
      { level: 'info', number: 1, description: 'Begin' },
      { level: 'warn', number: 1, success: false },
    ]);
  });
});
