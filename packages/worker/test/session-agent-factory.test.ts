import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSession, getConversation } from '@pawl/core';
import { findTurnAnswer } from '@pawl/runtime';
import { toRunMetadata } from '@pawl/runtime/agent-setup';
import { createScriptedModel } from '@pawl/runtime/models';
import { createInMemoryStorage } from '@pawl/runtime/storage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFolderStorage, createSessionAgentFactory, getTenant } from '../src/index.ts';
import { createWorkerHarness } from './harness.ts';
import { startRedis, type RedisServer } from './redis-server.ts';

const session = createSession({ id: 's', at: 0 });

/** What a worker of the folder `root` would work on a session of `dir` with. */
async function listAgentTools(root: string, dir: string): Promise<readonly string[]> {
  const agentFactory = createSessionAgentFactory({
    root,
    openStorage: createInMemoryStorage,
    warn: () => undefined,
  });
  const setup = await agentFactory({
    session,
    metadata: toRunMetadata({ dir, model: 'librarian', profile: 'pawl' }),
    signal: new AbortController().signal,
    waitForPerson: () => Promise.reject(new Error('Nobody is asked.')),
    post: async () => false,
    now: () => session,
  });
  await setup.close?.();
  return setup.tools.map(({ description }) => description.name);
}

describe('a worker for a folder', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-outfit-')));

  it.each(['.', 'below', '..below'])('accepts a session in %s', async (name) => {
    const dir = join(root, name);
    mkdirSync(dir, { recursive: true });
    expect(await listAgentTools(root, dir)).toContain('search');
  });

  it.each(['..', '../beside'])('rejects a session in %s, and says where to run it', async (name) => {
    const dir = join(root, name);
    await expect(listAgentTools(root, dir)).rejects.toThrow(
      `The session works in ${dir}, but this worker only in ${root}. Start a worker with --dir there, then: pawl queue retry`,
    );
  });
});

describe('a worker without the command line', { tags: ['redis'] }, () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedis({ appendfsync: 'everysec' });
  });

  afterAll(async () => server.stop());

  it('runs a session with the folder and permissions of its metadata, and waits for a decision', async () => {
    const harness = await createWorkerHarness(server);
    const dir = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-worker-agent-')));
    writeFileSync(join(dir, 'note.txt'), 'one line\n');
    const file = join(dir, 'copy.txt');
    const model = createScriptedModel([
      { calls: [{ tool: 'read', args: { path: 'note.txt' } }] },
      { calls: [{ id: 'write', tool: 'write', args: { path: 'copy.txt', content: 'a copy' } }] },
      { text: 'Copied.' },
    ]);
    try {
      await harness.submit('copy', 'Copy the note.', {
        metadata: toRunMetadata({ dir, model: 'scripted', profile: 'pawl', mode: 'ask' }),
      });
      await harness.work(
        createSessionAgentFactory({
          root: dir,
          openStorage: (folder, metadata) =>
            createFolderStorage(harness.redis, { dir: folder, tenant: getTenant(metadata) }),
          warn: () => undefined,
          overrides: { model },
        }),
      );
      await harness.until('copy', 'awaitingPermission');
      await expect.poll(() => harness.reports).toContainEqual({ kind: 'waiting', session: 'copy' });
      expect(existsSync(file)).toBe(false);
      await harness.queue.send('copy', { kind: 'decide', callId: 'write', decision: 'allow' });
      const ended = await harness.until('copy', 'waitingForUser');
      expect(readFileSync(file, 'utf8')).toBe('a copy');
      expect(findTurnAnswer(getConversation(ended))).toBe('Copied.');
      expect(JSON.stringify(getConversation(ended))).toContain('one line');
    } finally {
      await harness.close();
    }
  });
});
