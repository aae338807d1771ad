import { Agent, findTurnAnswer, defineTool, type Model, type ModelRequest } from '../src/index.ts';
import {
  getConversation,
  createSession,
  type RequestedCall,
  type Session,
  toItemArray,
  summarizeTurn,
} from '@pawl/core';
import { findProfile } from '@pawl/core/profiles';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

const searchTool = defineTool({
  name: 'search',
  description: 'Finds nothing.',
  parameters: z.object({ query: z.string() }),
  run: () => Promise.resolve({ ok: true, output: 'nothing found' }),
});

const finishTool = defineTool({
  name: 'finish',
  description: 'Ends the work.',
  parameters: z.object({ answer: z.string() }),
  run: ({ answer }) => Promise.resolve({ ok: true, output: { answer }, final: true }),
});

/** What the model wants to do at each request; when it may call nothing more, it sums up. */
function createDecidingModel(
  next: (request: number) => RequestedCall,
): Model & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    name: 'wilful',
    requests,
    async *stream(request) {
      requests.push(request);
      const usage = { inputTokens: 1_000, outputTokens: 50 };
      if (request.tools.length === 0) yield { type: 'reply', text: 'This is all I found.', calls: [], usage };
      else yield { type: 'reply', text: '', calls: [next(requests.length)], usage };
    },
  };
}

async function runGovernedAgent(model: Model, profile: string | null): Promise<Session> {
  const settings =
    profile === null ? { governor: { preset: 'none', rules: {} } as const } : findProfile(profile)?.settings;
  const session = createSession({ id: 's', at: Date.now(), ...(settings && { settings }) });
  const agent = new Agent({ model, tools: [searchTool, finishTool], session });
  void agent.sendMessage('Find the secret.');
  return Promise.race([agent.waitUntilIdle(), agent.ended]);
}

const repeatedCall: RequestedCall = { tool: 'search', args: { query: 'secret' } };
const decideStubbornly = (request: number): RequestedCall =>
  request <= 20 ? repeatedCall : { tool: 'finish', args: { answer: 'nothing' } };

describe('a mission that cannot succeed', () => {
  it.each(['pawl', 'savant'])(
    'costs a fraction under %s of what it costs without a governor, and still ends in an answer [SAV-48, SAV-49, SAV-62, SAV-132, SAV-135, SAV-143]',
    async (profile) => {
      const governed = createDecidingModel(decideStubbornly);
      const free = createDecidingModel(decideStubbornly);
      const [ended] = await Promise.all([runGovernedAgent(governed, profile), runGovernedAgent(free, null)]);
      expect(governed.requests.length).toBeLessThanOrEqual(free.requests.length * 0.4);
      expect(ended.turn.status).toBe('halted');
      expect(findTurnAnswer(getConversation(ended))).toBe('This is all I found.');
      const why = ended.turn.status === 'halted' ? ended.turn.haltReason.reason : '';
      const summary = summarizeTurn(getConversation(ended), why);
      expect(summary).toContain(why);
      expect(summary).toContain('search');
    },
  );
});

const decideSensibly = (request: number): RequestedCall =>
  request < 3
    ? { tool: 'search', args: { query: `part ${request}` } }
    : { tool: 'finish', args: { answer: 'found' } };

describe('a mission that succeeds', () => {
  it.each(['pawl', 'savant', 'nexora'])(
    'takes the same steps to the same answer under %s as without a governor [SAV-73, RS-18]',
    async (profile) => {
      const governed = createDecidingModel(decideSensibly);
      const free = createDecidingModel(decideSensibly);
      const [one, two] = await Promise.all([
        runGovernedAgent(governed, profile),
        runGovernedAgent(free, null),
      ]);
      expect(governed.requests).toHaveLength(free.requests.length);
      expect(findTurnAnswer(getConversation(one))).toBe(findTurnAnswer(getConversation(two)));
      expect(one.turn.status).toBe('waitingForUser');
    },
  );
});

describe('the prompt', () => {
  it('includes the state and the memory, which the loop keeps up to date [SAV-105, SAV-106]', async () => {
    const model = createDecidingModel((request) =>
      request === 1 ? { tool: 'search', args: { query: 'a' } } : { tool: 'finish', args: { answer: 'x' } },
    );
    await runGovernedAgent(model, 'savant');
    expect(model.requests.map(({ state }) => state?.split('\n')[1])).toEqual([
      'Current Phase: INIT',
      'Current Phase: SEARCHING',
    ]);
    expect(model.requests[1]?.system).toContain('Never repeat a search.');
    expect(
      toItemArray(model.requests[1]?.conversation ?? getConversation(createSession({ id: 'x', at: 0 }))),
    ).toHaveLength(3);
  });

  it('includes working memory while thinking, and the allowed actions while commanding [LKJ1-93, LKJ1-94]', async () => {
    const settings = findProfile('lkj')?.settings ?? {};
    const session = createSession({ id: 's', at: 0, settings });
    const requests: ModelRequest[] = [];
    const model: Model = {
      name: 'librarian',
      async *stream(request) {
        requests.push(request);
        const [first, second] = [
          { calls: [{ tool: 'working_memory_add', args: { tags: 'alice', value: 'a friend' } }] },
          { calls: [], nextState: 'commanding' },
        ];
        if (requests.length > 3) {
          yield { type: 'failure', error: { kind: 'refused', message: 'enough', retryable: false } };
        } else yield { type: 'reply', text: '', ...(requests.length === 1 ? first : second) };
      },
    };
    const agent = new Agent({ model, tools: [finishTool], session });
    void agent.sendMessage('go');
    await agent.waitUntilIdle();
    expect(requests[1]?.system).toContain('alice: a friend');
    const commanding = requests.find(({ mode }) => mode?.state === 'commanding');
    expect(commanding?.system).toContain('alice: a friend');
    expect(commanding?.tools.map(({ name }) => name)).toContain('working_memory_remove');
  });
});
