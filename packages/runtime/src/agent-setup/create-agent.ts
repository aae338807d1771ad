import { dirname, resolve } from 'node:path';
import { isEphemeralEvent, type Json } from '@pawl/core';
import type { Rule } from '@pawl/governor';
import {
  createAgentManifest,
  prepareAgent,
  type AgentSetupConfig,
  type PreparedAgent,
} from './agent-setup.ts';
import { Agent, type AgentOptions } from '../agent/agent.ts';
import { createFileSpool, createMemorySpool, type ExecutionSpool } from '../store/spool.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import { getSessionSpoolFolder, withManifestFolder } from '../store/manifest-folder.ts';
import { getProcessOwner } from '../store/owner.ts';
import { resumeSession, type ResumedSession } from '../store/resume-session.ts';
import { openSqliteStore } from '../store/sqlite-store.ts';
import { StoreError } from '../store/store-error.ts';
import { createStoreEventLog } from '../store/store-event-log.ts';
import type { Store } from '../store/store.ts';

/** A complete agent: what it consists of, and the session that it runs. */
export type AgentConfig = AgentSetupConfig & {
  /** A store, or the path of a database file, which `close` closes. Without it, nothing is stored. */
  readonly store?: Store | string | undefined;
  /** The session to resume if the store has it, and to create otherwise; a new id by default. */
  readonly sessionId?: string | undefined;
  /** A session that is already claimed, with its rules, instead of `sessionId` and `ownRules`. */
  readonly resumed?: ResumedSession | undefined;
  /** The owner of the session's claim; this process by default. */
  readonly owner?: string | undefined;
  /** Stored with a new session. */
  readonly metadata?: Json | undefined;
  /**
   * Whether to record the agent's prompt and the descriptions of its tools, when it creates and when it resumes the
   * session, so that they can be shown later.
   * They need a store `withManifestFolder`. The default is true if `store` is a path.
   */
  readonly recordManifest?: boolean | undefined;
  /** Governor rules besides those of the preset. Every process that resumes the session must pass the same rules. */
  readonly ownRules?: readonly Rule[] | undefined;
  /** Holds tool results until the store has them; by default files beside the database. */
  readonly spool?: ExecutionSpool | undefined;
  readonly observe?: AgentOptions['observe'];
  readonly onStoreOutage?: AgentOptions['onStoreOutage'];
  /** Called when the files that follow the session cannot be written; by default the agent is detached. */
  readonly onSaveError?: (() => void) | undefined;
};

export type CreatedAgent = {
  /** Call `resume` to continue a stored session; for a new one it does nothing. */
  readonly agent: Agent;
  readonly isResumed: boolean;
  /** The fence of the claim under which the session runs. */
  readonly fence: number;
  readonly store: Store;
  readonly spool: ExecutionSpool;
  /** Show these to the user. */
  readonly warnings: readonly string[];
  /** Resolves when the files that follow the session are written; rejects if one could not be. */
  readonly waitUntilSaved: () => Promise<void>;
  /** Detaches the agent and closes its servers, hooks and observers, and the store if it was given as a path. */
  readonly close: () => Promise<void>;
};

/** Creates an agent for a new or a stored session. */
export async function createAgent(config: AgentConfig): Promise<CreatedAgent> {
  const id = config.resumed?.session.id ?? config.sessionId ?? crypto.randomUUID();
  const opened = openAgentStore(config.store, id);
  try {
    return await createStoredAgent(config, id, opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function createStoredAgent(config: AgentConfig, id: string, opened: AgentStore): Promise<CreatedAgent> {
  const { owner = getProcessOwner(), spool = opened.spool, onSaveError = () => void agent.detach() } = config;
  const { store } = opened;
  const { ownRules } = config.resumed ?? config;
  const resumed = config.resumed ?? (await resumeIfStored(store, id, { owner, ownRules }));
  const prepared = await prepareAgent(config, {
    id,
    session: resumed?.session ?? null,
    post: (event) => agent.post(event),
    getSession: () => agent.session,
  });
  const { recordManifest = typeof config.store === 'string' } = config;
  const claimed = resumed ?? (await storeNewSession(store, owner, prepared, { ...config, recordManifest }));
  if (resumed !== null && recordManifest) await recordResumedManifest(store, prepared);
  const saving = createTaskChain(onSaveError);
  const agent: Agent = new Agent({
    ...prepared.options,
    session: claimed.session,
    log: claimed.log,
    unsavedEntries: claimed.unsavedEntries,
    ownRules,
    spool,
    observe(result) {
      config.observe?.(result);
      prepared.observe(result);
      if (!isEphemeralEvent(result.event)) saving.add(() => prepared.saveFiles(result.session));
    },
    onStoreOutage: (outage) => config.onStoreOutage?.(outage),
  });
  return {
    agent,
    isResumed: resumed !== null,
    fence: claimed.fence,
    store,
    spool,
    warnings: prepared.warnings,
    waitUntilSaved: () => saving.done(),
    close: async () => {
      await agent.detach();
      await prepared.close();
      await opened.close();
    },
  };
}

type AgentStore = { readonly store: Store; readonly spool: ExecutionSpool; close(): Promise<void> };

const keepOpen = async (): Promise<void> => undefined;

function openAgentStore(store: Store | string | undefined, id: string): AgentStore {
  if (store === undefined) return { store: createMemoryStore(), spool: createMemorySpool(), close: keepOpen };
  if (typeof store !== 'string') return { store, spool: createMemorySpool(), close: keepOpen };
  const folder = dirname(resolve(store));
  const database = withManifestFolder(openSqliteStore(store), folder);
  const spool = createFileSpool(getSessionSpoolFolder(folder, id));
  return { store: database, spool, close: () => database.close() };
}

/** Null if the store does not have the session. */
async function resumeIfStored(
  store: Store,
  id: string,
  options: Parameters<typeof resumeSession>[2],
): Promise<ResumedSession | null> {
  try {
    return await resumeSession(store, id, options);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'missing') return null;
    throw error;
  }
}

/** Stores a new session before the agent starts. */
async function storeNewSession(
  store: Store,
  owner: string,
  { options, close }: PreparedAgent,
  config: AgentConfig,
): Promise<ResumedSession> {
  const { session } = options;
  const { metadata: given = null, recordManifest } = config;
  const metadata =
    recordManifest === true ? { ...Object(given), ...createAgentManifest(session, options) } : given;
  try {
    const position = await store.create(session, owner, { metadata });
    const log = createStoreEventLog(store, session.id, position);
    return { fence: position.fence, session, metadata, log, unsavedEntries: [] };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The prompt and the tools of a resumed session may differ from those it was created with. */
async function recordResumedManifest(store: Store, { options, close }: PreparedAgent): Promise<void> {
  try {
    await store.recordManifest?.(options.session.id, createAgentManifest(options.session, options));
  } catch (error) {
    await close();
    throw error;
  }
}

/** Runs tasks in sequence. After a failure no further task runs, and done() rejects with the error. */
function createTaskChain(onFailure: () => void): {
  add(task: () => Promise<void>): void;
  done(): Promise<void>;
} {
  let last = Promise.resolve();
  return {
    add(task) {
      last = last.then(task);
      last.catch(onFailure);
    },
    done: () => last,
  };
}
