import { Agent, defineTool } from '../../src/index.ts';
import { createScriptedModel } from '../../src/models-entry.ts';
import { getConversation, createSession, type Session, toItemArray } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

describe('a permission prompt', () => {
  it('is repeated after a restart for the same call, which runs only then', async () => {
    const ran: string[] = [];
    const remove = defineTool({
      name: 'remove',
      effect: 'not-repeatable',
      description: 'Removes a file.',
      parameters: z.object({ path: z.string() }),
      run: ({ path }) => {
        ran.push(path);
        return Promise.resolve({ ok: true, output: 'gone' });
      },
    });
    const asked = Promise.withResolvers<void>();
    const before = new Agent({
      model: createScriptedModel([{ calls: [{ tool: 'remove', args: { path: 'old.txt' } }] }]),
      tools: [remove],
      session: createSession({ id: 's', at: Date.now() }),
      rules: () => 'ask',
      decide: () => {
        asked.resolve();
        return new Promise(() => undefined);
      },
    });
    void before.sendMessage('Tidy up.');
    await asked.promise;
    const kept = JSON.parse(JSON.stringify(before.session)) as Session;
    expect(kept.turn.status).toBe('awaitingPermission');
    const questions: unknown[] = [];
    const after = new Agent({
      model: createScriptedModel([{ text: 'Done.' }]),
      tools: [remove],
      session: kept,
      rules: () => 'ask',
      decide: (call) => {
        questions.push(call.args);
        return Promise.resolve({ decision: 'allow' });
      },
    });
    await after.resume();
    const session = await after.waitUntilIdle();
    expect(questions).toEqual([{ path: 'old.txt' }]);
    expect(ran).toEqual(['old.txt']);
    expect(toItemArray(getConversation(session)).at(-1)).toMatchObject({ text: 'Done.' });
  });
});
