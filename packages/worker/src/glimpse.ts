import type { SessionSummary } from '@pawl/runtime';
import type { RedisClient } from './redis-client.ts';
import { keysOf } from './store/keys.ts';
import { toRow } from './store/sight.ts';

/** What it takes to tell whether a session has something to do: far less than to open it. */
export type Glimpse = Pick<SessionSummary, 'id' | 'head' | 'about' | 'status'> & {
  /** The number of its last change. */
  readonly rev: string;
};

const names = ['row', 'fence', 'head', 'about', 'rev'] as const;

/** Null for one that is gone or cannot be read: there is nothing a machine could do about it. */
export async function glimpseOf(redis: RedisClient, prefix: string, id: string): Promise<Glimpse | null> {
  const values = await redis.hmget(keysOf(prefix, id).session, ...names);
  const fields = new Map<string, string>(
    names.flatMap((name, index) => {
      const value = values[index] ?? null;
      return value === null ? [] : [[name, value] as const];
    }),
  );
  if (fields.size === 0) return null;
  try {
    const { summary, damage, head, about } = toRow(id, fields);
    const status = damage === null ? summary.status : 'damaged';
    return { id, head, status, about: JSON.parse(about ?? 'null'), rev: fields.get('rev') ?? '' };
  } catch {
    return null;
  }
}
