import type { Event } from '@pawl/core';
import { StoreError, type Store } from '@pawl/runtime/store';
import { advanceSession, SessionLease, type AgentFactory } from '@pawl/worker';
import { ApiError } from '../http/api-error.ts';
import { toReleasedOwner, type SessionHost } from './session-host.ts';

/** Limits how many sessions one machine runs concurrently. */
const runningSessionsMax = 32;

/** Longer than any process lives, so the lease never expires and other processes must take the session over. */
const localLeaseMs = 2 ** 30;

const runPollMs = 100;
const releaseGraceMs = 5_000;

export type SessionRunnerOptions = {
  readonly store: Store;
  readonly owner: string;
  readonly agentFactory: AgentFactory;
  readonly onError: (message: string) => void;
};

/** The sessions that this process runs. */
export type SessionRunner = {
  has(id: string): boolean;
  listIds(): string[];
  /** Throws if the maximum number of sessions is running. */
  checkCapacity(): void;
  /** Runs a session until it has nothing left to do, and again if commands arrived in the meantime. */
  resume(id: string): void;
  /** The error of the last run; null if it succeeded. */
  getLastError(id: string): string | null;
  readonly watch: SessionHost['watch'];
  close(): Promise<void>;
};

export function createSessionRunner(options: SessionRunnerOptions): SessionRunner {
  const running = new Map<string, Promise<void>>();
  const rerunRequests = new Set<string>();
  const lastErrors = new Map<string, string>();
  const subscribers = createEventSubscribers();
  const draining = new AbortController();

  const checkCapacity = (): void => {
    if (running.size < runningSessionsMax) return;
    throw new ApiError(
      'too-many',
      `The maximum of ${runningSessionsMax} concurrent sessions is reached.`,
      'Wait until one of them stops.',
    );
  };
  const recordError = (id: string, error: unknown): void => {
    const message = error instanceof Error ? error.message : String(error);
    if (lastErrors.size >= storedErrorsMax) lastErrors.clear();
    lastErrors.set(id, message);
    options.onError(`Session ${id}: ${message}`);
  };
  const resume = (id: string): void => {
    if (draining.signal.aborted) return;
    // The run may already have checked for commands for the last time.
    if (running.has(id)) return void rerunRequests.add(id);
    checkCapacity();
    lastErrors.delete(id);
    const done = runSession(id, options, { draining: draining.signal, publish: subscribers.publish })
      .catch((error: unknown) => recordError(id, error))
      .finally(() => {
        running.delete(id);
        if (rerunRequests.delete(id) && !lastErrors.has(id)) void resumeIfPending(id);
      });
    running.set(id, done);
  };

  const resumeIfPending = async (id: string): Promise<void> => {
    const pendingCommands = await options.store.commands.listPending(id).catch(() => []);
    if (pendingCommands.length > 0) resume(id);
  };

  return {
    has: (id) => running.has(id),
    listIds: () => [...running.keys()],
    checkCapacity,
    resume,
    getLastError: (id) => lastErrors.get(id) ?? null,
    watch: subscribers.subscribe,
    async close() {
      draining.abort();
      await Promise.all(running.values());
    },
  };
}

const storedErrorsMax = 1_000;

type SessionRunContext = {
  readonly draining: AbortSignal;
  readonly publish: (id: string, event: Event) => void;
};

/** Runs a session until it waits for a user and has no pending commands. */
async function runSession(
  id: string,
  { store, owner, agentFactory }: SessionRunnerOptions,
  { draining, publish }: SessionRunContext,
): Promise<void> {
  const lease = new SessionLease(localLeaseMs, async () => true);
  const observedFactory: AgentFactory = async (opened) => {
    const setup = await agentFactory(opened);
    return {
      ...setup,
      observe(result) {
        setup.observe?.(result);
        publish(id, result.event);
      },
    };
  };
  try {
    for (;;) {
      const context = {
        store,
        commands: store.commands,
        agentFactory: observedFactory,
        owner,
        lease,
        draining,
      };
      const outcome = await advanceSession(id, { ...context, graceMs: releaseGraceMs, pollMs: runPollMs });
      // Handle commands that arrived while the session was being released.
      const hasPendingCommands = outcome === 'waiting' && (await store.commands.listPending(id)).length > 0;
      if (!hasPendingCommands) break;
    }
  } finally {
    lease.end();
    await releaseSession(store, id, owner);
  }
}

/** Lets other processes claim the session while this process keeps running. */
async function releaseSession(store: Store, id: string, owner: string): Promise<void> {
  const opened = await store.open(id).catch(() => null);
  if (opened?.owner !== owner) return;
  await store.claim(id, toReleasedOwner(owner), opened.fence).catch(ignoreStoreError);
}

function ignoreStoreError(error: unknown): void {
  if (!(error instanceof StoreError)) throw error;
}

type EventSubscribers = {
  readonly publish: (id: string, event: Event) => void;
  readonly subscribe: SessionHost['watch'];
};

function createEventSubscribers(): EventSubscribers {
  const listenersBySession = new Map<string, Set<(event: Event) => void>>();
  return {
    publish(id, event) {
      for (const listener of listenersBySession.get(id) ?? []) listener(event);
    },
    subscribe(id, listener) {
      const listeners = listenersBySession.get(id) ?? new Set();
      listenersBySession.set(id, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) listenersBySession.delete(id);
      };
    },
  };
}
