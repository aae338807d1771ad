import { getConversation, toItemArray } from '@pawl/core';
import { getOwnerState } from '@pawl/runtime/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  saveRun,
  splitLines,
  createTestWorkspace,
  successfulRun,
  stuckRun,
  type TestWorkspace,
} from './test-workspace.ts';

let testWorkspace: TestWorkspace;
beforeEach(() => {
  testWorkspace = createTestWorkspace();
});
afterEach(() => testWorkspace.close());

async function forkAndReadId(...args: readonly string[]): Promise<string> {
  const [fork] = await testWorkspace.json('fork', ...args);
  return String(fork?.['id']);
}

describe('pawl fork', () => {
  it('creates a session that shares the history and prints how to continue it', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    const { code, out } = await testWorkspace.pawl('fork', 'roof', '--at', '4');
    expect(code).toBe(0);
    const [created = '', next = ''] = splitLines(out);
    const [, id = ''] = /^Created session ([0-9a-f-]{36}) from event 4 of "roof"\.$/.exec(created) ?? [];
    expect(next).toBe(`Continue with: pawl resume ${id}`);
    const { session, parent, metadata, owner } = await testWorkspace.store.open(id);
    const original = await testWorkspace.store.open('roof', { at: 4 });
    expect(session).toEqual({ ...original.session, id });
    expect([parent, metadata]).toEqual([{ id: 'roof', at: 4 }, original.metadata]);
    expect(getOwnerState(owner)).toBe('alive');
    expect((await testWorkspace.pawl('show', id)).out).toContain('forked from  roof after event 4');
    expect((await testWorkspace.store.open('roof')).head).toBe(8);
  });

  it('forks at the last event without --at, and asks for a message if the session waits for the user', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    const { out } = await testWorkspace.pawl('fork', 'roof');
    expect(out).toMatch(/from event 8 of "roof"\.\nContinue with: pawl resume \S+ "your next message"\n$/);
  });

  it('appends a message with --say and cancels work in progress', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    for (const at of [0, 1, 2, 3, 5, 6, 8]) {
      const id = await forkAndReadId('roof', '--at', String(at), '--say', 'Use straw instead');
      const { session } = await testWorkspace.store.open(id);
      expect([at, session.turn.status]).toEqual([at, 'callingModel']);
      const messages = toItemArray(getConversation(session));
      expect(messages.at(-1)).toMatchObject({ role: 'user', text: 'Use straw instead' });
      const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
      const results = messages.filter(({ role }) => role === 'tool');
      expect(results).toHaveLength(calls.length);
    }
  });

  it('rejects a closed session and an event past the end', async () => {
    const settings = { continueAfterStop: false };
    await saveRun(testWorkspace, { ...stuckRun, id: 'key', settings });
    const ended = await testWorkspace.pawl('fork', 'key');
    expect([ended.code, ended.err]).toEqual([
      2,
      expect.stringContaining('The session is closed after event 14 (halted)'),
    ]);
    expect((await testWorkspace.pawl('fork', 'key', '--at', '99')).err).toContain(
      'has 14 events; --at 99 is past its end',
    );
    expect((await testWorkspace.pawl('fork', 'key', '--at', 'x')).code).toBe(2);
    expect((await testWorkspace.pawl('fork', 'key', '--say', ' ')).err).toContain(
      '--say needs a non-empty message',
    );
    expect(await testWorkspace.store.list()).toHaveLength(1);
  });
});
