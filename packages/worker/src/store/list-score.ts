import type { SessionRow, SessionSummary } from '@pawl/runtime/store';
import type { RedisClient } from '../redis/redis-client.ts';

/** All sessions share one list key, so it is not updated for each of several events in quick succession. */
const listPrecisionMs = 1_000;

const activeStatuses: ReadonlySet<SessionSummary['status']> = new Set([
  'callingModel',
  'processingResponse',
  'executingTools',
  'postToolsHook',
  'progressCheck',
]);

/** Returns a session's list score after a change: the current score if it is recent enough, otherwise the new time. */
export function computeListScore(placedAt: number | null, { summary }: SessionRow): number {
  const { updatedAt, status } = summary;
  const isNear = placedAt !== null && Math.abs(updatedAt - placedAt) < listPrecisionMs;
  // When the session comes to rest, its score is exact.
  return isNear && activeStatuses.has(status) ? placedAt : updatedAt;
}

/** Updates the session's score in the list. */
export async function updateListScore(
  redis: RedisClient,
  list: string,
  { id, summary }: SessionRow,
): Promise<void> {
  await redis.zadd(list, summary.updatedAt, id);
}
