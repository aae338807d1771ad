import { step, type Event, type Json, type Session } from '@pawl/core';
import { StoreError, type Position, type Store } from '@pawl/runtime';
import { careOf, type Care, type Parked } from './care.ts';
import { commandChannel, type CommandChannel } from './commands/channel.ts';
import type { SessionCommand } from './commands/command.ts';
import { queuedIn, wakeOptionsFor, withQueued, type Queued } from './queued.ts';
import { defaultTenant, queuesOn, type Queues, type TenantLimits } from './queues.ts';
import type { RedisClient } from './redis-client.ts';
import { defaultPrefix } from './store/redis-store.ts';

export type SubmitOptions = {
  readonly about?: Json;
  readonly owner: string;
  readonly now: number;
  readonly tenant?: string;
  /** 1 to 2,097,151, the lowest first. Without one it goes before all that have one. */
  readonly priority?: number;
  readonly delayMs?: number;
};

/** How many sessions of one tenant are where. */
export type Depth = {
  readonly tenant: string;
  readonly waiting: number;
  readonly delayed: number;
  readonly active: number;
  /** Those among the active that nobody holds any more: the next look at them gives them to somebody else. */
  readonly stalled: number;
};

/** What people do with sessions that workers run, from any machine. */
export type SessionQueue = {
  /** Keeps a new session with its goal, and has a worker take it up. */
  submit(session: Session, goal: string, options: SubmitOptions): Promise<Position>;
  /** Resolves once it is kept. Whoever holds the session carries it out; if nobody does, somebody is woken. */
  send(session: string, command: SessionCommand): Promise<void>;
  /** Has a worker look at a session. */
  wake(session: string): Promise<void>;
  limit(tenant: string, limits: TenantLimits): Promise<void>;
  depths(): Promise<readonly Depth[]>;
  parked(): Promise<readonly Parked[]>;
  /** Gives a parked session another chance; resolves to whether it was parked. */
  retry(session: string): Promise<boolean>;
  /** Takes a session out of the queue for good, until it is retried. The session itself stays as it is. */
  drop(session: string, now: number): Promise<void>;
  /** What workers share with this. */
  readonly parts: { readonly queues: Queues; readonly commands: CommandChannel; readonly care: Care };
  close(): Promise<void>;
};

export function sessionQueue(
  redis: RedisClient,
  store: Store,
  { prefix = defaultPrefix }: { readonly prefix?: string } = {},
): SessionQueue {
  const queues = queuesOn(redis, prefix);
  const commands = commandChannel(redis, prefix);
  const care = careOf(redis, prefix);
  const wake = async (id: string): Promise<void> => {
    const { about, head } = await store.open(id);
    const queued = queuedIn(about);
    if (queued === null) {
      const reason = 'it was not submitted to workers';
      throw new StoreError('invalid', `session ${JSON.stringify(id)}`, reason);
    }
    await queues.wake({ session: id, version: head }, wakeOptionsFor(queued, Date.now()));
  };
  return {
    parts: { queues, commands, care },
    wake,
    submit: (session, goal, options) => submit({ store, queues }, session, goal, options),
    async send(id, command) {
      await commands.send(id, command);
      await wake(id);
    },
    limit: (tenant, limits) => queues.limit(tenant, limits),
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
      // One that is active cannot be removed: its worker finds it parked when it is woken the next time.
      if (job !== null) await queue.remove(job);
    },
    close: () => queues.close(),
  };
}

async function submit(
  { store, queues }: { readonly store: Store; readonly queues: Queues },
  session: Session,
  goal: string,
  options: SubmitOptions,
): Promise<Position> {
  const { about = null, owner, now, tenant = defaultTenant, priority = null, delayMs = 0 } = options;
  const queued = { tenant, priority, notBefore: delayMs > 0 ? now + delayMs : null };
  const created = await store.create(session, owner, { about: withQueued(about, queued), createdAt: now });
  // The goal is in the log before anybody is woken: a job that gets lost is made again from it.
  const said: Event = { type: 'user-message', at: now, text: goal };
  const position = await store.append(session.id, created, [said], step(session, said).session);
  await queues.wake({ session: session.id, version: position.head }, wakeOptionsFor(queued, now));
  return position;
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
  const locks = await Promise.all(active.map(({ id }) => redis.exists(queue.toKey(`${id ?? ''}:lock`))));
  return {
    tenant,
    waiting: count('waiting') + count('prioritized'),
    delayed: count('delayed'),
    active: count('active'),
    stalled: locks.filter((there) => there === 0).length,
  };
}
