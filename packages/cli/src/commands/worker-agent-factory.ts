import { isAbsolute, join, relative, sep } from 'node:path';
import type { Json } from '@pawl/core';
import {
  createFileSpool,
  createPhaseTools,
  getSessionSpoolFolder,
  indexFolder,
  applyAgentKeys,
  type EntryStorage,
} from '@pawl/runtime';
import { type AgentFactoryContext, type AgentSetup, type AgentFactory } from '@pawl/worker';
import type { TelemetryClient } from '@pawl/telemetry';
import { getDataFolder } from '@pawl/runtime/data-folder';
import { UsageError } from '../usage-error.ts';
import { flagsToConfig, applyModelConfig } from './config-flags.ts';
import { resolveProfile } from './profile-option.ts';
import { parseRunMetadata, type RunMetadata } from './run-metadata.ts';
import { loadConfig } from './run-config.ts';
import { createRunSetup } from './run-setup.ts';
import { createSessionObserver } from './run-telemetry.ts';

export type WorkerAgentOptions = {
  /** Accept only sessions in this folder or below it. */
  readonly root: string;
  /** Returns the storage of a folder, selected by the session's metadata. */
  readonly storageOf: (dir: string, metadata: Json) => EntryStorage;
  readonly warn: (line: string) => void;
  readonly telemetry?: TelemetryClient | null;
};

/** Creates the agent of a submitted session with the folder, model and rules named at submission. */
export function createWorkerAgentFactory({
  root,
  storageOf,
  warn,
  telemetry = null,
}: WorkerAgentOptions): AgentFactory {
  return async (opened) => {
    const metadata = requireWorkerMetadata(opened.metadata, root);
    const { config, warnings } = await loadConfig(metadata.dir, flagsToConfig(metadata), null);
    const { profile } = applyAgentKeys(await resolveProfile(metadata.profile), config);
    const folder = await indexFolder(metadata.dir, { signal: opened.signal });
    try {
      return await createWorkerAgent(opened, {
        folder,
        profile,
        flags: { ...metadata, ...applyModelConfig(metadata, config) },
        config,
        storage: storageOf(metadata.dir, opened.metadata),
        warn,
        warnings,
        telemetry,
      });
    } catch (error) {
      folder[Symbol.dispose]();
      throw error;
    }
  };
}

type WorkerAgentContext = Pick<
  Parameters<typeof createRunSetup>[0],
  'folder' | 'profile' | 'flags' | 'config'
> & {
  readonly storage: EntryStorage;
  readonly warn: (line: string) => void;
  readonly warnings: readonly string[];
  readonly telemetry: TelemetryClient | null;
};

async function createWorkerAgent(
  opened: AgentFactoryContext,
  { warn, warnings, telemetry, ...context }: WorkerAgentContext,
): Promise<AgentSetup> {
  const { session, signal, waitForPerson, post, now } = opened;
  const phases = createPhaseTools({ post, phases: () => now().phases });
  const {
    means,
    see,
    close,
    warnings: setupWarnings,
  } = await createRunSetup({
    ...context,
    budgets: null,
    terminal: null,
    asks: { permission: (_, cancelSignal) => waitForPerson(cancelSignal), user: null },
    phases,
    signal,
    report: warn,
    id: session.id,
    session,
  });
  for (const line of [...warnings, ...setupWarnings]) warn(line);
  const { session: _, ...agentSetup } = means;
  const tools = session.mode === null ? [...means.tools, ...phases] : means.tools;
  const observer = createSessionObserver(telemetry, session);
  return {
    ...observer.runInContext({ ...agentSetup, tools }),
    spool: createFileSpool(getSessionSpoolFolder(join(getDataFolder(), 'worker'), session.id)),
    observe(result) {
      see(result);
      observer.observe(result);
    },
    onStoreOutage: (trouble) =>
      warn(trouble === null ? 'The session store is available again.' : trouble.message),
    async close() {
      observer.end();
      await close();
      context.folder[Symbol.dispose]();
    },
  };
}

/** Anyone who can write to Redis chooses a session's folder, so the worker's root restricts it. */
function requireWorkerMetadata(json: Json, root: string): RunMetadata {
  const metadata = parseRunMetadata(json);
  if (metadata === null) throw new UsageError('The session metadata names no folder and model.');
  const relativePath = relative(root, metadata.dir);
  const isOutside = relativePath === '..' || relativePath.startsWith(`..${sep}`) || isAbsolute(relativePath);
  if (!isOutside) return metadata;
  throw new UsageError(
    `The session works in ${metadata.dir}, but this worker only in ${root}. Start a worker with --dir there, then: pawl queue retry`,
  );
}
