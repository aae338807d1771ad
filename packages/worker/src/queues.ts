import { Queue } from 'bullmq';
import type { RedisClient } from './redis-client.ts';
import { translated } from './redis-error.ts';

/** What a job says: there may be something to do for this session. What it is, the log decides. */
export type Wake = {
  readonly session: string;
  /** How far the session had come when this was written: a shorter log has lost something. */
  readonly version: number;
};

export type WakeOptions = {
  readonly tenant?: string;
  /** 1 to 2,097,151, the lowest first. Without one it goes before all that have one. */
  readonly priority?: number;
  readonly delayMs?: number;
};

/** How much of one tenant's work is done at once, and how often it may begin. */
export type TenantLimits = {
  readonly concurrency?: number;
  readonly rate?: { readonly max: number; readonly perMs: number };
};

export const defaultTenant = 'default';

/** The name that all queues have. They are told apart by their tenants. */
export const queueName = 'sessions';

/** Each tenant's queue is on one node of a cluster, for which the braces are there. */
export function queuePrefix(prefix: string, tenant: string): string {
  return `{${prefix}.${encodeURIComponent(tenant)}}`;
}

/** The queues of all tenants: one each, so that none can be kept waiting by the work of another. */
export type Queues = {
  of(tenant: string): Queue<Wake>;
  tenants(): Promise<readonly string[]>;
  /** Says that there may be something to do. Said twice before it is looked at, it is looked at once. */
  wake(wake: Wake, options?: WakeOptions): Promise<void>;
  limit(tenant: string, limits: TenantLimits): Promise<void>;
  close(): Promise<void>;
};

export function queuesOn(redis: RedisClient, prefix: string): Queues {
  const known = new Map<string, Queue<Wake>>();
  const registry = `${prefix}:tenants`;
  const of = (tenant: string): Queue<Wake> => {
    const found = known.get(tenant);
    if (found !== undefined) return found;
    const made = new Queue<Wake>(queueName, { connection: redis, prefix: queuePrefix(prefix, tenant) });
    // Whoever waits for an answer is told; here somebody only has to listen.
    made.on('error', () => undefined);
    known.set(tenant, made);
    return made;
  };
  return {
    of,
    tenants: () => translated(async () => [...new Set([defaultTenant, ...(await redis.smembers(registry))])]),
    wake: (wake, { tenant = defaultTenant, priority, delayMs } = {}) =>
      translated(async () => {
        await redis.sadd(registry, tenant);
        await of(tenant).add('wake', wake, {
          deduplication: { id: encodeURIComponent(wake.session), keepLastIfActive: true },
          removeOnComplete: true,
          removeOnFail: true,
          ...(priority !== undefined && { priority }),
          ...(delayMs !== undefined && delayMs > 0 && { delay: delayMs }),
        });
      }),
    limit: (tenant, { concurrency, rate }) =>
      translated(async () => {
        await redis.sadd(registry, tenant);
        if (concurrency !== undefined) await of(tenant).setGlobalConcurrency(concurrency);
        if (rate !== undefined) await of(tenant).setGlobalRateLimit(rate.max, rate.perMs);
      }),
    async close() {
      await Promise.all([...known.values()].map((queue) => queue.close()));
    },
  };
}
