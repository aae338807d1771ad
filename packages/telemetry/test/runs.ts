import { createSession, type SessionOptions } from '@pawl/core';
import {
  Agent,
  createMemoryStore,
  createScripted,
  defineTool,
  eventLogOn,
  takeUp,
  type AgentOptions,
  type Model,
  type ScriptedReply,
  type Store,
  type Tool,
} from '@pawl/runtime';
import * as z from 'zod';
import type { SessionObserver, Telemetry } from '../src/index.ts';

export const look: Tool = defineTool({
  name: 'look',
  description: 'Looks at something.',
  parameters: z.object({ at: z.string() }),
  effect: 'read-only',
  run: async ({ at }) =>
    at === 'nowhere'
      ? { ok: false, error: { kind: 'failed', message: 'There is nothing, says the secret floor plan' } }
      : { ok: true, output: `a cellar full of ${at}` },
});

export const looks = (at: string, id: string = `look-${at}`): ScriptedReply => ({
  calls: [{ id, tool: 'look', args: { at } }],
});

/** A script that also says what each reply took. */
export function priced(replies: readonly ScriptedReply[], name = 'anthropic:big-model'): Model {
  const model = createScripted(replies);
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

export type Worker = {
  readonly agent: Agent;
  readonly observer: SessionObserver;
  readonly leave: () => Promise<void>;
};

type Hired = Partial<AgentOptions> & { readonly model: Model };

/** An agent that works on a kept session, observed. */
export async function hire(telemetry: Telemetry, store: Store, id: string, options: Hired): Promise<Worker> {
  const taken = await takeUp(store, id, { owner: 'another' });
  const observer = telemetry.observe(taken.session);
  const agent = new Agent({
    ...observer.within({ tools: [look], ...options }),
    ...taken,
    observe: observer.see,
  });
  return {
    agent,
    observer,
    async leave() {
      await agent.leave();
      observer.end();
      // Whoever ends what has ended changes nothing.
      observer.end();
    },
  };
}

/** An agent that begins a session and keeps it. */
export async function begin(
  telemetry: Telemetry,
  { id, settings = {} }: Pick<SessionOptions, 'settings'> & { readonly id: string },
  options: Hired,
): Promise<Worker & { readonly store: Store }> {
  const store = createMemoryStore();
  const session = createSession({ id, at: Date.now(), settings: { compact: true, ...settings } });
  const position = await store.create(session, 'test');
  const observer = telemetry.observe(session);
  const agent = new Agent({
    ...observer.within({ tools: [look], ...options }),
    session,
    log: eventLogOn(store, id, position),
    observe: observer.see,
  });
  return {
    store,
    agent,
    observer,
    async leave() {
      await agent.leave();
      observer.end();
    },
  };
}
