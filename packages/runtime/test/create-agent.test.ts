import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AgentConfigError,
  createAgent,
  defineTool,
  findTurnAnswer,
  type AgentConfig,
  type Tool,
} from '../src/index.ts';
import { createScriptedModel } from '../src/models-entry.ts';
import { passthroughSandbox, type DetectedSandbox } from '../src/sandbox-entry.ts';
import { openSqliteStore } from '../src/store-entry.ts';
import { getConversation, type Session } from '@pawl/core';
import type { Rule } from '@pawl/governor';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-create-agent-')));
const sandbox: DetectedSandbox = { ...passthroughSandbox, problem: null };

/** Advises after each call of the tool `count`, which no built-in rule does. */
const countRule: Rule = {
  id: 'count-less',
  rationale: 'Counting costs money.',
  thresholds: { advise: 1, block: null, stop: null },
  match(window) {
    const evidence = window.filter(({ tool }) => tool === 'count');
    if (evidence.length === 0) return null;
    const loop = `counted ${evidence.length} times`;
    return { count: evidence.length, evidence, loop, reason: loop, advice: 'Stop counting.' };
  },
};

const countTool = defineTool({
  name: 'count',
  description: 'Counts.',
  effect: 'read-only',
  parameters: z.object({}),
  run: async () => ({ ok: true, output: 3 }),
});

/** Runs until it is cancelled. */
function createSlowTool(onStarted: () => void): Tool {
  return defineTool({
    name: 'wait',
    description: 'Waits.',
    effect: 'read-only',
    parameters: z.object({}),
    run: (_args, { signal }) =>
      new Promise((resolve) => {
        onStarted();
        signal.addEventListener('abort', () =>
          resolve({ ok: false, error: { kind: 'cancelled', message: 'cut off' } }),
        );
      }),
  });
}

const countCall = { calls: [{ tool: 'count', args: {} }] };

describe('createAgent', () => {
  it('resumes the session of a database file after a detach, with the same rules', async () => {
    const started = Promise.withResolvers<void>();
    const config = {
      sandbox,
      store: join(folder, 'sessions.db'),
      sessionId: 'shop',
      ownRules: [countRule],
      prompt: 'You keep the shop.',
      tools: [countTool, createSlowTool(started.resolve)],
    } satisfies AgentConfig;
    const first = await createAgent({
      ...config,
      model: createScriptedModel([countCall, { calls: [{ tool: 'wait', args: {} }] }]),
    });
    expect(first.isResumed).toBe(false);
    await first.agent.sendMessage('How many?');
    await started.promise;
    await first.close();
    const left = first.agent.session;
    expect(JSON.stringify(left.governor)).toContain('count-less');

    const resumedNotes: unknown[] = [];
    const second = await createAgent({
      ...config,
      model: createScriptedModel([countCall, { text: 'Three.' }]),
      observe: ({ notes }) => resumedNotes.push(...notes),
    });
    expect(second.isResumed).toBe(true);
    expect(second.agent.session).toEqual(left);
    await second.agent.resume();
    expect(findTurnAnswer(getConversation(await second.agent.waitUntilIdle()))).toBe('Three.');
    await second.close();
    expect(JSON.stringify(resumedNotes)).toContain('count-less');
    expect(JSON.stringify(second.agent.session)).toContain('cut off');

    const store = openSqliteStore(config.store);
    const { session } = await store.open('shop');
    expect(session.seq).toBe(second.agent.session.seq);
    await store.close();
  });

  it('works on a folder under permission rules, and asks', async () => {
    writeFileSync(join(folder, 'note.txt'), 'one\n');
    const questions: string[] = [];
    const observed: string[] = [];
    let ended: Session | null = null;
    const { agent, close, warnings } = await createAgent({
      sandbox,
      workspace: folder,
      model: createScriptedModel([
        { calls: [{ tool: 'write', args: { path: 'allowed.txt', content: 'yes' } }] },
        { calls: [{ tool: 'write', args: { path: 'denied.txt', content: 'no' } }] },
        { text: 'Done.' },
      ]),
      budgets: { modelCalls: 9 },
      settings: { maxRetries: 1 },
      ask: {
        user: null,
        async permission({ call }) {
          const { path } = call.args as { readonly path: string };
          questions.push(path);
          return path === 'allowed.txt'
            ? { decision: 'allow' }
            : { decision: 'deny', reason: 'not this one' };
        },
      },
      observers: [
        (session) => ({
          observe: ({ event }) => observed.push(event.type),
          end: () => (ended = session),
        }),
      ],
    });
    expect(warnings).toEqual([]);
    expect(agent.session.settings).toMatchObject({
      maxRetries: 1,
      budgets: { modelCalls: 9, toolCalls: null },
      governor: { attended: true },
    });
    await agent.sendMessage('Write two files.');
    await agent.waitUntilIdle();
    await close();
    expect(questions).toEqual(['allowed.txt', 'denied.txt']);
    expect(readFileSync(join(folder, 'allowed.txt'), 'utf8')).toBe('yes');
    expect(JSON.stringify(getConversation(agent.session))).toContain('not this one');
    expect(observed).toContain('model-replied');
    expect(ended).not.toBeNull();
  });

  it('uses the offline librarian by default, and stores nothing', async () => {
    writeFileSync(join(folder, 'garden.md'), '# Garden\n\nRoses are watered on Mondays.\n');
    const { agent, close } = await createAgent({ workspace: folder });
    await agent.sendMessage('When are roses watered?');
    expect(findTurnAnswer(getConversation(await agent.waitUntilIdle()))).toContain('Mondays');
    await close();
  });

  it.each<[string, AgentConfig]>([
    ['Unknown profile "pwl". Did you mean pawl?', { profile: 'pwl' }],
    ['The librarian cannot write summaries', { model: createScriptedModel([]), summaryModel: 'librarian' }],
    ['needs a workspace', { profile: 'lkj' }],
  ])('rejects a configuration that cannot work: %s', async (message, config) => {
    await expect(createAgent({ sandbox, ...config })).rejects.toThrow(message);
    await expect(createAgent({ sandbox, ...config })).rejects.toThrow(AgentConfigError);
  });
});
