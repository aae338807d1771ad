import { isDeepStrictEqual } from 'node:util';
import type { Json, SessionSettings } from '@pawl/core';
import { Queue } from 'bullmq';
import { translateRedisErrors, type RedisClient } from './redis/redis-client.ts';
import { parseJsonSafely } from './parse-json.ts';

/** A job that says that a session may have work to do; the log decides what it is. */
export type WakeJob = {
  readonly session: string;
  /** The session's head when the job was created; a shorter log means that events were lost. */
  readonly version: number;
};

/** The initial data of each session that a schedule creates. */
export type SessionTemplate = {
  readonly goal: string;
  readonly profile: string;
  readonly settings: Partial<SessionSettings>;
  readonly metadata?: Json;
  readonly priority?: number;
};

/** A job of a schedule: it creates a session, which gets its own job. */
export type ScheduledRunJob = { readonly schedule: string; readonly template: SessionTemplate };

export type QueueJob = WakeJob | ScheduledRunJob;

export type WakeOptions = {
  readonly tenant?: string;
  /** 1 to 2,097,151, lowest first. A job without a priority goes before all that have one. */
  readonly priority?: number;
  readonly delayMs?: number;
};

/** A tenant's maximum concurrency and start rate. Null removes a limit. */
export type TenantLimits = {
  readonly concurrency?: number | null;
  readonly rate?: TenantRate | null;
};

export type TenantRate = { readonly max: number; readonly perMs: number };

export const defaultTenant = 'default';

/** The name shared by all queues. They differ by tenant prefix. */
export const queueName = 'sessions';

/** The braces keep each tenant's queue on one cluster node. */
export function getQueuePrefix(prefix: string, tenant: string): string {
  return `{${prefix}.${encodeURIComponent(tenant)}}`;
}

/** One queue per tenant, so that no tenant's work can delay another's. */
export type TenantQueues = {
  getQueue(tenant: string): Queue<QueueJob>;
  tenants(): Promise<readonly string[]>;
  /** Makes a tenant known to all workers. */
  register(tenant: string): Promise<void>;
  /** Queues a session. Repeated calls before a worker picks up the job are deduplicated into one. */
  wake(wake: WakeJob, options?: WakeOptions): Promise<void>;
  limit(tenant: string, limits: TenantLimits): Promise<void>;
  /** Null means no limit. */
  limits(tenant: string): Promise<Required<TenantLimits>>;
  /** Reapplies the stored limits to queues that were lost and recreated. */
  restoreLimits(): Promise<void>;
  close(): Promise<void>;
};

export function createTenantQueues(redis: RedisClient, prefix: string): TenantQueues {
  const queuesByTenant = new Map<string, Queue<QueueJob>>();
  const registry = `${prefix}:tenants`;
  const limitsStore = createTenantLimitsStore(redis, prefix);
  const getQueue = (tenant: string): Queue<QueueJob> => {
    const existing = queuesByTenant.get(tenant);
    if (existing !== undefined) return existing;
    const queue = new Queue<QueueJob>(queueName, {
      connection: redis,
      prefix: getQueuePrefix(prefix, tenant),
    });
    // Errors reject the pending requests; without a listener they would crash the process.
    queue.on('error', () => undefined);
    queuesByTenant.set(tenant, queue);
    return queue;
  };
  const register = async (tenant: string): Promise<void> => {
    await redis.sadd(registry, tenant);
  };
  const readLimits = async (tenant: string): Promise<Required<TenantLimits>> => {
    const [concurrency, rate] = [
      await getQueue(tenant).getGlobalConcurrency(),
      await getQueue(tenant).getGlobalRateLimit(),
    ];
    return { concurrency, rate: rate === null ? null : { max: rate.max, perMs: rate.duration } };
  };
  return {
    getQueue,
    register,
    tenants: () =>
      translateRedisErrors(async () => [...new Set([defaultTenant, ...(await redis.smembers(registry))])]),
    wake: (wake, { tenant = defaultTenant, priority, delayMs } = {}) =>
      translateRedisErrors(async () => {
        await register(tenant);
        await getQueue(tenant).add('wake', wake, {
          deduplication: { id: encodeURIComponent(wake.session), keepLastIfActive: true },
          removeOnComplete: true,
          removeOnFail: true,
          ...(priority !== undefined && { priority }),
          ...(delayMs !== undefined && delayMs > 0 && { delay: delayMs }),
        });
      }),
    limit: (tenant, limits) =>
      translateRedisErrors(async () => {
        await register(tenant);
        await limitsStore.save(tenant, limits);
        await applyTenantLimits(getQueue(tenant), limits);
      }),
    limits: (tenant) => translateRedisErrors(() => readLimits(tenant)),
    restoreLimits: () =>
      translateRedisErrors(async () => {
        for (const [tenant, limits] of await limitsStore.list()) {
          const now = await readLimits(tenant);
          if (!isDeepStrictEqual({ ...now, ...limits }, now))
            await applyTenantLimits(getQueue(tenant), limits);
        }
      }),
    async close() {
      await Promise.all([...queuesByTenant.values()].map((queue) => queue.close()));
    },
  };
}

async function applyTenantLimits(queue: Queue<QueueJob>, { concurrency, rate }: TenantLimits): Promise<void> {
  if (concurrency === null) await queue.removeGlobalConcurrency();
  else if (concurrency !== undefined) await queue.setGlobalConcurrency(concurrency);
  if (rate === null) await queue.removeGlobalRateLimit();
  else if (rate !== undefined) await queue.setGlobalRateLimit(rate.max, rate.perMs);
}

/** The limits of tenants, in a separate key, so that a queue that is lost and recreated gets the same limits. */
type TenantLimitsStore = {
  save(tenant: string, limits: TenantLimits): Promise<void>;
  list(): Promise<ReadonlyMap<string, TenantLimits>>;
};

type LimitKind = keyof TenantLimits;

function createTenantLimitsStore(redis: RedisClient, prefix: string): TenantLimitsStore {
  const key = `${prefix}:limits`;
  return {
    async save(tenant, limits) {
      const pairs = Object.entries(limits).flatMap(([kind, limit]) =>
        limit === undefined ? [] : [JSON.stringify([tenant, kind]), JSON.stringify(limit)],
      );
      if (pairs.length > 0) await redis.hset(key, ...pairs);
    },
    async list() {
      const limitsByTenant = new Map<string, TenantLimits>();
      for (const [field, text] of Object.entries(await redis.hgetall(key))) {
        const ids = parseJsonSafely(field);
        const [tenant, kind]: readonly unknown[] = Array.isArray(ids) ? ids : [];
        const limit = parseJsonSafely(text);
        if (typeof tenant !== 'string' || !isLimitKind(kind) || !limitChecks[kind](limit)) continue;
        limitsByTenant.set(tenant, { ...limitsByTenant.get(tenant), [kind]: limit });
      }
      return limitsByTenant;
    },
  };
}

function isLimitKind(kind: unknown): kind is LimitKind {
  return kind === 'concurrency' || kind === 'rate';
}

const limitChecks: Readonly<Record<LimitKind, (limit: unknown) => boolean>> = {
  concurrency: (limit) => limit === null || isPositiveInteger(limit),
  rate(limit) {
    const { max, perMs } = Object(limit) as Partial<Record<keyof TenantRate, unknown>>;
    return limit === null || (isPositiveInteger(max) && isPositiveInteger(perMs));
  },
};

function isPositiveInteger(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
