import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '@pawl/core';
import {
  createLocalHost,
  createQueueHost,
  createMemoryFeedbackStore,
  type ExternalRuns,
  type SessionHost,
  type VerdictFeedbackStore,
} from '@pawl/dashboard';
import { openSqliteStorage, getProcessOwner, type EntryStorage, type Store } from '@pawl/runtime';
import type { TelemetryClient } from '@pawl/telemetry';
import { createFolderStorage, createSessionFeedbackStore, getTenant, type AgentFactory } from '@pawl/worker';
import { getDataFolder, getStorageFile } from '../data-folder.ts';
import { withManifestFolder } from '../manifest-folder.ts';
import { openStore, type OpenedStore, isRedisUrl } from '../store-option.ts';
import { createDashboardFeedback } from './dashboard-feedback.ts';
import { withDashboardTelemetry } from './dashboard-metrics.ts';
import { createSessionPreparer } from './prepare-session.ts';
import { withQueue, type QueueConnection } from './queue-connection.ts';
import { parseRunMetadata } from './run-metadata.ts';
import { loadConfig } from './run-config.ts';
import { createRedisFeedback } from './verdict-feedback-redis.ts';
import { createWorkerAgentFactory } from './worker-agent-factory.ts';

/** The ports of a dashboard. */
export type DashboardDependencies = {
  readonly store: Store;
  readonly host: SessionHost;
  readonly marks: VerdictFeedbackStore;
  readonly shelfOf: (about: Json) => Promise<EntryStorage | null>;
  readonly metrics?: () => Promise<string>;
};

export type DashboardStoreFlags = {
  readonly dir: string;
  readonly store?: string | undefined;
};

type WarningHandler = (line: string) => void;

/** Opens the configured store, runs `work`, and always closes the store and the session host afterwards. */
export async function withDashboardDependencies<Result>(
  flags: DashboardStoreFlags,
  warn: WarningHandler,
  work: (place: DashboardDependencies) => Promise<Result>,
): Promise<Result> {
  const { config } = await loadConfig(flags.dir, {}, null);
  const named = flags.store ?? config.store;
  if (named !== undefined && isRedisUrl(named)) {
    // Only warn about a Redis without durable persistence, because it must not prevent viewing.
    return withQueue({ dir: flags.dir, store: named, allowLoss: true }, { warn }, (queue) =>
      withDashboardTelemetry(config, { ...queue, warn }, (telemetry) =>
        runAndCloseHost(createQueueDashboard(queue, named, { flags, warn, telemetry }), work),
      ),
    );
  }
  const opened = await openStore(flags, config);
  try {
    return await withDashboardTelemetry(config, { store: opened.store, warn }, (telemetry) =>
      runAndCloseHost(createLocalDashboard(opened, { dir: flags.dir, warn, telemetry }), work),
    );
  } finally {
    await opened.close();
  }
}

async function runAndCloseHost<Result>(
  place: DashboardDependencies,
  work: (place: DashboardDependencies) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(place);
  } finally {
    await place.host.close();
  }
}

export type LocalDashboardOptions = {
  readonly dir: string;
  readonly warn: WarningHandler;
  readonly telemetry?: TelemetryClient | null;
  readonly besides?: ExternalRuns;
};

/** A dashboard on a database; this process runs its sessions. */
export function createLocalDashboard(
  opened: OpenedStore,
  options: LocalDashboardOptions,
): DashboardDependencies {
  const { dir, warn, besides: externalRuns, telemetry = null } = options;
  const { store, path } = opened;
  const agentFactory = createLocalAgentFactory(opened, { warn, telemetry });
  const kind = path === null ? 'memory' : path.startsWith('redis://') ? 'redis' : 'sqlite';
  const host = createLocalHost({
    store,
    owner: getProcessOwner(),
    agentFactory,
    prepare: createSessionPreparer({ dir, outfitFor: agentFactory }),
    findDisabledReason: (about) => (opened.isOwn ? getResumeBlocker(about) : formatForeignStoreReason(path)),
    storeLocation: { kind, where: path },
    now: Date.now,
    onError: warn,
    ...(externalRuns !== undefined && { externalRuns }),
  });
  const marks = opened.marks === null ? createMemoryFeedbackStore() : createDashboardFeedback(opened.marks);
  const shelfOf =
    kind === 'redis'
      ? createStorageLookup((of, about) => opened.memoryFor(of, { about }))
      : openExistingStorage;
  return { store, host, marks, shelfOf, ...getMetricsEndpoint(telemetry) };
}

function getMetricsEndpoint(telemetry: TelemetryClient | null): Pick<DashboardDependencies, 'metrics'> {
  return telemetry === null ? {} : { metrics: telemetry.prometheus };
}

/** Sessions may work in any folder of this machine, because a dashboard user could run them there by hand. */
function createLocalAgentFactory(
  { spoolFor, memoryFor }: Pick<OpenedStore, 'spoolFor' | 'memoryFor'>,
  means: { readonly warn: WarningHandler; readonly telemetry: TelemetryClient | null },
): AgentFactory {
  const outfitFor = createWorkerAgentFactory({
    root: '/',
    ...means,
    storageOf: (dir, about) => memoryFor(dir, { about }),
  });
  return async (opened) => ({ ...(await outfitFor(opened)), spool: spoolFor(opened.session.id) });
}

/** Viewing memory never creates a storage. */
async function openExistingStorage(about: Json): Promise<EntryStorage | null> {
  const known = parseRunMetadata(about);
  if (known === null) return null;
  const file = getStorageFile(known.dir);
  return existsSync(file) ? openSqliteStorage(file) : null;
}

function createStorageLookup(
  storageOf: (dir: string, about: Json) => EntryStorage,
): DashboardDependencies['shelfOf'] {
  return async (about) => {
    const known = parseRunMetadata(about);
    return known === null ? null : storageOf(known.dir, about);
  };
}

function getResumeBlocker(about: Json): string | null {
  return parseRunMetadata(about) === null
    ? 'It was not begun by pawl run: it is not known where and with which model it worked.'
    : null;
}

function formatForeignStoreReason(path: string | null): string {
  return `${path ?? 'This database'} was not made by you on this machine, so nothing in it is run. If you trust it, take a session of it up once: pawl resume --trust-store`;
}

type QueueDashboardOptions = {
  readonly flags: DashboardStoreFlags;
  readonly warn: WarningHandler;
  readonly telemetry: TelemetryClient | null;
};

/** A dashboard on Redis: workers run the submitted sessions, and this process runs those started by hand. */
function createQueueDashboard(
  { redis, store: plain, queue }: QueueConnection,
  url: string,
  { flags: { dir }, warn, telemetry }: QueueDashboardOptions,
): DashboardDependencies {
  const folder = join(getDataFolder(), 'worker');
  const store = withManifestFolder(plain, folder);
  const { host: where } = new URL(url);
  const path = `redis://${where}`;
  const owner = getProcessOwner();
  const storageOf = (of: string, about: Json): EntryStorage =>
    createFolderStorage(redis, { dir: of, tenant: getTenant(about) });
  const agentFactory = createWorkerAgentFactory({ root: '/', warn, storageOf, telemetry });
  const prepare = createSessionPreparer({ dir, outfitFor: null });
  const local = createLocalHost({
    store,
    owner,
    agentFactory,
    prepare,
    findDisabledReason: getResumeBlocker,
    storeLocation: { kind: 'redis', where: path },
    now: Date.now,
    onError: warn,
  });
  return {
    store,
    host: createQueueHost({ store, queue, owner, prepare, now: Date.now, local }),
    marks: createDashboardFeedback(createRedisFeedback(createSessionFeedbackStore(redis))),
    ...getMetricsEndpoint(telemetry),
    shelfOf: createStorageLookup(storageOf),
  };
}
