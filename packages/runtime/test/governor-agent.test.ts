import {
  Agent,
  findTurnAnswer,
  createMemoryLog,
  defineTool,
  type RuntimeClock,
  type Model,
  type ModelChunk,
} from '../src/index.ts';
import { createScriptedModel } from '../src/models-entry.ts';
import { getConversation, createSession, replay, type Event, toItemArray } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

const lookTool = defineTool({
  name: 'look',
  description: 'Always sees the same.',
  parameters: z.object({}),
  run: () => Promise.resolve({ ok: true, output: 'a wall' }),
});

const fetchTool = defineTool({
  name: 'fetch',
  description: 'Is never let in.',
  parameters: z.object({}),
  run: () => Promise.resolve({ ok: false, error: { kind: 'failed', message: '429 too many requests' } }),
});

/** A model that asks for one call for ever, and never gives its last answer. */
const stubbornModel: Model = {
  name: 'stubborn',
  async *stream({ tools }, signal): AsyncGenerator<ModelChunk> {
    if (tools.length > 0) yield { type: 'reply', text: '', calls: [{ tool: 'look', args: {} }] };
    else await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  },
};

/** Waits take no time. */
function createInstantClock(): RuntimeClock & { readonly waits: number[] } {
  let now = 0;
  const waits: number[] = [];
  return {
    waits,
    now: () => (now += 1),
    sleepUntil(at) {
      waits.push(at - now);
      now = Math.max(now, at);
      return Promise.resolve();
    },
  };
}

describe('an agent under the governor', () => {
  it('waits for its final answer no longer than the deadline', async () => {
    const session = createSession({ id: 's', at: Date.now(), settings: { finishMs: 30 } });
    const agent = new Agent({ model: stubbornModel, tools: [lookTool], session });
    void agent.sendMessage('go');
    const { turn } = await agent.ended;
    expect(turn).toMatchObject({ status: 'halted', haltReason: { kind: 'stuck', rule: 'repeated-call' } });
  });

  it('cuts off a streamed reply that has become a repetition loop, and asks again', async () => {
    let asked = 0;
    let written = 0;
    const advice: (string | null)[] = [];
    const chanter: Model = {
      name: 'chanter',
      async *stream(request): AsyncGenerator<ModelChunk> {
        advice.push(request.advice);
        asked += 1;
        if (asked === 1) {
          for (;;) {
            written += 1;
            yield { type: 'text', text: 'and then I look again, ' };
          }
        }
        yield { type: 'reply', text: 'There is a wall.', calls: [] };
      },
    };
    const log = createMemoryLog();
    const events: Event[] = [];
    const session = createSession({ id: 's', at: 0 });
    const agent = new Agent({
      model: chanter,
      tools: [lookTool],
      session,
      log,
      clock: createInstantClock(),
      observe: ({ event }) => events.push(event),
    });
    void agent.sendMessage('What is there?');
    const ended = await agent.waitUntilIdle();
    expect(findTurnAnswer(getConversation(ended))).toBe('There is a wall.');
    expect(toItemArray(getConversation(ended))).toHaveLength(2);
    expect(advice).toEqual([null, expect.stringContaining('and then I look again')]);
    expect(written).toBeLessThan(100);
    expect(replay(session, events)).toEqual(ended);
  });

  it('waits out a rate limit before it continues', async () => {
    const clock = createInstantClock();
    const again = { calls: [{ tool: 'fetch', args: {} }] };
    const model = createScriptedModel([again, again, again, { text: 'I was not let in.' }]);
    const agent = new Agent({ model, tools: [fetchTool], clock });
    void agent.sendMessage('Fetch it.');
    expect(findTurnAnswer(getConversation(await agent.waitUntilIdle()))).toBe('I was not let in.');
    expect(clock.waits).toContain(30_000);
    expect(model.requests.at(-1)?.advice).toContain('Wait a while');
  });
});
