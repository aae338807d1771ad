import { createSession, type Json, type BudgetLimits, type Session } from '@pawl/core';
import { parseRunMetadata, createAgentManifest } from '@pawl/runtime/agent-setup';
import type { Config } from '@pawl/runtime/config';
import { getDataFolder, getStorageFile } from '@pawl/runtime/data-folder';
import { openSqliteStorage, type EntryStorage } from '@pawl/runtime/storage';
import { getProcessOwner, withManifestFolder, type Store } from '@pawl/runtime/store';
import {
  createLocalHost,
  createQueueHost,
  createMemoryFeedbackStore,
  ListenError,
  startDashboard,
  type ExternalRuns,
  type SessionHost,
  type VerdictFeedbackStore,
  type CreateSessionRequest,
  type SessionPreparer,
  type RunningDashboard,
} from '@pawl/dashboard';
import type { TelemetryClient, GaugeSources } from '@pawl/telemetry';
import {
  createFolderStorage,
  createSessionAgentFactory,
  createSessionFeedbackStore,
  getTenant,
  type AgentFactory,
  type SessionQueue,
} from '@pawl/worker';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../options/load-config.ts';
import { withQueue, type QueueConnection } from '../queue/queue-connection.ts';
import { openTelemetry, toAgentObservers } from '../observability/run-telemetry.ts';
import { planSession } from '../sessions/session-plan.ts';
import { openStore, isRedisUrl, type OpenedStore } from '../sessions/store-option.ts';
import { createRedisFeedback } from '../sessions/verdict-feedback-redis.ts';
import type { VerdictFeedbackRepository } from '../sessions/verdict-feedback.ts';
import packageManifest from '../../package.json' with { type: 'json' };
import { toUsageError } from '../output/exit-codes.ts';

/** The ports of a dashboard. */
export type DashboardDependencies = {
  readonly store: Store;
  readonly host: SessionHost;
  readonly feedback: VerdictFeedbackStore;
  readonly openStorage: (metadata: Json) => Promise<EntryStorage | null>;
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
  work: (dependencies: DashboardDependencies) => Promise<Result>,
): Promise<Result> {
  const { config } = await loadConfig(flags.dir, {}, null);
  const storeOption = flags.store ?? config.store;
  if (storeOption !== undefined && isRedisUrl(storeOption)) {
    // Only warn about a Redis without durable persistence, because it must not prevent viewing.
    return withQueue({ dir: flags.dir, store: storeOption, allowLoss: true }, { warn }, (queue) =>
      withDashboardTelemetry(config, { ...queue, warn }, (telemetry) =>
        runAndCloseHost(createQueueDashboard(queue, storeOption, { flags, warn, telemetry }), work),
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
  dependencies: DashboardDependencies,
  work: (dependencies: DashboardDependencies) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(dependencies);
  } finally {
    await dependencies.host.close();
  }
}

export type LocalDashboardOptions = {
  readonly dir: string;
  readonly warn: WarningHandler;
  readonly telemetry?: TelemetryClient | null;
  /** Sessions that this process runs outside the dashboard. */
  readonly externalRuns?: ExternalRuns;
};

/** A dashboard on a database; this process runs its sessions. */
export function createLocalDashboard(
  opened: OpenedStore,
  options: LocalDashboardOptions,
): DashboardDependencies {
  const { dir, warn, externalRuns, telemetry = null } = options;
  const { store, path } = opened;
  const agentFactory = createLocalAgentFactory(opened, { warn, telemetry });
  const kind = path === null ? 'memory' : path.startsWith('redis://') ? 'redis' : 'sqlite';
  const host = createLocalHost({
    store,
    owner: getProcessOwner(),
    agentFactory,
    prepare: createSessionPreparer({ dir, agentFactory }),
    findDisabledReason: (metadata) =>
      opened.isOwn ? getResumeBlocker(metadata) : formatForeignStoreReason(path),
    storeLocation: { kind, where: path },
    now: Date.now,
    onError: warn,
    ...(externalRuns !== undefined && { externalRuns }),
  });
  const feedback =
    opened.marks === null ? createMemoryFeedbackStore() : createDashboardFeedback(opened.marks);
  const openStorage =
    kind === 'redis'
      ? createStorageLookup((folder, metadata) => opened.memoryFor(folder, { metadata }))
      : openExistingStorage;
  return { store, host, feedback, openStorage, ...getMetricsEndpoint(telemetry) };
}

function getMetricsEndpoint(telemetry: TelemetryClient | null): Pick<DashboardDependencies, 'metrics'> {
  return telemetry === null ? {} : { metrics: telemetry.prometheus };
}

/** Sessions may work in any folder of this machine, because a dashboard user could run them there by hand. */
function createLocalAgentFactory(
  { spoolFor, memoryFor }: Pick<OpenedStore, 'spoolFor' | 'memoryFor'>,
  { warn, telemetry }: { readonly warn: WarningHandler; readonly telemetry: TelemetryClient | null },
): AgentFactory {
  const createSetup = createSessionAgentFactory({
    root: '/',
    warn,
    overrides: { observers: toAgentObservers(telemetry) },
    openStorage: (dir, metadata) => memoryFor(dir, { metadata }),
  });
  return async (opened) => ({ ...(await createSetup(opened)), spool: spoolFor(opened.session.id) });
}

/** Viewing memory never creates a storage. */
async function openExistingStorage(metadata: Json): Promise<EntryStorage | null> {
  const run = parseRunMetadata(metadata);
  if (run === null) return null;
  const file = getStorageFile(run.dir);
  return existsSync(file) ? openSqliteStorage(file) : null;
}

function createStorageLookup(
  openStorage: (dir: string, metadata: Json) => EntryStorage,
): DashboardDependencies['openStorage'] {
  return async (metadata) => {
    const run = parseRunMetadata(metadata);
    return run === null ? null : openStorage(run.dir, metadata);
  };
}

function getResumeBlocker(metadata: Json): string | null {
  return parseRunMetadata(metadata) === null
    ? 'The session was not started by pawl run, so its folder and its model are unknown.'
    : null;
}

function formatForeignStoreReason(path: string | null): string {
  return `${path ?? 'This database'} was not created by you on this machine, so its sessions cannot be run. If you trust it, resume one of its sessions once with: pawl resume --trust-store`;
}

type QueueDashboardOptions = {
  readonly flags: DashboardStoreFlags;
  readonly warn: WarningHandler;
  readonly telemetry: TelemetryClient | null;
};

/** A dashboard on Redis: workers run the submitted sessions, and this process runs those started by hand. */
function createQueueDashboard(
  { redis, store: redisStore, queue }: QueueConnection,
  url: string,
  { flags: { dir }, warn, telemetry }: QueueDashboardOptions,
): DashboardDependencies {
  const store = withManifestFolder(redisStore, join(getDataFolder(), 'worker'));
  const { host: address } = new URL(url);
  const path = `redis://${address}`;
  const owner = getProcessOwner();
  const openStorage = (folder: string, metadata: Json): EntryStorage =>
    createFolderStorage(redis, { dir: folder, tenant: getTenant(metadata) });
  const agentFactory = createSessionAgentFactory({
    root: '/',
    warn,
    openStorage,
    overrides: { observers: toAgentObservers(telemetry) },
  });
  const prepare = createSessionPreparer({ dir, agentFactory: null });
  const localHost = createLocalHost({
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
    host: createQueueHost({ store, queue, owner, prepare, now: Date.now, local: localHost }),
    feedback: createDashboardFeedback(createRedisFeedback(createSessionFeedbackStore(redis))),
    ...getMetricsEndpoint(telemetry),
    openStorage: createStorageLookup(openStorage),
  };
}

/** Adapts the feedback of `pawl verdict` for the dashboard. */
export function createDashboardFeedback(repository: VerdictFeedbackRepository): VerdictFeedbackStore {
  return {
    async list(session) {
      const { marks } = await repository.read([session]);
      return marks.flatMap(({ session: id, ...mark }) => (id === session ? [mark] : []));
    },
    save: (session, { mark, ...verdict }) =>
      mark === null
        ? repository.forget({ session, ...verdict })
        : repository.keep({ session, ...verdict, mark }),
  };
}

type MetricsContext = {
  readonly store: Pick<Store, 'list'>;
  /** The queue that workers take sessions from, if there is one. */
  readonly queue?: Pick<SessionQueue, 'depths' | 'parked'>;
  readonly warn: (line: string) => void;
};

/** Maximum number of sessions counted by state, because metrics are scraped every few seconds. */
const maxCountedSessions = 10_000;

/** Collects metrics while `work` runs: from this process, the store and the queue. */
async function withDashboardTelemetry<Result>(
  config: Config,
  { warn, ...sources }: MetricsContext,
  work: (telemetry: TelemetryClient | null) => Promise<Result>,
): Promise<Result> {
  const telemetry = await openTelemetry(config, { prometheus: true, warn });
  telemetry?.ask(createMetricSources(sources));
  try {
    return await work(telemetry);
  } finally {
    await telemetry?.shutdown();
  }
}

/** Gauge sources that read the store and the queue. */
export function createMetricSources({ store, queue }: Omit<MetricsContext, 'warn'>): GaugeSources {
  return {
    stored: async () => (await store.list({ limit: maxCountedSessions })).map(({ status }) => status),
    ...(queue !== undefined && {
      queue: () => queue.depths(),
      parked: async () => (await queue.parked()).length,
    }),
  };
}

export type PrepareSessionOptions = {
  /** Default folder of new sessions. */
  readonly dir: string;
  /**
   * The local agent factory. It is called before the session is created, so that missing requirements are reported at
   * once and the prompt and tools are recorded. Null if workers run the session.
   */
  readonly agentFactory: AgentFactory | null;
};

/** Creates a session from a dashboard request, in the same way as `pawl run`. */
function createSessionPreparer({ dir, agentFactory }: PrepareSessionOptions): SessionPreparer {
  return async (request, id) => {
    const { model, profile: profileName, mode } = request;
    const flags = {
      dir: request.dir ?? dir,
      ...(model !== undefined && { model }),
      ...(profileName !== undefined && { profile: profileName }),
      ...(mode !== undefined && { mode }),
    };
    const { profile, settings, metadata } = await planSession(flags, toBudgets(request));
    const session = createSession({ id, at: Date.now(), profile, settings });
    if (agentFactory === null) return { session, metadata };
    return {
      session,
      metadata: { ...Object(metadata), ...(await buildRunManifest(agentFactory, session, metadata)) },
    };
  };
}

function toBudgets({ budgets = {} }: CreateSessionRequest): BudgetLimits {
  const { modelCalls = null, toolCalls = null, tokens = null, cost = null, wallMs = null } = budgets;
  return { modelCalls, toolCalls, tokens, cost, wallMs };
}

/** Builds the manifest of the prompt and tools that the model will get. */
async function buildRunManifest(
  agentFactory: AgentFactory,
  session: Session,
  metadata: Json,
): Promise<object> {
  const setup = await agentFactory({
    session,
    metadata,
    signal: new AbortController().signal,
    waitForPerson: () => Promise.reject(new Error('The session is not running yet.')),
    post: async () => false,
    now: () => session,
  });
  const manifest = createAgentManifest(session, setup);
  await setup.close?.();
  return manifest;
}

/** Default port; any free port if it is taken. */
const defaultDashboardPort = 4747;

type ListenOptions = { readonly host?: string | undefined };

/** Starts the server, on the default port unless another one is given. */
export async function startDashboardServer(
  dependencies: DashboardDependencies,
  port: number | null,
  { host }: ListenOptions,
  onError: (line: string) => void,
): Promise<RunningDashboard> {
  const token = process.env['PAWL_DASHBOARD_TOKEN'] ?? '';
  const start = (listenPort: number): Promise<RunningDashboard> =>
    startDashboard({
      ...dependencies,
      port: listenPort,
      onError,
      version: packageManifest.version,
      ...(host !== undefined && { hostname: host }),
      ...(token !== '' && { token }),
    });
  try {
    return await start(port ?? defaultDashboardPort).catch((error: unknown) => {
      if (port === null && isPortInUse(error)) return start(0);
      throw error;
    });
  } catch (error) {
    throw toUsageError(error, ListenError);
  }
}

function isPortInUse(error: unknown): boolean {
  return error instanceof ListenError && error.cause instanceof Error && 'code' in error.cause
    ? error.cause.code === 'EADDRINUSE'
    : false;
}

/** The page of a session, as the fragment of an address. */
export function getSessionPage(id: string): string {
  return `#/s/${encodeURIComponent(id)}/transcript`;
}
