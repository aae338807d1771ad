import type { Session } from '@pawl/core';
import type { CommandChannel, SendCommandOptions, SessionCommand } from '@pawl/runtime/commands';
import { formatSessionLabel, StoreError, type LogPosition, type Store } from '@pawl/runtime/store';
import { createCrashLedger, type CrashLedger, type DeadLetter } from './crash-ledger.ts';
import { getQueueAssignment, toWakeOptions, type QueueAssignment } from './queue-assignment.ts';
import { defaultTenant, createTenantQueues, type TenantQueues, type TenantLimits } from './tenant-queues.ts';
import type { RedisClient } from './redis/redis-client.ts';
import { createScheduleRegistry, type ScheduleRegistry } from './schedule-registry.ts';
import { createScheduleManager, type ScheduleManager } from './schedules.ts';
import { defaultPrefix } from './store/redis-store.ts';
import { submitSession, type SubmitSessionOptions } from './submit-session.ts';

/** The number of sessions of one tenant by state. */
export type TenantQueueDepth = {
  readonly tenant: string;
  readonly waiting: number;
  readonly delayed: number;
  readonly active: number;
  /** Active sessions without a lock: another worker gets them at the next stalled check. */
  readonly stalled: number;
  readonly limits: Required<TenantLimits>;
};

/** Operations on sessions that workers run, from any machine. */
export type SessionQueue = {
  /** Stores a new session with its goal and queues it for a worker. */
  submit(session: Session, goal: string, options: SubmitSessionOptions): Promise<LogPosition>;
  /**
   * Stores a command and resolves to its id. The worker that holds the session executes it; if none does and the
   * session is run by workers, one is woken.
   */
  send(session: string, command: SessionCommand, options?: SendCommandOptions): Promise<string>;
  /** Queues a session for a worker. */
  wake(session: string): Promise<void>;
  limit(tenant: string, limits: TenantLimits): Promise<void>;
  /** Sessions created on a schedule. */
  readonly schedules: ScheduleManager;
  depths(): Promise<readonly TenantQueueDepth[]>;
  parked(): Promise<readonly DeadLetter[]>;
  /** Removes a session from the dead letters and queues it again; resolves to whether it was a dead letter. */
  retry(session: string): Promise<boolean>;
  /** Removes a session from the queue until it is retried. The session itself is unchanged. */
  drop(session: string, now: number): Promise<void>;
  /** Components shared with workers. */
  readonly parts: {
    readonly queues: TenantQueues;
    readonly commands: CommandChannel;
    readonly crashLedger: CrashLedger;
    readonly registry: ScheduleRegistry;
  };
  close(): Promise<void>;
};

export function createSessionQueue(
  redis: RedisClient,
  store: Store,
  { prefix = defaultPrefix }: { readonly prefix?: string } = {},
): SessionQueue {
  const queues = createTenantQueues(redis, prefix);
  const { commands } = store;
  const crashLedger = createCrashLedger(redis, prefix);
  const registry = createScheduleRegistry(redis, prefix);
  /** Resolves to whether the session is run by workers. */
  const wakeIfQueued = async (id: string): Promise<boolean> => {
    const { metadata, head } = await store.open(id);
    const assignment = getQueueAssignment(metadata);
    if (assignment === null) return false;
    await queues.wake({ session: id, version: head }, toWakeOptions(assignment, Date.now()));
    return true;
  };
  const wake = async (id: string): Promise<void> => {
    if (await wakeIfQueued(id)) return;
    const reason = 'it was not submitted to workers; resume it with pawl resume';
    throw new StoreError('invalid', formatSessionLabel(id), reason);
  };
  return {
    parts: { queues, commands, crashLedger, registry },
    wake,
    submit: (session, goal, options) => submitSession({ store, queues }, { session, goal }, options),
    async send(id, command, options) {
      const commandId = await commands.send(id, command, options);
      await wakeIfQueued(id);
      return commandId;
    },
    limit: (tenant, limits) => queues.limit(tenant, limits),
    schedules: createScheduleManager(queues, registry),
    depths: async () =>
      Promise.all((await queues.tenants()).map((tenant) => readTenantQueueDepth(redis, queues, tenant))),
    parked: () => crashLedger.parked(),
    async retry(id) {
      const wasParked = await crashLedger.unpark(id);
      await wake(id);
      return wasParked;
    },
    async drop(id, now) {
      const assignment = await findQueueAssignment(store, id);
      await crashLedger.park({ session: id, reason: 'dropped manually', at: now });
      const queue = queues.getQueue(assignment?.tenant ?? defaultTenant);
      const job = await queue.getDeduplicationJobId(encodeURIComponent(id));
      // An active job cannot be removed; its worker finds the session parked when it is next woken.
      if (job !== null) await queue.remove(job);
    },
    close: () => queues.close(),
  };
}

/** Returns null if the assignment is no longer readable. */
async function findQueueAssignment(store: Store, id: string): Promise<QueueAssignment | null> {
  try {
    return getQueueAssignment((await store.open(id)).metadata);
  } catch (error) {
    if (error instanceof StoreError && (error.code === 'damaged' || error.code === 'newer')) return null;
    throw error;
  }
}

async function readTenantQueueDepth(
  redis: RedisClient,
  queues: TenantQueues,
  tenant: string,
): Promise<TenantQueueDepth> {
  const queue = queues.getQueue(tenant);
  const counts = await queue.getJobCounts('waiting', 'prioritized', 'delayed', 'active');
  const count = (name: string): number => counts[name] ?? 0;
  const active = await queue.getActive(0, 999);
  // The next job of a schedule is among the delayed ones but is not a session yet.
  const schedules = await queue.getJobSchedulersCount();
  const locks = await Promise.all(active.map(({ id }) => redis.exists(queue.toKey(`${id ?? ''}:lock`))));
  return {
    tenant,
    waiting: count('waiting') + count('prioritized'),
    delayed: Math.max(0, count('delayed') - schedules),
    active: count('active'),
    stalled: locks.filter((lockCount) => lockCount === 0).length,
    limits: await queues.limits(tenant),
  };
}
