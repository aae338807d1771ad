import type { SessionTemplate } from './tenant-queues.ts';
import { parseJsonSafely } from './parse-json.ts';
import type { RedisClient } from './redis/redis-client.ts';
import { translateRedisErrors } from './redis/redis-error.ts';
import { createRedisScript } from './redis/redis-script.ts';
import type { ScheduleTiming } from './schedule-timing.ts';

/** The definition of a schedule, independent of the queue. */
export type ScheduleDefinition = {
  readonly when: ScheduleTiming;
  readonly template: SessionTemplate;
  /** When it was set, in milliseconds; intervals are counted from here. */
  readonly from: number;
};

export type ScheduleKey = { readonly tenant: string; readonly name: string };

/** `definition` is null for a removed schedule, whose tombstone prevents it from being restored. */
export type ScheduleEntry = ScheduleKey & {
  readonly definition: ScheduleDefinition | null;
  /** The stored text. */
  readonly text: string;
};

/** All schedules, in a separate key, because the queues may be lost and are then rebuilt from this data. */
export type ScheduleRegistry = {
  save(name: ScheduleKey, definition: ScheduleDefinition): Promise<void>;
  /** Stores a schedule that the queue knows, unless the registry already has an entry for it. */
  addIfMissing(name: ScheduleKey, definition: ScheduleDefinition): Promise<void>;
  /** Records that the schedule was removed. */
  recordRemoval(name: ScheduleKey, at: number): Promise<void>;
  find(name: ScheduleKey): Promise<ScheduleEntry | null>;
  list(): Promise<readonly ScheduleEntry[]>;
  /** Deletes tombstones older than this time. */
  removeTombstones(entries: readonly ScheduleEntry[], before: number): Promise<void>;
};

/** KEYS: the registry. ARGV: the field and its expected value. */
const forgetScheduleScript = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
return redis.call('HDEL', KEYS[1], ARGV[1])
`;

export function createScheduleRegistry(redis: RedisClient, prefix: string): ScheduleRegistry {
  const key = `${prefix}:schedules`;
  const removeField = createRedisScript(redis, forgetScheduleScript);
  return {
    save: (name, definition) =>
      translateRedisErrors(async () => {
        await redis.hset(key, formatScheduleField(name), JSON.stringify(definition));
      }),
    addIfMissing: (name, definition) =>
      translateRedisErrors(async () => {
        await redis.hsetnx(key, formatScheduleField(name), JSON.stringify(definition));
      }),
    recordRemoval: (name, at) =>
      translateRedisErrors(async () => {
        await redis.hset(key, formatScheduleField(name), JSON.stringify({ removedAt: at }));
      }),
    find: (name) =>
      translateRedisErrors(async () => {
        const text = await redis.hget(key, formatScheduleField(name));
        return text === null ? null : parseScheduleEntry(formatScheduleField(name), text);
      }),
    list: () =>
      translateRedisErrors(async () => {
        const fields = Object.entries(await redis.hgetall(key));
        return fields.flatMap(([field, text]) => parseScheduleEntry(field, text) ?? []);
      }),
    removeTombstones: (entries, before) =>
      translateRedisErrors(async () => {
        const old = entries.filter(({ text }) => parseRemovalTime(text) < before);
        await Promise.all(old.map((entry) => removeField([key], [formatScheduleField(entry), entry.text])));
      }),
  };
}

function formatScheduleField({ tenant, name }: ScheduleKey): string {
  return JSON.stringify([tenant, name]);
}

/** Returns null if the entry is not a schedule. */
function parseScheduleEntry(field: string, text: string): ScheduleEntry | null {
  const [ids, value] = [parseJsonSafely(field), parseJsonSafely(text)];
  const [tenant, name]: readonly unknown[] = Array.isArray(ids) ? ids : [];
  if (typeof tenant !== 'string' || typeof name !== 'string') return null;
  if (isScheduleDefinition(value)) return { tenant, name, definition: value, text };
  return Number.isFinite(parseRemovalTime(text)) ? { tenant, name, definition: null, text } : null;
}

/** Returns Infinity if the schedule was not removed. */
function parseRemovalTime(text: string): number {
  const { removedAt: at } = Object(parseJsonSafely(text)) as { readonly removedAt?: unknown };
  return typeof at === 'number' ? at : Number.POSITIVE_INFINITY;
}

function isScheduleDefinition(value: unknown): value is ScheduleDefinition {
  const { when, template, from } = Object(value) as Partial<Record<keyof ScheduleDefinition, unknown>>;
  const isObject = [when, template].every((each) => typeof each === 'object' && each !== null);
  return isObject && typeof from === 'number';
}
