import {
  Agent,
  findTurnAnswer,
  createMemoryLog,
  defineTool,
  type AgentOptions,
  type RuntimeClock,
  type Model,
  type StepResult,
  type Tool,
} from '../src/index.ts';
import { createScriptedModel, type ScriptedReply } from '../src/models-entry.ts';
import { getConversation, replay, createSession, type Event, type Json, toItemArray } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

/** Time that passes only when someone waits for it. */
function createSimulatedClock(): RuntimeClock & { readonly waits: number[] } {
  let now = 1_000;
  const waits: number[] = [];
  return {
    waits,
    now: () => (now += 1),
    sleepUntil: (at) => {
      waits.push(at - now);
      now = Math.max(now, at);
      return Promise.resolve();
    },
  };
}

const echoTool = defineTool({
  name: 'echo',
  description: 'Says it back.',
  parameters: z.object({ text: z.string() }),
  run: ({ text }) => Promise.resolve({ ok: true, output: text }),
});

const finishTool = defineTool({
  name: 'finish',
  description: 'Ends the work.',
  parameters: z.object({ answer: z.string() }),
  run: ({ answer }) => Promise.resolve({ ok: true, output: { answer }, final: true }),
});

/** A model that never answers. */
const silentModel: Model = {
  name: 'mute',
  // oxlint-disable-next-line require-yield
  async *stream(_request, signal) {
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve, { once: true });
    });
  },
};

function createCall(tool: string, args: Json, id?: string): { tool: string; args: Json; id?: string } {
  return { tool, args, ...(id !== undefined && { id }) };
}

function startAgent(
  replies: readonly ScriptedReply[],
  options: Partial<AgentOptions> = {},
): { agent: Agent; seen: StepResult[]; clock: ReturnType<typeof createSimulatedClock>; model: Model } {
  const seen: StepResult[] = [];
  const clock = createSimulatedClock();
  const model = createScriptedModel(replies);
  const agent = new Agent({
    id: 'test',
    model,
    tools: [echoTool, finishTool],
    clock,
    observe: (each) => seen.push(each),
    ...options,
  });
  return { agent, seen, clock, model };
}

async function askAgent(agent: Agent, text: string): Promise<string | null> {
  void agent.sendMessage(text);
  return findTurnAnswer(getConversation(await agent.waitUntilIdle()));
}

function listTransitions(seen: readonly StepResult[]): string[] {
  return seen
    .flatMap(({ notes }) => notes)
    .flatMap((note) => (note.type === 'transition' ? [`${note.from} → ${note.to}`] : []));
}

describe('Agent', () => {
  it('drives a goal through tools to an answer, and observes each transition with its time [LOOM-67, LOOM-102]', async () => {
    const { agent, seen } = startAgent([
      { text: 'Looking.', calls: [createCall('echo', { text: 'one' }), createCall('echo', { text: 'two' })] },
      { calls: [createCall('finish', { answer: 'one and two' })] },
    ]);
    expect(await askAgent(agent, 'What is there?')).toBe('one and two');
    expect(listTransitions(seen)).toEqual([
      'waitingForUser → callingModel',
      'callingModel → processingResponse',
      'processingResponse → executingTools',
      'executingTools → progressCheck',
      'progressCheck → callingModel',
      'callingModel → processingResponse',
      'processingResponse → executingTools',
      'executingTools → progressCheck',
      'progressCheck → waitingForUser',
    ]);
    expect(seen.flatMap(({ notes }) => notes).every((note) => note.at > 1_000)).toBe(true);
  });

  it('writes a log from which the same session can be replayed', async () => {
    const log = createMemoryLog();
    const { agent } = startAgent([{ calls: [createCall('echo', { text: 'x' })] }, { text: 'done' }], { log });
    await askAgent(agent, 'go');
    const fresh = createSession({ id: 'test', at: 1_001, settings: { compact: true } });
    expect(replay(fresh, log.events)).toEqual(agent.session);
    expect(log.events).toHaveLength(agent.session.seq);
  });

  it('queues user messages while it is busy, and passes them to the model in order [RO-10]', async () => {
    const log = createMemoryLog();
    const { agent } = startAgent([{ text: 'first' }, { text: 'second' }], { log });
    const accepted = await Promise.all([
      agent.sendMessage('a'),
      agent.sendMessage('b'),
      agent.sendMessage('c'),
    ]);
    expect(accepted).toEqual([true, true, true]);
    expect(log.events.map(({ type }) => type).slice(0, 3)).toEqual(['user-message', 'steered', 'steered']);
    await agent.waitUntilIdle();
    const texts = toItemArray(getConversation(agent.session)).map((message) =>
      message.role === 'tool' ? '' : message.text,
    );
    expect(texts).toEqual(['a', 'first', 'b', 'c', 'second']);
  });

  it('waits as long as the provider requests before it retries', async () => {
    const busy = { failure: { kind: 'rate-limit', message: '429', retryAfterMs: 7_000 } } as const;
    const { agent, clock } = startAgent([busy, { text: 'there' }]);
    expect(await askAgent(agent, 'hello?')).toBe('there');
    expect(clock.waits).toHaveLength(1);
    expect(clock.waits[0]).toBeGreaterThan(6_900);
  });

  it('shows the error and loses nothing when the model keeps failing', async () => {
    const down = { failure: { kind: 'network', message: 'no route' } } as const;
    const { agent, seen } = startAgent([down, down, down]);
    expect(await askAgent(agent, 'hello?')).toBeNull();
    const errors = seen.flatMap(({ actions }) => actions.filter((action) => action.type === 'show-error'));
    expect(errors).toEqual([{ type: 'show-error', kind: 'network', message: 'no route' }]);
    expect(toItemArray(getConversation(agent.session))).toMatchObject([{ role: 'user', text: 'hello?' }]);
  });

  it('treats a model that throws or ends without a reply as failed', async () => {
    const throwingModel: Model = {
      name: 'rude',
      // oxlint-disable-next-line require-yield
      async *stream() {
        throw new Error('boom');
      },
    };
    const silent: Model = { name: 'silent', async *stream() {} };
    const { agent, seen } = startAgent([], { model: throwingModel });
    await askAgent(agent, 'x');
    expect(seen.flatMap(({ event }) => (event.type === 'model-failed' ? [event.error] : []))[0]).toEqual({
      kind: 'unknown',
      message: 'rude failed while streaming: boom',
    });
    const other = startAgent([], { model: silent });
    await askAgent(other.agent, 'x');
    expect(other.seen.find(({ event }) => event.type === 'model-failed')?.event).toMatchObject({
      error: { kind: 'truncated' },
    });
  });

  it('persists the start of a call before the tool runs', async () => {
    const log = createMemoryLog();
    const kept: string[][] = [];
    const recordingTool: Tool = defineTool({
      name: 'spy',
      description: 'Looks at the log.',
      parameters: z.object({}),
      run: () => {
        kept.push(log.events.map((event: Event) => event.type));
        return Promise.resolve({ ok: true, output: null });
      },
    });
    const { agent } = startAgent([{ calls: [createCall('spy', {})] }, { text: 'ok' }], {
      log,
      tools: [recordingTool],
    });
    await askAgent(agent, 'go');
    expect(kept).toEqual([['user-message', 'model-replied', 'tool-started']]);
  });

  it('passes results to the model in call order, whichever tool finishes first [RO-07, LOOM-22]', async () => {
    const gate = Promise.withResolvers<void>();
    const slow = defineTool({
      name: 'slow',
      effect: 'read-only',
      description: 'Waits for the other.',
      parameters: z.object({}),
      run: () => gate.promise.then(() => ({ ok: true as const, output: 'slow' })),
    });
    const quick = defineTool({
      name: 'quick',
      effect: 'read-only',
      description: 'Lets the other go on.',
      parameters: z.object({}),
      run: () => {
        gate.resolve();
        return Promise.resolve({ ok: true, output: 'quick' });
      },
    });
    const { agent } = startAgent(
      [{ calls: [createCall('slow', {}), createCall('quick', {})] }, { text: 'ok' }],
      {
        tools: [slow, quick],
      },
    );
    await askAgent(agent, 'go');
    const results = toItemArray(getConversation(agent.session)).filter((message) => message.role === 'tool');
    expect(results.map((message) => message.tool)).toEqual(['slow', 'quick']);
  });

  it('runs calls one after the other if any of them has side effects', async () => {
    const running: string[] = [];
    const taking = (name: string, effect: 'read-only' | 'verifiable') =>
      defineTool({
        name,
        effect,
        description: 'Takes a moment.',
        parameters: z.object({}),
        async run() {
          running.push(`${name} starts`);
          await new Promise((resolve) => setImmediate(resolve));
          running.push(`${name} ends`);
          return { ok: true, output: name };
        },
      });
    const tools = [taking('look', 'read-only'), taking('change', 'verifiable')];
    const { agent } = startAgent(
      [{ calls: [createCall('look', {}), createCall('change', {})] }, { text: 'ok' }],
      { tools },
    );
    await askAgent(agent, 'go');
    expect(running).toEqual(['look starts', 'look ends', 'change starts', 'change ends']);
  });

  it('reports unknown tools, invalid arguments and tools that throw to the model, and continues', async () => {
    const broken: Tool = {
      description: { ...echoTool.description, name: 'broken' },
      run: () => Promise.reject(new Error('oh')),
    };
    const { agent } = startAgent(
      [
        { calls: [createCall('nope', {}), createCall('echo', { text: 1 }), createCall('broken', {})] },
        { text: 'I see' },
      ],
      { tools: [echoTool, broken] },
    );
    expect(await askAgent(agent, 'go')).toBe('I see');
    const errors = toItemArray(getConversation(agent.session)).flatMap((message) =>
      message.role === 'tool' && !message.outcome.ok ? [message.outcome.error] : [],
    );
    expect(errors.map((error) => error.kind)).toEqual(['invalid', 'invalid', 'failed']);
    expect(errors[0]?.message).toBe('There is no tool named "nope". Available tools: echo, broken.');
    expect(errors[1]?.message).toContain('Invalid arguments for echo');
  });

  it('denies calls that need permission without a user, and asks if there is one', async () => {
    const script = [{ calls: [createCall('echo', { text: 'a' }, 'a')] }, { text: 'ok' }];
    const alone = startAgent(script, { rules: () => 'ask' });
    await askAgent(alone.agent, 'go');
    expect(toItemArray(getConversation(alone.agent.session))[2]).toMatchObject({
      outcome: { ok: false, error: { kind: 'denied' } },
    });
    const asked: string[] = [];
    const attended = startAgent(script, {
      rules: () => 'ask',
      decide: (each) => {
        asked.push(each.id);
        return Promise.resolve({ decision: 'allow' });
      },
    });
    await askAgent(attended.agent, 'go');
    expect(asked).toEqual(['a']);
    expect(toItemArray(getConversation(attended.agent.session))[2]).toMatchObject({ outcome: { ok: true } });
  });

  it('runs hooks after a tool with side effects, and continues if they fail [LOOM-24, LOOM-53]', async () => {
    const edit: Tool = { ...echoTool, description: { ...echoTool.description, name: 'edit' } };
    const completed: unknown[] = [];
    let failures = 0;
    const { agent, seen } = startAgent(
      [{ calls: [createCall('edit', { text: 'x' }, 'e')] }, { text: 'ok' }],
      {
        tools: [edit],
        hooks: (tools) => {
          completed.push(tools);
          failures += 1;
          return Promise.reject(new Error('no git here'));
        },
      },
    );
    expect(await askAgent(agent, 'go')).toBe('ok');
    expect(failures).toBe(3);
    expect(completed[0]).toEqual([{ callId: 'e', tool: 'edit', ok: true }]);
    expect(seen.flatMap(({ actions }) => actions)).toContainEqual({
      type: 'show-error',
      kind: 'io',
      message: 'no git here',
    });
  });

  it('aborts the model request when the work is cancelled', async () => {
    const aborted = Promise.withResolvers<void>();
    const endless: Model = {
      name: 'endless',
      async *stream(_request, signal) {
        try {
          yield { type: 'text', text: 'thinking' };
          await new Promise<void>((resolve) => {
            signal.addEventListener('abort', () => resolve(), { once: true });
          });
        } finally {
          aborted.resolve();
        }
      },
    };
    const streaming = Promise.withResolvers<void>();
    const { agent } = startAgent([], {
      model: endless,
      observe: ({ event }) => event.type === 'text-delta' && streaming.resolve(),
    });
    void agent.sendMessage('go');
    await streaming.promise;
    await agent.post({ type: 'cancel-requested' });
    await aborted.promise;
    expect(agent.session.turn.status).toBe('waitingForUser');
    expect(toItemArray(getConversation(agent.session)).at(-1)).toMatchObject({
      text: 'thinking\n\n[Interrupted by the user.]',
    });
  });

  it('passes the output of a canceled call to the model', async () => {
    const hasOutput = Promise.withResolvers<void>();
    const talking = defineTool({
      name: 'talk',
      description: 'Writes output until it is canceled.',
      parameters: z.object({}),
      run: async (_args, { signal, execution }) => {
        execution?.appendOutput(Buffer.from('12 of 40 tests'));
        hasOutput.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        return { ok: true, output: null };
      },
    });
    const { agent } = startAgent([{ calls: [{ tool: 'talk', args: {} }] }], { tools: [talking] });
    void agent.sendMessage('go');
    await hasOutput.promise;
    await agent.post({ type: 'cancel-requested' });
    expect(JSON.stringify(toItemArray(getConversation(agent.session)).at(-1))).toContain(
      'Output so far:\\n12 of 40 tests',
    );
  });

  it('ends on shutdown, in the middle of a tool, with a valid history [LOOM-57, LOOM-65]', async () => {
    const forever = defineTool({
      name: 'forever',
      description: 'Runs until it is called off.',
      parameters: z.object({}),
      run: (_args, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ ok: true, output: null }), { once: true });
        }),
    });
    const running = Promise.withResolvers<void>();
    const { agent } = startAgent([{ calls: [createCall('forever', {}, 'f')] }], {
      tools: [forever],
      observe: ({ event }) => event.type === 'tool-started' && running.resolve(),
    });
    void agent.sendMessage('go');
    await running.promise;
    void agent.post({ type: 'shutdown-requested' });
    const session = await agent.ended;
    expect(session.turn.status).toBe('shuttingDown');
    expect(toItemArray(getConversation(session)).at(-1)).toMatchObject({
      role: 'tool',
      callId: 'f',
      outcome: { ok: false, error: { kind: 'interrupted' } },
    });
  });

  it('has no effect that it could not persist: a failing log stops the session first', async () => {
    const ran: string[] = [];
    const tool: Tool = {
      ...echoTool,
      run: () => {
        ran.push('ran');
        return Promise.resolve({ ok: true, output: null });
      },
    };
    const { agent } = startAgent([{ calls: [createCall('echo', { text: 'x' })] }], {
      tools: [tool],
      log: {
        append(events) {
          if (events.some(({ type }) => type === 'tool-started')) throw new Error('disk full');
        },
      },
    });
    void agent.sendMessage('go');
    await expect(agent.ended).rejects.toThrow('The event log could not be written: disk full');
    expect(ran).toEqual([]);
  });

  it('continues a given session with its pending actions', async () => {
    const log = createMemoryLog();
    const first = startAgent([], { log, model: silentModel });
    void first.agent.sendMessage('go');
    await first.agent.post({ type: 'finish-requested', reason: 'enough' });
    const second = startAgent([{ text: 'here' }], { session: first.agent.session });
    await second.agent.resume();
    expect(findTurnAnswer(getConversation(await second.agent.waitUntilIdle()))).toBe('here');
  });

  it('is not broken by an observer that throws [RX-12]', async () => {
    const { agent } = startAgent([{ text: 'fine' }], {
      observe: () => {
        throw new Error('observer');
      },
    });
    expect(await askAgent(agent, 'go')).toBe('fine');
  });
});
