import type { SessionSummary } from '@pawl/runtime/store';
import type { RedisClient } from './redis/redis-client.ts';
import { buildSessionKeys } from './store/keys.ts';
import { parseSessionRow } from './store/loaded-session.ts';

/** The fields needed to decide whether a session has work to do; much cheaper than opening it. */
export type SessionHead = Pick<SessionSummary, 'id' | 'head' | 'metadata' | 'status'> & {
  /** The session's revision. */
  readonly rev: string;
};

const headFields = ['row', 'fence', 'head', 'about', 'rev'] as const;

/** Returns null for a session that does not exist or is unreadable. */
export async function readSessionHead(
  redis: RedisClient,
  prefix: string,
  id: string,
): Promise<SessionHead | null> {
  const values = await redis.hmget(buildSessionKeys(prefix, id).session, ...headFields);
  const fields = new Map<string, string>(
    headFields.flatMap((name, index) => {
      const value = values[index] ?? null;
      return value === null ? [] : [[name, value] as const];
    }),
  );
  if (fields.size === 0) return null;
  try {
    const { summary, damage, head, metadata } = parseSessionRow(id, fields);
    const status = damage === null ? summary.status : 'damaged';
    return { id, head, status, metadata: JSON.parse(metadata ?? 'null'), rev: fields.get('rev') ?? '' };
  } catch {
    return null;
  }
}
