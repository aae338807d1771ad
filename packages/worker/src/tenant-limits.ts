import type { TenantRate, TenantLimits } from './tenant-queues.ts';
import { parseJsonSafely } from './parse-json.ts';
import type { RedisClient } from './redis-client.ts';

/** The limits of tenants, in a separate key, so that a queue that is lost and recreated gets the same limits. */
export type TenantLimitsStore = {
  save(tenant: string, limits: TenantLimits): Promise<void>;
  list(): Promise<ReadonlyMap<string, TenantLimits>>;
};

type LimitKind = keyof TenantLimits;

export function createTenantLimitsStore(redis: RedisClient, prefix: string): TenantLimitsStore {
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
