import type { Template } from './queues.ts';
import { readJson } from './read-json.ts';
import type { RedisClient } from './redis-client.ts';
import { translated } from './redis-error.ts';
import { scriptOn } from './store/script.ts';
import type { When } from './when.ts';

/** What a schedule is, whatever the queue knows of it. */
export type Definition = {
  readonly when: When;
  readonly template: Template;
  /** When it was set, in milliseconds: what comes every so often is counted from there. */
  readonly from: number;
};

export type ScheduleName = { readonly tenant: string; readonly name: string };

/** Null for the definition of one that was removed, which is remembered so that nobody puts it back. */
export type BookEntry = ScheduleName & {
  readonly definition: Definition | null;
  /** As it is kept. */
  readonly text: string;
};

/** All schedules, in a key of our own: the queues may be lost, and are made again from what is kept elsewhere. */
export type ScheduleBook = {
  put(name: ScheduleName, definition: Definition): Promise<void>;
  /** Keeps one that the queue knows of, unless something is known about it here. */
  adopt(name: ScheduleName, definition: Definition): Promise<void>;
  /** Notes that it was removed. */
  strike(name: ScheduleName, at: number): Promise<void>;
  find(name: ScheduleName): Promise<BookEntry | null>;
  all(): Promise<readonly BookEntry[]>;
  /** Forgets those that were removed before this time. */
  clear(entries: readonly BookEntry[], before: number): Promise<void>;
};

/** KEYS: the book. ARGV: which one, and what must still be there. */
const forgetScript = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
return redis.call('HDEL', KEYS[1], ARGV[1])
`;

export function scheduleBook(redis: RedisClient, prefix: string): ScheduleBook {
  const key = `${prefix}:schedules`;
  const forget = scriptOn(redis, forgetScript);
  return {
    put: (name, definition) =>
      translated(async () => {
        await redis.hset(key, fieldOf(name), JSON.stringify(definition));
      }),
    adopt: (name, definition) =>
      translated(async () => {
        await redis.hsetnx(key, fieldOf(name), JSON.stringify(definition));
      }),
    strike: (name, at) =>
      translated(async () => {
        await redis.hset(key, fieldOf(name), JSON.stringify({ removedAt: at }));
      }),
    find: (name) =>
      translated(async () => {
        const text = await redis.hget(key, fieldOf(name));
        return text === null ? null : entryOf(fieldOf(name), text);
      }),
    all: () =>
      translated(async () => {
        const kept = Object.entries(await redis.hgetall(key));
        return kept.flatMap(([field, text]) => entryOf(field, text) ?? []);
      }),
    clear: (entries, before) =>
      translated(async () => {
        const old = entries.filter(({ text }) => removedAt(text) < before);
        await Promise.all(old.map((entry) => forget([key], [fieldOf(entry), entry.text])));
      }),
  };
}

function fieldOf({ tenant, name }: ScheduleName): string {
  return JSON.stringify([tenant, name]);
}

/** Null for what is no schedule. */
function entryOf(field: string, text: string): BookEntry | null {
  const [names, kept] = [readJson(field), readJson(text)];
  const [tenant, name]: readonly unknown[] = Array.isArray(names) ? names : [];
  if (typeof tenant !== 'string' || typeof name !== 'string') return null;
  if (isDefinition(kept)) return { tenant, name, definition: kept, text };
  return Number.isFinite(removedAt(text)) ? { tenant, name, definition: null, text } : null;
}

/** Infinity for one that was not removed. */
function removedAt(text: string): number {
  const { removedAt: at } = Object(readJson(text)) as { readonly removedAt?: unknown };
  return typeof at === 'number' ? at : Number.POSITIVE_INFINITY;
}

function isDefinition(value: unknown): value is Definition {
  const { when, template, from } = Object(value) as Partial<Record<keyof Definition, unknown>>;
  const isObject = [when, template].every((each) => typeof each === 'object' && each !== null);
  return isObject && typeof from === 'number';
}
