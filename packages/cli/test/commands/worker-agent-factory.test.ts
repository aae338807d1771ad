import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSession } from '@pawl/core';
import { createInMemoryStorage } from '@pawl/runtime';
import { describe, expect, it } from 'vitest';
import { toRunMetadata } from '../../src/commands/run-metadata.ts';
import { createWorkerAgentFactory } from '../../src/commands/worker-agent-factory.ts';

const session = createSession({ id: 's', at: 0 });

/** What a worker of the folder `root` would work on a session of `dir` with. */
async function listAgentTools(root: string, dir: string): Promise<readonly string[]> {
  const outfitFor = createWorkerAgentFactory({
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

describe('a worker of a folder', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-outfit-')));

  it.each(['.', 'below', '..below'])('works in %s of it', async (name) => {
    const dir = join(root, name);
    mkdirSync(dir, { recursive: true });
    expect(await listAgentTools(root, dir)).toContain('search');
  });

  it.each(['..', '../beside'])('does not work in %s of it, and says where to', async (name) => {
    const dir = join(root, name);
    await expect(listAgentTools(root, dir)).rejects.toThrow(
      `It works in ${dir}, and this worker only in ${root}. Start one with --dir there, then: pawl queue retry`,
    );
  });
});
