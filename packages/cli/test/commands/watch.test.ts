import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSession } from '@pawl/core';
import { Agent } from '@pawl/runtime';
import { createScriptedModel } from '@pawl/runtime/models';
import { createStoreEventLog, openSqliteStore, getProcessOwner, type Store } from '@pawl/runtime/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listSessions } from '../../src/commands/sessions/action.ts';
import { watchSession } from '../../src/commands/watch/action.ts';
import { captureIo } from '../capture-io.ts';

let folder = '';
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-watch-'));
  store = openSqliteStore(join(folder, 'sessions.db'));
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const getStoreFlags = (): { dir: string; store: string } => ({
  dir: folder,
  store: join(folder, 'sessions.db'),
});

async function createWatchedAgent(owner: string, text: string): Promise<Agent> {
  const session = createSession({ id: 'watched', at: Date.now() });
  const log = createStoreEventLog(
    store,
    'watched',
    await store.create(session, owner, { metadata: { dir: folder } }),
  );
  return new Agent({ session, log, model: createScriptedModel([{ text }]), tools: [] });
}

describe('pawl watch', () => {
  it('shows the events of a session that runs elsewhere until it is interrupted', async () => {
    const agent = await createWatchedAgent(getProcessOwner(), 'Forty-two.');
    const enough = new AbortController();
    const captured = captureIo();
    const watching = watchSession(
      'watched',
      { ...getStoreFlags(), verbose: true, signal: enough.signal },
      captured.io,
    );
    await expect.poll(() => captured.err()).toContain('session watched');
    await agent.sendMessage('What is the answer?');
    await agent.waitUntilIdle();
    await expect.poll(() => captured.err()).toContain('Forty-two.');
    enough.abort();
    expect(await watching).toBe(130);
    expect(captured.err()).toContain('waitingForUser → callingModel');
  });

  it('ends when no process runs the session, and can show it from the start', async () => {
    const agent = await createWatchedAgent('somebody else', 'Forty-two.');
    await agent.sendMessage('What is the answer?');
    await agent.waitUntilIdle();
    const now = captureIo();
    expect(await watchSession('watched', getStoreFlags(), now.io)).toBe(0);
    expect(now.err()).not.toContain('Forty-two.');
    const whole = captureIo();
    expect(await watchSession('watched', { ...getStoreFlags(), fromStart: true, json: true }, whole.io)).toBe(
      0,
    );
    const lines = whole
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(lines.map(({ type }) => type)).toContain('reply');
    expect(whole.err()).toBe('');
  });
});

describe('pawl sessions --watch', () => {
  it('refreshes the list until it is interrupted', async () => {
    const agent = await createWatchedAgent(getProcessOwner(), 'Forty-two.');
    const enough = new AbortController();
    const captured = captureIo();
    const io = { ...captured.io, stdout: Object.assign(captured.io.stdout, { isTTY: true, columns: 120 }) };
    const listing = listSessions({ ...getStoreFlags(), limit: '9', watch: true, signal: enough.signal }, io);
    await expect.poll(() => captured.out()).toContain('watched');
    await agent.sendMessage('What is the answer?');
    await agent.waitUntilIdle();
    await expect.poll(() => captured.out()).toContain('What is the answer?');
    enough.abort();
    expect(await listing).toBe(0);
  });

  it('requires a terminal', () => {
    expect(() => listSessions({ ...getStoreFlags(), limit: '9', watch: true }, captureIo().io)).toThrow(
      /requires a terminal/,
    );
  });
});
