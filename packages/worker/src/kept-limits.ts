import type { Rate, TenantLimits } from './queues.ts';
import { readJson } from './read-json.ts';
import type { RedisClient } from './redis-client.ts';

/** The limits of tenants, in a key of our own: a queue that is lost and made again gets the same ones. */
export type KeptLimits = {
  put(tenant: string, limits: TenantLimits): Promise<void>;
  all(): Promise<ReadonlyMap<string, TenantLimits>>;
};

type Kind = keyof TenantLimits;

export function keptLimits(redis: RedisClient, prefix: string): KeptLimits {
  const key = `${prefix}:limits`;
  return {
    async put(tenant, limits) {
      const pairs = Object.entries(limits).flatMap(([kind, limit]) =>
        limit === undefined ? [] : [JSON.stringify([tenant, kind]), JSON.stringify(limit)],
      );
      if (pairs.length > 0) await redis.hset(key, ...pairs);
    },
    async all() {
      const found = new Map<string, TenantLimits>();
      for (const [field, text] of Object.entries(await redis.hgetall(key))) {
        const names = readJson(field);
        const [tenant, kind]: readonly unknown[] = Array.isArray(names) ? names : [];
        const limit = readJson(text);
        if (typeof tenant !== 'string' || !isKind(kind) || !isLimit[kind](limit)) continue;
        found.set(tenant, { ...found.get(tenant), [kind]: limit });
      }
      return found;
    },
  };
}

function isKind(kind: unknown): kind is Kind {
  return kind === 'concurrency' || kind === 'rate';
}

const isLimit: Readonly<Record<Kind, (limit: unknown) => boolean>> = {
  concurrency: (limit) => limit === null || isCount(limit),
  rate(limit) {
    const { max, perMs } = Object(limit) as Partial<Record<keyof Rate, unknown>>;
    return limit === null || (isCount(max) && isCount(perMs));
  },
};

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
