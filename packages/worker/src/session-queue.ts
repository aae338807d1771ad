import type { Session } from '@pawl/core';
import {
  StoreError,
  type CommandChannel,
  type Position,
  type SendOptions,
  type SessionCommand,
  type Store,
} from '@pawl/runtime';
import { careOf, type Care, type Parked } from './care.ts';
import { named } from './named.ts';
import { queuedIn, wakeOptionsFor, type Queued } from './queued.ts';
import { defaultTenant, queuesOn, type Queues, type TenantLimits } from './queues.ts';
import type { RedisClient } from './redis-client.ts';
import { scheduleBook, type ScheduleBook } from './schedule-book.ts';
import { schedulesOn, type Schedules } from './schedules.ts';
import { defaultPrefix } from './store/redis-store.ts';
import { submit, type SubmitOptions } from './submit.ts';

/** How many sessions of one tenant are where. */
export type Depth = {
  readonly tenant: string;
  readonly waiting: number;
  readonly delayed: number;
  readonly active: number;
  /** Those among the active that nobody holds any more: they go to another worker when the queue is next checked. */
  readonly stalled: number;
  readonly limits: Required<TenantLimits>;
};

/** What people do with sessions that workers run, from any machine. */
export type SessionQueue = {
  /** Keeps a new session with its goal, and has a worker take it up. */
  submit(session: Session, goal: string, options: SubmitOptions): Promise<Position>;
  /**
   * Resolves to the id of the command once it is kept. Whoever holds the session carries it out; if nobody does and the
   * session is for workers, one is woken.
   */
  send(session: string, command: SessionCommand, options?: SendOptions): Promise<string>;
  /** Has a worker look at a session. */
  wake(session: string): Promise<void>;
  limit(tenant: string, limits: TenantLimits): Promise<void>;
  /** Sessions that are made by the clock. */
  readonly schedules: Schedules;
  depths(): Promise<readonly Depth[]>;
  parked(): Promise<readonly Parked[]>;
  /** Gives a parked session another chance; resolves to whether it was parked. */
  retry(session: string): Promise<boolean>;
  /** Takes a session out of the queue until it is retried. The session itself stays as it is. */
  drop(session: string, now: number): Promise<void>;
  /** What workers share with this. */
  readonly parts: {
    readonly queues: Queues;
    readonly commands: CommandChannel;
    readonly care: Care;
    readonly book: ScheduleBook;
  };
  close(): Promise<void>;
};

export function sessionQueue(
  redis: RedisClient,
  store: Store,
  { prefix = defaultPrefix }: { readonly prefix?: string } = {},
): SessionQueue {
  const queues = queuesOn(redis, prefix);
  const { commands } = store;
  const care = careOf(redis, prefix);
  const book = scheduleBook(redis, prefix);
  /** Resolves to whether it is one for workers. */
  const wakeIfQueued = async (id: string): Promise<boolean> => {
    const { about, head } = await store.open(id);
    const queued = queuedIn(about);
    if (queued === null) return false;
    await queues.wake({ session: id, version: head }, wakeOptionsFor(queued, Date.now()));
    return true;
  };
  const wake = async (id: string): Promise<void> => {
    if (await wakeIfQueued(id)) return;
    const reason = 'it was not submitted to workers; pawl resume goes on with it';
    throw new StoreError('invalid', named(id), reason);
  };
  return {
    parts: { queues, commands, care, book },
    wake,
    submit: (session, goal, options) => submit({ store, queues }, { session, goal }, options),
    async send(id, command, options) {
      const sent = await commands.send(id, command, options);
      await wakeIfQueued(id);
      return sent;
    },
    limit: (tenant, limits) => queues.limit(tenant, limits),
    schedules: schedulesOn(queues, book),
    depths: async () => Promise.all((await queues.tenants()).map((tenant) => depthOf(redis, queues, tenant))),
    parked: () => care.parked(),
    async retry(id) {
      const wasParked = await care.unpark(id);
      await wake(id);
      return wasParked;
    },
    async drop(id, now) {
      const queued = await queuedOf(store, id);
      await care.park({ session: id, reason: 'dropped by hand', at: now });
      const queue = queues.of(queued?.tenant ?? defaultTenant);
      const job = await queue.getDeduplicationJobId(encodeURIComponent(id));
      // A job that is active cannot be removed: its worker finds the session parked when it is next woken.
      if (job !== null) await queue.remove(job);
    },
    close: () => queues.close(),
  };
}

/** Null where nobody can tell any more. */
async function queuedOf(store: Store, id: string): Promise<Queued | null> {
  try {
    return queuedIn((await store.open(id)).about);
  } catch (error) {
    if (error instanceof StoreError && (error.code === 'damaged' || error.code === 'newer')) return null;
    throw error;
  }
}

async function depthOf(redis: RedisClient, queues: Queues, tenant: string): Promise<Depth> {
  const queue = queues.of(tenant);
  const counts = await queue.getJobCounts('waiting', 'prioritized', 'delayed', 'active');
  const count = (name: string): number => counts[name] ?? 0;
  const active = await queue.getActive(0, 999);
  // The next job of a schedule waits among the delayed, and is no session yet.
  const schedules = await queue.getJobSchedulersCount();
  const locks = await Promise.all(active.map(({ id }) => redis.exists(queue.toKey(`${id ?? ''}:lock`))));
  return {
    tenant,
    waiting: count('waiting') + count('prioritized'),
    delayed: Math.max(0, count('delayed') - schedules),
    active: count('active'),
    stalled: locks.filter((there) => there === 0).length,
    limits: await queues.limits(tenant),
  };
}
