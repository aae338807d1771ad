import { isAbsolute, join, relative, sep } from 'node:path';
import type { Json } from '@pawl/core';
import { AgentConfigError, type AgentSetupConfig } from '@pawl/runtime';
import {
  applyModelConfig,
  flagsToConfig,
  parseRunMetadata,
  prepareAgent,
  toAgentConfig,
  type RunMetadata,
  resolveProfile,
  applyAgentKeys,
} from '@pawl/runtime/agent-setup';
import { loadConfig } from '@pawl/runtime/config';
import { getDataFolder } from '@pawl/runtime/data-folder';
import type { EntryStorage } from '@pawl/runtime/storage';
import { createFileSpool, getSessionSpoolFolder } from '@pawl/runtime/store';
import type { AgentFactory } from './agent-factory.ts';

export type SessionAgentOptions = {
  /** Accept only sessions in this folder or below it. */
  readonly root: string;
  /** Returns the storage of a folder, selected by the session's metadata. */
  readonly openStorage: (dir: string, metadata: Json) => EntryStorage;
  readonly warn: (line: string) => void;
  /** Fields that override those of the session's metadata and of the folder's configuration, such as the model. */
  readonly overrides?: Partial<AgentSetupConfig>;
};

/**
 * Creates the agent of a submitted session with the folder, model and rules named at submission. Questions wait in the
 * session for a user's command.
 */
export function createSessionAgentFactory({
  root,
  openStorage,
  warn,
  overrides = {},
}: SessionAgentOptions): AgentFactory {
  return async ({ session, metadata: stored, signal, waitForPerson, post, now }) => {
    const metadata = requireWorkerMetadata(stored, root);
    const { config, warnings } = await loadConfig(metadata.dir, flagsToConfig(metadata));
    const { profile } = applyAgentKeys(await resolveProfile(metadata.profile), config);
    const prepared = await prepareAgent(
      {
        ...toAgentConfig({ ...metadata, ...applyModelConfig(metadata, config) }, config),
        profile,
        workspace: metadata.dir,
        memory: openStorage(metadata.dir, stored),
        ask: { permission: (_, cancelSignal) => waitForPerson(cancelSignal), user: null },
        signal,
        report: warn,
        ...overrides,
      },
      { id: session.id, session, post, getSession: now },
    );
    for (const line of [...warnings, ...prepared.warnings]) warn(line);
    const { session: _, ...options } = prepared.options;
    return {
      ...options,
      spool: createFileSpool(getSessionSpoolFolder(join(getDataFolder(), 'worker'), session.id)),
      observe: prepared.observe,
      onStoreOutage: (outage) =>
        warn(outage === null ? 'The session store is available again.' : outage.message),
      close: prepared.close,
    };
  };
}

/** Anyone who can write to Redis chooses a session's folder, so the worker's root restricts it. */
function requireWorkerMetadata(json: Json, root: string): RunMetadata {
  const metadata = parseRunMetadata(json);
  if (metadata === null) throw new AgentConfigError('The session metadata names no folder and model.');
  const relativePath = relative(root, metadata.dir);
  const isOutside = relativePath === '..' || relativePath.startsWith(`..${sep}`) || isAbsolute(relativePath);
  if (!isOutside) return metadata;
  throw new AgentConfigError(
    `The session works in ${metadata.dir}, but this worker only in ${root}. Start a worker with --dir there, then: pawl queue retry`,
  );
}
