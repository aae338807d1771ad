import {
  Agent,
  defineTool,
  systemClock,
  type RuntimeClock,
  type Model,
  type ModelRequest,
} from '../src/index.ts';
import { createMemoryManager } from '../src/memory-entry.ts';
import { createScriptedModel, type ScriptedReply } from '../src/models-entry.ts';
import { jsonCodec, createProtocolModel, xmlCodec } from '../src/protocols-entry.ts';
import { createInMemoryStorage } from '../src/storage-entry.ts';
import {
  getConversation,
  createSession,
  replay,
  type Event,
  type Session,
  type SessionSettings,
  toItemArray,
} from '@pawl/core';
import { listEntries, memorySettings } from '@pawl/core/memory';
import { findProfile } from '@pawl/core/profiles';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

const finishTool = defineTool({
  name: 'finish',
  description: 'Ends the work.',
  parameters: z.object({ answer: z.string() }),
  run: ({ answer }) => Promise.resolve({ ok: true, output: { answer }, final: true }),
});

const searchTool = defineTool({
  name: 'search',
  description: 'Searches.',
  parameters: z.object({ query: z.string() }),
  run: ({ query }) => Promise.resolve({ ok: true, output: `Found: ${query}.` }),
});

function createTickingClock(): RuntimeClock {
  let now = 1_000;
  return {
    now: () => (now += 1),
    sleepUntil: (at) => {
      now = Math.max(now, at);
      return Promise.resolve();
    },
  };
}

type ProfileRun = {
  readonly session: Session;
  readonly start: Session;
  readonly events: readonly Event[];
  readonly requests: readonly ModelRequest[];
};

/** An agent of a profile, whose model writes what stands in the script. */
async function runProfile(
  profile: string,
  script: readonly ScriptedReply[],
  {
    wrapModel,
    settings = {},
  }: { readonly wrapModel: (model: Model) => Model; readonly settings?: Partial<SessionSettings> },
): Promise<ProfileRun> {
  const clock = createTickingClock();
  const model = createScriptedModel(script);
  const start = createSession({
    id: 's',
    at: 0,
    profile,
    settings: { ...findProfile(profile)?.settings, ...settings },
  });
  const events: Event[] = [];
  const agent = new Agent({
    model: wrapModel(model),
    tools: [searchTool, finishTool],
    session: start,
    clock,
    observe: ({ event }) => events.push(event),
  });
  void agent.sendMessage('Where is it?');
  const session = await agent.waitUntilIdle();
  return { session, start, events, requests: model.requests };
}

const wrapInXml = (model: Model): Model =>
  createProtocolModel(xmlCodec, model, { logs: ['think_log', 'evaluation_log'], callsMax: 1 });

const wrapInJson = (model: Model): Model => createProtocolModel(jsonCodec, model, { logs: [], callsMax: 5 });

describe('an agent with the XML protocol', () => {
  const script = [
    { text: '<agent><next_state>commanding</next_state><think_log>I note it.</think_log></agent>' },
    {
      text: 'Let me see. <agent><action><type>working_memory_add</type><tags>bob age</tags><value>a < b & c</value></action></agent>',
    },
    { text: '<agent><next_state>commanding</next_state><evaluation_log>Noted.</evaluation_log></agent>' },
    { text: '<agent><action><type>storage_save</type><tags>bob age</tags></action></agent>' },
    { text: '<agent><next_state>commanding</next_state></agent>' },
    { text: '<agent><action><type>storage_load</type><tags>bob age</tags></action></agent>' },
    { text: 'not a word of XML' },
    { text: '<agent><next_state>thinking</next_state></agent>' },
  ];

  it('thinks, changes its memory and gets feedback on an invalid reply [RL-14, LKJ2-18, LKJ2-20, LKJ2-21]', async () => {
    const { session, start, events, requests } = await runProfile('lkj', script, { wrapModel: wrapInXml });
    // The script ends, so the model fails; by then all of it has happened.
    const held = session.memory === null ? [] : listEntries(session.memory);
    expect(held.find(({ key }) => key === 'bob_age')?.value).toBe('a < b & c');
    expect(held.find(({ key }) => key === 'think_log_001')?.value).toBe('I note it.');
    expect(held.find(({ key }) => key === 'evaluation_log_001')?.value).toBe('Noted.');
    expect(requests[0]?.system).toContain('<agent>');
    expect(requests[0]?.state).toContain('Current Phase: THINKING');
    expect(requests[2]?.system).toContain('bob_age: a < b & c');
    expect(requests[7]?.advice).toContain('<agent>');
    expect(requests[7]?.state).toContain('Status: STUCK');
    expect(replay(start, events)).toEqual(session);
  });

  it('passes results to the model as text, and calls as it wrote them', async () => {
    const { requests } = await runProfile('lkj', script, { wrapModel: wrapInXml });
    const items = toItemArray(
      requests[2]?.conversation ?? getConversation(createSession({ id: 'x', at: 0 })),
    );
    expect(items.map(({ role }) => role)).not.toContain('tool');
    expect(items.findLast(({ role }) => role === 'assistant')).toMatchObject({
      text: expect.stringContaining('<action>'),
      calls: [],
    });
    expect(items.at(-1)).toMatchObject({ role: 'user', text: expect.stringContaining('working_memory_add') });
  });

  it('runs no action that its chart does not have', async () => {
    const { session } = await runProfile(
      'lkj',
      [{ text: '<agent><action><type>search</type><query>x</query></action></agent>' }],
      { wrapModel: wrapInXml },
    );
    expect(toItemArray(getConversation(session)).map(({ role }) => role)).not.toContain('tool');
  });
});

describe('an agent with the JSON protocol', () => {
  it('calls tools, and finishes with its answer', async () => {
    const { session } = await runProfile(
      'savant',
      [
        { text: '```json\n{"action": "tool", "tool_name": "search", "args": {"query": "it"}}\n```' },
        { text: '{"action": "finish", "final": "It is here."}' },
      ],
      { wrapModel: wrapInJson },
    );
    expect(session.mode?.history.map(({ to }) => to)).toEqual(['SEARCHING', 'FINISHING']);
    expect(toItemArray(getConversation(session)).at(-1)).toMatchObject({
      role: 'tool',
      outcome: { ok: true, output: { answer: 'It is here.' } },
    });
  });
});

describe('an agent whose context window is full', () => {
  const overflow = { failure: { kind: 'context-overflow', message: 'too long' } } as const;

  it('continues with the older half of the conversation compacted, calls and results together', async () => {
    const clock = createTickingClock();
    const storage = createInMemoryStorage();
    const memory = createMemoryManager({ memory: createSessionMemory(), storage, clock });
    const calls = Array.from({ length: 12 }, (_, index) => ({
      calls: [{ tool: 'search', args: { query: `question ${index} ${'x'.repeat(400)}` } }],
    }));
    const model = createScriptedModel([...calls, overflow, { text: 'Enough.' }]);
    const agent = new Agent({ model, tools: [searchTool], memory, clock });
    void agent.sendMessage('Where is it?');
    const session = await agent.waitUntilIdle();
    const messages = toItemArray(getConversation(session));
    expect(messages[0]).toMatchObject({ role: 'user', text: 'Where is it?' });
    expect(messages.at(-1)).toMatchObject({ text: 'Enough.' });
    expect(messages.length).toBeLessThan(20);
    const asked = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
    const answered = messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : []));
    expect(answered).toEqual(asked.map(({ id }) => id));
    const storedEntries = await storage.search({ tags: [], text: 'question' });
    expect(storedEntries.length).toBeGreaterThan(0);
  });

  const questions = Array.from({ length: 12 }, (_, index) => ({
    calls: [{ tool: 'search', args: { query: `question ${index} ${'x'.repeat(400)}` } }],
  }));
  const summarizeConversation = async (summaryModel: Model, clock = createTickingClock()) => {
    const asked: ModelRequest[] = [];
    const scripted = createScriptedModel([...questions, overflow, { text: 'Enough.' }]);
    const model: Model = {
      name: scripted.name,
      stream: (request, signal) => (asked.push(request), scripted.stream(request, signal)),
    };
    const events: Event[] = [];
    const observe = ({ event }: { event: Event }): number => events.push(event);
    const agent = new Agent({ model, tools: [searchTool], clock, summaryModel, observe });
    void agent.sendMessage('Where is it?');
    await agent.waitUntilIdle();
    const last = toItemArray(asked.at(-1)?.conversation ?? getConversation(agent.session));
    const paging = events.find(({ type }) => type === 'paging-finished');
    return { prompt: last.map((message) => JSON.stringify(message)).join('\n'), paging };
  };

  it('continues with a summary by another model, which is logged', async () => {
    const usage = { inputTokens: 500, outputTokens: 20 };
    const shown: ModelRequest[] = [];
    const recordingModel: Model = {
      name: 'scribe',
      async *stream(request) {
        shown.push(request);
        yield { type: 'reply', text: ' It is not in questions 0 to 5. ', calls: [], usage };
      },
    };
    const { prompt, paging } = await summarizeConversation(recordingModel, systemClock);
    expect(prompt).toContain('What happened: It is not in questions 0 to 5.');
    expect(paging).toMatchObject({ summaries: { conversation: 'It is not in questions 0 to 5.' }, usage });
    expect(shown[0]?.tools).toEqual([]);
    const [record] = toItemArray(
      shown[0]?.conversation ?? getConversation(createSession({ id: 'none', at: 0 })),
    );
    expect(record).toMatchObject({
      role: 'user',
      text: expect.stringContaining('search returned: Found: question 1'),
    });
  });

  it.each([
    ['fails', createScriptedModel([{ failure: { kind: 'auth', message: 'no key' } }])],
    [
      'throws',
      {
        name: 'broken',
        stream: () => {
          throw new Error('broken');
        },
      },
    ],
    ['says nothing', createScriptedModel([{ text: '  ' }])],
    [
      'takes too long',
      {
        name: 'slow',
        async *stream(_: ModelRequest, signal: AbortSignal) {
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          yield { type: 'text', text: 'late' } as const;
        },
      },
    ],
  ] as const)('continues without a summary if the model that writes it %s', async (_, summaryModel) => {
    const { prompt, paging } = await summarizeConversation(summaryModel);
    expect(prompt).toContain('Tools used: search');
    expect(paging).not.toHaveProperty('summaries');
  });

  it('stops with a reason if nothing can be compacted', async () => {
    const model = createScriptedModel([overflow, overflow, overflow, overflow]);
    const agent = new Agent({ model, tools: [searchTool], clock: createTickingClock() });
    void agent.sendMessage('Where is it?');
    const { turn } = await Promise.race([agent.ended, agent.waitUntilIdle()]);
    expect(turn).toMatchObject({ status: 'halted', haltReason: { kind: 'stuck', rule: 'fruitless-paging' } });
  });
});

function createSessionMemory(): NonNullable<Session['memory']> {
  const { memory } = createSession({ id: 'm', at: 0, settings: { memory: memorySettings.pawl } });
  if (memory === null) throw new Error('expected a memory');
  return memory;
}
