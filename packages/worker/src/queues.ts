import { isDeepStrictEqual } from 'node:util';
import type { Json, Settings } from '@pawl/core';
import { Queue } from 'bullmq';
import { keptLimits } from './kept-limits.ts';
import type { RedisClient } from './redis-client.ts';
import { translated } from './redis-error.ts';

/** What a job says: there may be something to do for this session. What it is, the log decides. */
export type Wake = {
  readonly session: string;
  /** How far the session had come when this was written: a shorter log has lost something. */
  readonly version: number;
};

/** What each of the sessions that a schedule makes begins with. */
export type Template = {
  readonly goal: string;
  readonly profile: string;
  readonly settings: Partial<Settings>;
  readonly about?: Json;
  readonly priority?: number;
};

/** A job of a schedule: it makes a session, which gets a job of its own. */
export type Firing = { readonly schedule: string; readonly template: Template };

export type Task = Wake | Firing;

export type WakeOptions = {
  readonly tenant?: string;
  /** 1 to 2,097,151, the lowest first. Without one it goes before all that have one. */
  readonly priority?: number;
  readonly delayMs?: number;
};

/** How much of one tenant's work is done at once, and how often it may begin. Null lifts a limit. */
export type TenantLimits = {
  readonly concurrency?: number | null;
  readonly rate?: Rate | null;
};

export type Rate = { readonly max: number; readonly perMs: number };

export const defaultTenant = 'default';

/** The name that all queues have. They are told apart by their tenants. */
export const queueName = 'sessions';

/** The braces keep each tenant's queue on one node of a cluster. */
export function queuePrefix(prefix: string, tenant: string): string {
  return `{${prefix}.${encodeURIComponent(tenant)}}`;
}

/** The queues of all tenants: one each, so that none can be kept waiting by the work of another. */
export type Queues = {
  of(tenant: string): Queue<Task>;
  tenants(): Promise<readonly string[]>;
  /** Makes a tenant known to all workers. */
  register(tenant: string): Promise<void>;
  /** Says that there may be something to do. Said twice before a worker looks, it is one job. */
  wake(wake: Wake, options?: WakeOptions): Promise<void>;
  limit(tenant: string, limits: TenantLimits): Promise<void>;
  /** Null where there is no limit. */
  limits(tenant: string): Promise<Required<TenantLimits>>;
  /** Gives queues that were lost and made again the limits they had. */
  restoreLimits(): Promise<void>;
  close(): Promise<void>;
};

export function queuesOn(redis: RedisClient, prefix: string): Queues {
  const known = new Map<string, Queue<Task>>();
  const registry = `${prefix}:tenants`;
  const kept = keptLimits(redis, prefix);
  const of = (tenant: string): Queue<Task> => {
    const found = known.get(tenant);
    if (found !== undefined) return found;
    const made = new Queue<Task>(queueName, { connection: redis, prefix: queuePrefix(prefix, tenant) });
    // Errors reach whoever waits for an answer; without a listener they would end the process.
    made.on('error', () => undefined);
    known.set(tenant, made);
    return made;
  };
  const register = async (tenant: string): Promise<void> => {
    await redis.sadd(registry, tenant);
  };
  const limitsOf = async (tenant: string): Promise<Required<TenantLimits>> => {
    const [concurrency, rate] = [
      await of(tenant).getGlobalConcurrency(),
      await of(tenant).getGlobalRateLimit(),
    ];
    return { concurrency, rate: rate === null ? null : { max: rate.max, perMs: rate.duration } };
  };
  return {
    of,
    register,
    tenants: () => translated(async () => [...new Set([defaultTenant, ...(await redis.smembers(registry))])]),
    wake: (wake, { tenant = defaultTenant, priority, delayMs } = {}) =>
      translated(async () => {
        await register(tenant);
        await of(tenant).add('wake', wake, {
          deduplication: { id: encodeURIComponent(wake.session), keepLastIfActive: true },
          removeOnComplete: true,
          removeOnFail: true,
          ...(priority !== undefined && { priority }),
          ...(delayMs !== undefined && delayMs > 0 && { delay: delayMs }),
        });
      }),
    limit: (tenant, limits) =>
      translated(async () => {
        await register(tenant);
        await kept.put(tenant, limits);
        await setLimits(of(tenant), limits);
      }),
    limits: (tenant) => translated(() => limitsOf(tenant)),
    restoreLimits: () =>
      translated(async () => {
        for (const [tenant, limits] of await kept.all()) {
          const now = await limitsOf(tenant);
          if (!isDeepStrictEqual({ ...now, ...limits }, now)) await setLimits(of(tenant), limits);
        }
      }),
    async close() {
      await Promise.all([...known.values()].map((queue) => queue.close()));
    },
  };
}

async function setLimits(queue: Queue<Task>, { concurrency, rate }: TenantLimits): Promise<void> {
  if (concurrency === null) await queue.removeGlobalConcurrency();
  else if (concurrency !== undefined) await queue.setGlobalConcurrency(concurrency);
  if (rate === null) await queue.removeGlobalRateLimit();
  else if (rate !== undefined) await queue.setGlobalRateLimit(rate.max, rate.perMs);
}
