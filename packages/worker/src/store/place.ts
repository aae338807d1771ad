import type { SessionRow, SessionSummary } from '@pawl/runtime';
import type { RedisClient } from '../redis-client.ts';

/** The list of sessions is one key for all: it need not be changed with each of several events that come at once. */
const exactToMs = 1_000;

const atWork: ReadonlySet<SessionSummary['status']> = new Set([
  'callingModel',
  'processingResponse',
  'executingTools',
  'postToolsHook',
  'progressCheck',
]);

/** Under which time a session is in the list after a change, if it was there under another; the same one if it may stay. */
export function placeAfter(placedAt: number | null, { summary }: SessionRow): number {
  const { updatedAt, status } = summary;
  const isNear = placedAt !== null && Math.abs(updatedAt - placedAt) < exactToMs;
  // Where it comes to rest it is put exactly.
  return isNear && atWork.has(status) ? placedAt : updatedAt;
}

/** Puts a session where it belongs among the others. */
export async function place(redis: RedisClient, list: string, { id, summary }: SessionRow): Promise<void> {
  await redis.zadd(list, summary.updatedAt, id);
}
