import type { SessionTemplate, ScheduledRunJob, TenantQueues } from './tenant-queues.ts';
import { parseJsonSafely } from './parse-json.ts';
import { translateRedisErrors, createRedisScript, type RedisClient } from './redis/redis-client.ts';
import { StoreError } from '@pawl/runtime/store';
import { getNextMillis } from 'bullmq';

/** Either an interval, with the first run at once, or a cron expression such as `0 3 * * *`, in UTC by default. */
export type ScheduleTiming = { readonly everyMs: number } | { readonly cron: string; readonly tz?: string };

/** Throws if this is not a valid schedule name. */
export function checkScheduleName(name: string): void {
  if (/^[\w.-]{1,100}$/.test(name)) return;
  throw createScheduleError('its name must have 1 to 100 letters, digits, dots, dashes or underscores');
}

const everyMinMs = 1_000;
const everyMaxMs = 366 * 86_400_000;

/** Throws if the timing is invalid, too frequent, or never fires. */
export function checkScheduleTiming(timing: ScheduleTiming): void {
  if ('everyMs' in timing) {
    const { everyMs } = timing;
    if (Number.isSafeInteger(everyMs) && everyMs >= everyMinMs && everyMs <= everyMaxMs) return;
    throw createScheduleError('its interval must be between one second and one year');
  }
  const { cron, tz = 'UTC' } = timing;
  if (!isTimeZone(tz))
    throw createScheduleError(`there is no time zone ${JSON.stringify(tz)}: name one such as Europe/Zurich`);
  if (cron.trim().split(/\s+/).length !== 5 || cron.length > 200) {
    throw createScheduleError(
      'a cron expression has five parts: minute, hour, day, month, day of the week, as in "0 3 * * *"',
    );
  }
  const problem = findCronProblem(cron, tz);
  if (problem !== null)
    throw createScheduleError(`the cron expression ${JSON.stringify(cron)} is invalid: ${problem}`);
}

function findCronProblem(cron: string, tz: string): string | null {
  try {
    const next = getNextMillis(Date.now(), { pattern: cron, tz });
    return next === undefined ? 'it never fires' : null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function isTimeZone(tz: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: tz }).format(0) !== '';
  } catch {
    return false;
  }
}

function createScheduleError(reason: string): StoreError {
  return new StoreError('invalid', 'a schedule', reason);
}

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

/** Redis may be full or unavailable for some time, so keep retrying a scheduled run. */
const scheduledRunAttemptsMax = 60;
const scheduledRunRetryMs = 10_000;

/** A schedule as the queue knows it. */
export type PlannedSchedule = ScheduleKey & {
  readonly definition: ScheduleDefinition;
  readonly next: number | null;
};

/**
 * Registers the schedule with the tenant's queue, which creates a job for each run; replaces a schedule of the same
 * name.
 */
export async function registerScheduler(
  queues: TenantQueues,
  { tenant, name, definition: { when, template } }: ScheduleKey & { readonly definition: ScheduleDefinition },
  startDate?: number,
): Promise<void> {
  await queues.register(tenant);
  const data: ScheduledRunJob = { schedule: name, template };
  const opts = {
    attempts: scheduledRunAttemptsMax,
    backoff: { type: 'fixed', delay: scheduledRunRetryMs },
    removeOnComplete: true,
    removeOnFail: true,
  };
  const repeat = { ...toRepeatOptions(when), ...(startDate !== undefined && { startDate }) };
  await queues.getQueue(tenant).upsertJobScheduler(name, repeat, { name: 'fire', data, opts });
}

export async function listPlannedSchedules(
  queues: TenantQueues,
  tenant: string,
): Promise<ReadonlyMap<string, PlannedSchedule>> {
  const schedulers = await queues.getQueue(tenant).getJobSchedulers(0, -1, true);
  return new Map(
    schedulers.map(({ key: name, every, pattern = '', tz, next = null, template }) => {
      const when =
        every === undefined ? { cron: pattern, ...(tz !== undefined && { tz }) } : { everyMs: every };
      const data = template?.data as ScheduledRunJob | undefined;
      const definition = { when, template: data?.template ?? emptyTemplate, from: next ?? 0 };
      return [name, { tenant, name, definition, next }];
    }),
  );
}

/** For a job created by another program, which has no template. */
const emptyTemplate: ScheduleDefinition['template'] = { goal: '', profile: 'pawl', settings: {} };

export function toRepeatOptions(timing: ScheduleTiming) {
  if ('everyMs' in timing) return { every: timing.everyMs };
  return { pattern: timing.cron, tz: timing.tz ?? 'UTC' };
}
