import { createSession, step, type Event, type Json, type Session } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Agent } from '../../src/agent/agent.ts';
import { deriveExecutionId } from '../../src/agent/run-tool.ts';
import { createMemorySpool, type ExecutionSpool } from '../../src/store/spool.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { defineTool, type EffectClass, type Tool, type ToolResult } from '../../src/tools/tool.ts';

/** A tool that keeps a list of its runs, each under the id of its execution. */
function createCountingTool(
  ran: (string | undefined)[],
  effect: EffectClass | undefined,
  reconcile?: Tool['reconcile'],
): Tool {
  return defineTool({
    name: 'act',
    description: 'Acts.',
    parameters: z.object({ on: z.string() }),
    ...(effect !== undefined && { effect }),
    ...(reconcile !== undefined && { reconcile }),
    run: (_args, { execution }) => {
      ran.push(execution?.id);
      return Promise.resolve({ ok: true, output: 'acted' });
    },
  });
}

/** A session in the middle of two calls: the first runs, the second has not begun. */
function createInterruptedSession(intent?: Json): Session {
  const events: readonly Event[] = [
    { type: 'user-message', at: 1, text: 'go' },
    {
      type: 'model-replied',
      at: 2,
      text: '',
      calls: [
        { id: 'a', tool: 'act', args: { on: 'a' } },
        { id: 'b', tool: 'act', args: { on: 'b' } },
      ],
    },
    { type: 'tool-started', at: 3, callId: 'a', ...(intent !== undefined && { intent }) },
  ];
  let session = createSession({ id: 's', at: 0 });
  for (const event of events) session = step(session, event).session;
  return session;
}

function getToolRequest({ turn }: Session): number {
  if (turn.status !== 'executingTools') throw new Error(`Not running tools but ${turn.status}`);
  return turn.request;
}

async function collectReconciledResults(
  tool: Tool,
  {
    session = createInterruptedSession(),
    spool = createMemorySpool(),
  }: { session?: Session; spool?: ExecutionSpool } = {},
): Promise<readonly ToolResult[]> {
  const outcomes: ToolResult[] = [];
  const agent = new Agent({
    session,
    spool,
    model: createScriptedModel([{ text: '' }]),
    tools: [tool],
    observe({ event }) {
      if (event.type === 'tool-finished') outcomes.push(event.outcome);
    },
  });
  await agent.resume();
  await agent.waitUntilIdle();
  return outcomes;
}

const session = createInterruptedSession();
const [first, second] = ['a', 'b'].map((id) => deriveExecutionId('s', getToolRequest(session), id));
const interruptedResult = { ok: false, error: { kind: 'interrupted' } };
const actedResult = { ok: true, output: 'acted' };

describe('a call that was running when the process ended', () => {
  it('is reported as interrupted, with its start time, if it cannot be repeated', async () => {
    for (const effect of ['not-repeatable', undefined] as const) {
      const ran: (string | undefined)[] = [];
      const outcomes = await collectReconciledResults(createCountingTool(ran, effect));
      expect(outcomes).toMatchObject([interruptedResult, actedResult]);
      expect(ran).toEqual([second]);
      expect(JSON.stringify(outcomes[0])).toContain('started 1970-01-01T00:00:00.003Z');
    }
  });

  it('is run again under the same id if it is read-only or keyed', async () => {
    for (const effect of ['read-only', 'keyed'] as const) {
      const ran: (string | undefined)[] = [];
      expect(await collectReconciledResults(createCountingTool(ran, effect))).toMatchObject([
        actedResult,
        actedResult,
      ]);
      expect(ran).toEqual([first, second]);
    }
  });

  it('gets the spooled result, which is removed once the log has it', async () => {
    const spool = createMemorySpool();
    await spool.saveResult(first ?? '', { ok: true, output: 'was acted' });
    const ran: (string | undefined)[] = [];
    const outcomes = await collectReconciledResults(createCountingTool(ran, 'not-repeatable'), { spool });
    expect(outcomes).toMatchObject([{ ok: true, output: 'was acted' }, actedResult]);
    expect(ran).toEqual([second]);
    expect(await spool.find(first ?? '')).toEqual({ result: null, output: null });
  });

  it('is reported with its output so far', async () => {
    const spool = createMemorySpool();
    spool.appendOutput(first ?? '', Buffer.from('half of '));
    spool.appendOutput(first ?? '', Buffer.from('it'));
    const outcomes = await collectReconciledResults(createCountingTool([], undefined), { spool });
    expect(JSON.stringify(outcomes[0])).toContain('half of it');
  });

  it('is reconciled by its tool, with the recorded intent', async () => {
    const asked: unknown[] = [];
    const ran: (string | undefined)[] = [];
    const tool = createCountingTool(ran, 'verifiable', (args, unfinished) => {
      asked.push([args, unfinished.intent, unfinished.execution]);
      return Promise.resolve({ ok: true, output: 'it was done' });
    });
    const outcomes = await collectReconciledResults(tool, { session: createInterruptedSession({ to: 'x' }) });
    expect(asked).toEqual([[{ on: 'a' }, { to: 'x' }, first]]);
    expect(outcomes).toMatchObject([{ ok: true, output: 'it was done' }, actedResult]);
    expect(ran).toEqual([second]);
    const again = createCountingTool(ran, 'verifiable', () => Promise.resolve('run-again'));
    expect(await collectReconciledResults(again)).toMatchObject([actedResult, actedResult]);
    expect(ran).toEqual([second, first, second]);
    const broken = createCountingTool([], 'verifiable', () => Promise.reject(new Error('no such place')));
    const results = await collectReconciledResults(broken);
    expect(results).toMatchObject([interruptedResult, actedResult]);
    expect(JSON.stringify(results[0])).toContain('no such place');
  });

  it('is reconciled before the next calls start', async () => {
    const order: string[] = [];
    const tool = createCountingTool([], 'not-repeatable', async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push('settled');
      return { ok: false, error: { kind: 'interrupted', message: '' } };
    });
    const agent = new Agent({
      session: createInterruptedSession(),
      model: createScriptedModel([{ text: '' }]),
      tools: [tool],
      observe: ({ event }) => order.push(event.type),
    });
    await agent.resume();
    await agent.waitUntilIdle();
    expect(order).toEqual(['settled', 'tool-finished', 'tool-started', 'tool-finished', 'model-replied']);
  });
});

describe('an event that arrives while a session is resumed', () => {
  it('is not mistaken for interrupted work', async () => {
    const outcomes: ToolResult[] = [];
    const tidied = Promise.withResolvers<void>();
    const spool = createMemorySpool();
    const agent = new Agent({
      model: createScriptedModel([{ calls: [{ id: 'x', tool: 'act', args: { on: 'x' } }] }, { text: '' }]),
      tools: [createCountingTool([], 'not-repeatable')],
      // A slow disk: tidying up is still under way when the user speaks.
      spool: { ...spool, retainOnly: (ids) => tidied.promise.then(() => spool.retainOnly(ids)) },
      observe({ event }) {
        if (event.type === 'tool-finished') outcomes.push(event.outcome);
      },
    });
    const resuming = agent.resume();
    const messageSent = agent.sendMessage('go');
    tidied.resolve();
    await resuming;
    expect(await messageSent).toBe(true);
    await agent.waitUntilIdle();
    expect(outcomes).toEqual([actedResult]);
  });
});

describe('an execution id', () => {
  it('differs for different sessions, requests and calls, whatever their ids', () => {
    const all = [
      deriveExecutionId('s', 1, 'a'),
      deriveExecutionId('s', 1, 'b'),
      deriveExecutionId('s', 11, 'a'),
      deriveExecutionId('t', 1, 'a'),
      deriveExecutionId('s","1', 1, 'a'),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(deriveExecutionId('s', 1, 'a')).toBe(all[0]);
  });
});

describe('a verifiable tool', () => {
  it('records its intent first, and stops if the call is no longer wanted', async () => {
    const order: unknown[] = [];
    const tool = defineTool({
      name: 'act',
      description: 'Acts.',
      effect: 'verifiable',
      parameters: z.object({}),
      reconcile: () => Promise.resolve('run-again'),
      async run(_args, { execution }) {
        order.push('looks');
        if (!(await execution?.recordIntent({ to: 'x' }))) {
          order.push('does not');
          return { ok: false, error: { kind: 'cancelled', message: '' } };
        }
        order.push('does');
        return { ok: true, output: 1 };
      },
    });
    const agent = new Agent({
      model: createScriptedModel([{ calls: [{ id: 'a', tool: 'act', args: {} }] }, { text: '' }]),
      tools: [tool],
      observe: ({ event }) => order.push(event.type === 'tool-started' ? event.intent : event.type),
    });
    void agent.sendMessage('go');
    await agent.waitUntilIdle();
    expect(order.slice(2)).toEqual(['looks', { to: 'x' }, 'does', 'tool-finished', 'model-replied']);
  });

  it('has a recorded start even if it fails before its first effect', async () => {
    const types: string[] = [];
    const tool = defineTool({
      name: 'act',
      description: 'Acts.',
      effect: 'verifiable',
      parameters: z.object({}),
      reconcile: () => Promise.resolve('run-again'),
      run: () => Promise.resolve({ ok: false, error: { kind: 'failed', message: 'no file' } }),
    });
    const agent = new Agent({
      model: createScriptedModel([{ calls: [{ id: 'a', tool: 'act', args: {} }] }, { text: '' }]),
      tools: [tool],
      observe: ({ event }) => types.push(event.type),
    });
    void agent.sendMessage('go');
    await agent.waitUntilIdle();
    expect(types.slice(2)).toEqual(['tool-started', 'tool-finished', 'model-replied']);
  });
});

describe('a result that cannot be stored', () => {
  it('is a failure of the tool that returned it, and the session continues', async () => {
    const outcomes: ToolResult[] = [];
    const results = [Number.NaN, new Date(0), [undefined]] as unknown as Json[];
    const tool = defineTool({
      name: 'act',
      description: 'Acts.',
      parameters: z.object({ n: z.number() }),
      run: ({ n }) => Promise.resolve({ ok: true, output: results[n] ?? null }),
    });
    const calls = results.map((_, n) => ({ id: `${n}`, tool: 'act', args: { n } }));
    const agent = new Agent({
      model: createScriptedModel([{ calls }, { text: '' }]),
      tools: [tool],
      observe({ event }) {
        if (event.type === 'tool-finished') outcomes.push(event.outcome);
      },
    });
    void agent.sendMessage('go');
    const end = await agent.waitUntilIdle();
    expect(end.turn.status).toBe('waitingForUser');
    expect(outcomes).toHaveLength(3);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ ok: false, error: { kind: 'failed' } });
  });

  it('is a failure of the model that returned it', async () => {
    const agent = new Agent({
      model: {
        name: 'odd',
        async *stream() {
          yield { type: 'reply', text: '', calls: [{ id: 'a', tool: 't', args: Number.NaN }] };
        },
      },
      tools: [],
      clock: { now: () => 1, sleepUntil: () => Promise.resolve() },
    });
    void agent.sendMessage('go');
    expect((await agent.waitUntilIdle()).turn.status).toBe('waitingForUser');
  });
});
