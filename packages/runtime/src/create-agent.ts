import { dirname, resolve } from 'node:path';
import { isEphemeralEvent, type Json, type Rule } from '@pawl/core';
import {
  createAgentManifest,
  prepareAgent,
  type AgentSetupConfig,
  type PreparedAgent,
} from './agent-setup/agent-setup.ts';
import { Agent, type AgentOptions } from './agent.ts';
import { createFileSpool } from './executions/file-spool.ts';
import { createMemorySpool, type ExecutionSpool } from './executions/spool.ts';
import { createMemoryStore } from './store/memory-store.ts';
import { getSessionSpoolFolder, withManifestFolder } from './store/manifest-folder.ts';
import { getProcessOwner } from './store/owner.ts';
import { resumeSession, type ResumedSession } from './store/resume-session.ts';
import { openSqliteStore } from './store/sqlite-store.ts';
import { StoreError } from './store/store-error.ts';
import { createStoreEventLog } from './store/store-event-log.ts';
import type { Store } from './store/store.ts';

/** A complete agent: what it consists of, and the session that it runs. */
export type AgentConfig = AgentSetupConfig & {
  /** A store, or the path of a database file, which `close` closes. Without it, nothing is stored. */
  readonly store?: Store | string | undefined;
  /** The session to resume if the store has it, and to create otherwise; a new id by default. */
  readonly sessionId?: string | undefined;
  /** A session that is already claimed, instead of `sessionId`. */
  readonly resumed?: ResumedSession | undefined;
  /** The owner of the session's claim; this process by default. */
  readonly owner?: string | undefined;
  /** Stored with a new session. */
  readonly metadata?: Json | undefined;
  /**
   * Whether to add the agent's prompt and the descriptions of its tools to the metadata, so that they can be shown later.
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
  waitUntilSaved(): Promise<void>;
  /** Detaches the agent and closes its servers, hooks and observers, and the store if it was given as a path. */
  close(): Promise<void>;
};

/** Creates an agent for a new or a stored session. */
export async function createAgent(config: AgentConfig): Promise<CreatedAgent> {
  const { sessionId: id = crypto.randomUUID(), owner = getProcessOwner(), ownRules } = config;
  const opened = openAgentStore(config.store, config.resumed?.session.id ?? id);
  const { store } = opened;
  try {
    const resumed = config.resumed ?? (await resumeIfStored(store, id, { owner, ownRules }));
    const prepared = await prepareAgent(config, {
      id,
      session: resumed?.session ?? null,
      post: (event) => agent.post(event),
      getSession: () => agent.session,
    });
    const { metadata: _, ...claimed } =
      resumed ?? (await storeNewSession(store, owner, prepared.options, config));
    const spool = config.spool ?? opened.spool;
    const saving = createTaskChain(config.onSaveError ?? (() => void agent.detach()));
    const agent: Agent = new Agent({
      ...prepared.options,
      ...claimed,
      ...(ownRules !== undefined && { ownRules }),
      ...(config.onStoreOutage !== undefined && { onStoreOutage: config.onStoreOutage }),
      spool,
      observe(result) {
        config.observe?.(result);
        prepared.observe(result);
        if (!isEphemeralEvent(result.event)) saving.add(() => prepared.saveFiles(result.session));
      },
    });
    return {
      agent,
      isResumed: resumed !== null,
      fence: claimed.fence,
      store,
      spool,
      warnings: prepared.warnings,
      waitUntilSaved: () => saving.done(),
      async close() {
        await agent.detach();
        await prepared.close();
        await opened.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

type AgentStore = { readonly store: Store; readonly spool: ExecutionSpool; close(): Promise<void> };

function openAgentStore(store: Store | string | undefined, id: string): AgentStore {
  const keepOpen = async (): Promise<void> => undefined;
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
  options: PreparedAgent['options'],
  config: AgentConfig,
): Promise<ResumedSession> {
  const { session } = options;
  const { metadata = null, recordManifest = typeof config.store === 'string' } = config;
  const stored = recordManifest
    ? { ...Object(metadata), ...createAgentManifest(session, options) }
    : metadata;
  const position = await store.create(session, owner, { metadata: stored });
  const log = createStoreEventLog(store, session.id, position);
  return { fence: position.fence, session, metadata: stored, log, unsavedEntries: [] };
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
