import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSession } from '@pawl/core';
import { createInMemoryStorage, toRunMetadata } from '@pawl/runtime';
import { describe, expect, it } from 'vitest';
import { createSessionAgentFactory } from '../src/index.ts';

const session = createSession({ id: 's', at: 0 });

/** What a worker of the folder `root` would work on a session of `dir` with. */
async function listAgentTools(root: string, dir: string): Promise<readonly string[]> {
  const outfitFor = createSessionAgentFactory({
    root,
    storageOf: createInMemoryStorage,
    warn: () => undefined,
  });
  const outfit = await outfitFor({
    session,
    metadata: toRunMetadata({ dir, model: 'librarian', profile: 'pawl' }),
    signal: new AbortController().signal,
    waitForPerson: () => Promise.reject(new Error('Nobody is asked.')),
    post: async () => false,
    now: () => session,
  });
  await outfit.close?.();
  return outfit.tools.map(({ description }) => description.name);
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
