import {
  getConversation,
  createSession,
  type Event,
  type ConversationMessage,
  type Session,
  toItemArray,
} from '@pawl/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Agent } from '../src/agent/agent.ts';
import { createMemoryLog, createStoreEventLog } from '../src/store/store-event-log.ts';
import type { Model } from '../src/models/model.ts';
import { createScriptedModel } from '../src/models/scripted.ts';
import { createMemoryStore } from '../src/store/memory-store.ts';
import { resumeSession } from '../src/store/resume-session.ts';
import { defineTool, createToolFailure, type Tool } from '../src/tools/tool.ts';

const actCalls = [{ id: 'a', tool: 'act', args: {} }];
const createTestSession = (): Session => createSession({ id: 's', at: 0 });

/** Ends when it is let go, and tells how it did. */
function createHeldTool(): {
  readonly tool: Tool;
  readonly started: Promise<void>;
  readonly release: () => void;
} {
  const started = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  const tool = defineTool({
    name: 'act',
    description: 'Acts.',
    parameters: z.object({}),
    async run(_args, { signal }) {
      started.resolve();
      await free.promise;
      return signal.aborted ? createToolFailure('cancelled', 'called off') : { ok: true, output: 'acted' };
    },
  });
  return { tool, started: started.promise, release: free.resolve };
}

function formatMessages(messages: readonly ConversationMessage[]): readonly string[] {
  return messages.map((message) => {
    if (message.role !== 'tool') return `${message.role}: ${message.text}`;
    return message.outcome.ok ? 'tool: ok' : `tool: ${message.outcome.error.kind}`;
  });
}

const formatConversation = (session: Session): readonly string[] =>
  formatMessages(toItemArray(getConversation(session)));

describe('a message during the work', () => {
  it('does not interrupt a running tool, and reaches the model after the result', async () => {
    const { tool, started, release } = createHeldTool();
    const model = createScriptedModel([{ calls: actCalls }, { text: 'Both.' }]);
    const agent = new Agent({ session: createTestSession(), model, tools: [tool] });
    await agent.sendMessage('Act.');
    await started;
    expect(await agent.sendMessage('And say so.')).toBe(true);
    expect(await agent.sendMessage('In one word.')).toBe(true);
    release();
    await agent.waitUntilIdle();
    expect(model.requests).toHaveLength(2);
    expect(
      formatMessages(toItemArray(model.requests[1]?.conversation ?? getConversation(createTestSession()))),
    ).toEqual(['user: Act.', 'assistant: ', 'tool: ok', 'user: And say so.', 'user: In one word.']);
  });

  it('does not cancel the current model request', async () => {
    const answer = Promise.withResolvers<string>();
    const asked = Promise.withResolvers<void>();
    const aborted: boolean[] = [];
    const model: Model = {
      name: 'slow',
      async *stream(_request, signal) {
        asked.resolve();
        const text = await answer.promise;
        aborted.push(signal.aborted);
        yield { type: 'reply', text, calls: [] };
      },
    };
    const agent = new Agent({ session: createTestSession(), model, tools: [] });
    await agent.sendMessage('one');
    await asked.promise;
    await agent.sendMessage('two');
    answer.resolve('so');
    expect(formatConversation(await agent.waitUntilIdle())).toEqual([
      'user: one',
      'assistant: so',
      'user: two',
      'assistant: so',
    ]);
    expect(aborted).toEqual([false, false]);
  });

  it('resolves once it is persisted, and not before', async () => {
    const { tool, started } = createHeldTool();
    const room = Promise.withResolvers<void>();
    const kept: Event['type'][] = [];
    const agent = new Agent({
      session: createTestSession(),
      model: createScriptedModel([{ calls: actCalls }]),
      tools: [tool],
      log: {
        async append(events) {
          if (events.some(({ type }) => type === 'steered')) await room.promise;
          kept.push(...events.map(({ type }) => type));
        },
      },
    });
    await agent.sendMessage('Act.');
    await started;
    const steered = agent
      .sendMessage('Stop.')
      .then((accepted) => ({ accepted, isKept: kept.includes('steered') }));
    // Nothing here waits for a timer: whatever can happen has happened when the event loop comes round.
    const soon = new Promise((resolve) => setImmediate(() => setImmediate(resolve, 'not yet')));
    expect(await Promise.race([steered, soon])).toBe('not yet');
    room.resolve();
    expect(await steered).toEqual({ accepted: true, isKept: true });
  });

  it('is not lost with the process: after a resume it reaches the model', async () => {
    const store = createMemoryStore();
    const session = createTestSession();
    const { tool, started } = createHeldTool();
    const first = new Agent({
      session,
      log: createStoreEventLog(store, 's', await store.create(session, 'one')),
      model: createScriptedModel([{ calls: actCalls }]),
      tools: [tool],
    });
    await first.sendMessage('Act.');
    await started;
    await first.sendMessage('Then tidy up.');
    const model = createScriptedModel([{ text: 'Tidied.' }]);
    const next = new Agent({ ...(await resumeSession(store, 's', { owner: 'two' })), model, tools: [tool] });
    await next.resume();
    expect(formatConversation(await next.waitUntilIdle())).toEqual([
      'user: Act.',
      'assistant: ',
      'tool: interrupted',
      'user: Then tidy up.',
      'assistant: Tidied.',
    ]);
  });

  it('stays in the conversation when the work is cancelled, without a model request', async () => {
    const { tool, started, release } = createHeldTool();
    const model = createScriptedModel([{ calls: actCalls }]);
    const agent = new Agent({ session: createTestSession(), model, tools: [tool] });
    await agent.sendMessage('Act.');
    await started;
    await agent.sendMessage('No, wait.');
    await agent.post({ type: 'cancel-requested' });
    release();
    expect(formatConversation(await agent.waitUntilIdle()).at(-1)).toBe('user: No, wait.');
    expect(model.requests).toHaveLength(1);
  });

  it('waits for the end of a pause', async () => {
    const agent = new Agent({
      session: createTestSession(),
      model: createScriptedModel([{ text: 'Here.' }]),
      tools: [],
    });
    await agent.post({ type: 'pause-requested', reason: 'no room' });
    expect(await agent.sendMessage('Are you there?')).toBe(true);
    expect(agent.session.turn.status).toBe('paused');
    await agent.post({ type: 'resume-requested' });
    expect(formatConversation(await agent.waitUntilIdle())).toEqual([
      'user: Are you there?',
      'assistant: Here.',
    ]);
  });

  it('is rejected once the session has ended or was detached', async () => {
    const ended = new Agent({ session: createTestSession(), model: createScriptedModel([]), tools: [] });
    await ended.post({ type: 'halt-requested', reason: 'enough' });
    expect(await ended.sendMessage('Hello?')).toBe(false);
    const left = new Agent({ session: createTestSession(), model: createScriptedModel([]), tools: [] });
    await left.detach();
    expect(await left.sendMessage('Hello?')).toBe(false);
  });

  it('is added to the conversation once and in order, whenever it is sent', async () => {
    const moments = fc.array(fc.nat(3), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(moments, fc.array(fc.boolean(), { maxLength: 4 }), async (pattern, rounds) => {
        let acted = 0;
        const tool = defineTool({
          name: 'act',
          description: 'Acts.',
          parameters: z.object({}),
          // Each result is new, or the governor would end a work that repeats itself.
          run: () => Promise.resolve({ ok: true, output: `done ${(acted += 1)} times` }),
        });
        const script = rounds.map((isCall) => (isCall ? { calls: actCalls } : { text: 'So.' }));
        const log = createMemoryLog();
        const texts = ['start'];
        let seen = 0;
        const agent = new Agent({
          session: createTestSession(),
          log,
          model: createScriptedModel([...script, ...Array.from({ length: 40 }, () => ({ text: 'Well.' }))]),
          tools: [tool],
          observe() {
            for (let times = pattern[seen] ?? 0; times > 0; times -= 1) {
              texts.push(`word ${texts.length}`);
              void agent.sendMessage(texts.at(-1) ?? '');
            }
            seen += 1;
          },
        });
        await agent.sendMessage('start');
        const after = await agent.waitUntilIdle();
        expect(after.turn.status).toBe('waitingForUser');
        const userLines = formatConversation(after).filter((line) => line.startsWith('user: '));
        expect(userLines).toEqual(texts.map((text) => `user: ${text}`));
        expect(formatConversation(after).at(-1)).toMatch(/^assistant: /);
      }),
      { numRuns: 40 },
    );
  });
});
