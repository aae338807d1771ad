import { createSession, type SessionOptions } from '@pawl/core';
import { memorySettings } from '@pawl/core/memory';
import { Agent, defineTool, resumeSession, type AgentOptions, type Model, type Tool } from '@pawl/runtime';
import { createScriptedModel, type ScriptedReply } from '@pawl/runtime/models';
import { createMemoryStore, createStoreEventLog, type Store } from '@pawl/runtime/store';
import * as z from 'zod';
import type { SessionObserver, TelemetryClient } from '../src/index.ts';

export const lookTool: Tool = defineTool({
  name: 'look',
  description: 'Looks at something.',
  parameters: z.object({ at: z.string() }),
  effect: 'read-only',
  run: async ({ at }) =>
    at === 'nowhere'
      ? { ok: false, error: { kind: 'failed', message: 'There is nothing, says the secret floor plan' } }
      : { ok: true, output: `a cellar full of ${at}` },
});

export const createLookReply = (at: string, id: string = `look-${at}`): ScriptedReply => ({
  calls: [{ id, tool: 'look', args: { at } }],
});

/** A scripted model that also reports usage. */
export function createPricedModel(replies: readonly ScriptedReply[], name = 'anthropic:big-model'): Model {
  const model = createScriptedModel(replies);
  return {
    name,
    async *stream(request, signal) {
      for await (const chunk of model.stream(request, signal))
        yield chunk.type === 'reply'
          ? { ...chunk, usage: { inputTokens: 100, outputTokens: 7, cost: 0.25 } }
          : chunk;
    },
  };
}

export type ObservedWorker = {
  readonly agent: Agent;
  readonly observer: SessionObserver;
  readonly detach: () => Promise<void>;
};

type ObservedWorkerOptions = Partial<AgentOptions> & { readonly model: Model };

/** Resumes a stored session with an observed agent. */
export async function resumeObserved(
  telemetry: TelemetryClient,
  store: Store,
  id: string,
  options: ObservedWorkerOptions,
): Promise<ObservedWorker> {
  const resumed = await resumeSession(store, id, { owner: 'another' });
  const observer = telemetry.observe(resumed.session);
  const agent = new Agent({
    ...observer.runInContext({ tools: [lookTool], ...options }),
    ...resumed,
    observe: observer.observe,
  });
  return {
    agent,
    observer,
    async detach() {
      await agent.detach();
      observer.end();
      // Ending twice has no effect.
      observer.end();
    },
  };
}

/** Starts a stored session with an observed agent. */
export async function startObserved(
  telemetry: TelemetryClient,
  { id, settings = {} }: Pick<SessionOptions, 'settings'> & { readonly id: string },
  options: ObservedWorkerOptions,
): Promise<ObservedWorker & { readonly store: Store }> {
  const store = createMemoryStore();
  const session = createSession({ id, at: Date.now(), settings: { compact: true, ...settings } });
  const position = await store.create(session, 'test');
  const observer = telemetry.observe(session);
  const agent = new Agent({
    ...observer.runInContext({ tools: [lookTool], ...options }),
    session,
    log: createStoreEventLog(store, id, position),
    observe: observer.observe,
  });
  return {
    store,
    agent,
    observer,
    async detach() {
      await agent.detach();
      observer.end();
    },
  };
}

/** Exercises everything that a metric counts. */
export async function exerciseAllMetrics(telemetry: TelemetryClient): Promise<void> {
  telemetry.ask({
    queue: async () => [{ tenant: 'web', waiting: 1, delayed: 0, active: 0, stalled: 0 }],
    parked: async () => 0,
    stored: async () => ['awaitingPermission'],
  });
  telemetry.report({ kind: 'lost' });
  const { agent, detach } = await startObserved(
    telemetry,
    { id: 'roof', settings: { retryBaseMs: 1, mutatingTools: ['look'], memory: memorySettings.pawl } },
    {
      model: createPricedModel([
        { failure: { kind: 'context-overflow', message: 'full' } },
        { failure: { kind: 'overloaded', message: 'later' } },
        createLookReply('roof'),
        ...['a', 'b', 'c', 'd'].map((id) => createLookReply('nowhere', id)),
        { text: 'There is nothing.' },
      ]),
      rules: ({ id }) => (id === 'look-roof' ? 'ask' : 'allow'),
      decide: async () => ({ decision: 'allow' }),
    },
  );
  await agent.sendMessage('Look for it');
  await agent.waitUntilIdle();
  await detach();
}

/** Runs sessions of several kinds whose names a model or a person chose to break the format. */
export async function exerciseOddNames(telemetry: TelemetryClient): Promise<void> {
  const odd = ['"} 1\nevil 2', '__proto__', '\ud800', 'x'.repeat(50_000), '\\', 'a\nb', ''];
  const calls = odd.map((tool, at) => ({ id: `call-${at}`, tool, args: {} }));
  const failure = { kind: 'refused', message: 'no', retryable: false } as const;
  for (const [id, replies] of Object.entries({
    answered: [{ calls }, { text: 'Done.' }],
    failed: [{ failure }],
  })) {
    const model = createPricedModel(replies, 'evil:"}\n\\');
    const settings = { governor: { preset: 'none', rules: {} }, maxRetries: 0 } as const;
    const { agent, detach } = await startObserved(telemetry, { id, settings }, { model });
    await agent.sendMessage('Go');
    await agent.waitUntilIdle();
    await detach();
  }
}
