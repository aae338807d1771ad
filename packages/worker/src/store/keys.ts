import type { SessionRow, SessionSummary } from '@pawl/runtime/store';
import type { RedisClient } from '../redis/redis-client.ts';

/** The keys of one session. */
export type SessionKeys = {
  /** A hash: the session's row and its initial state. */
  readonly session: string;
  /** A stream: the events by number. */
  readonly log: string;
  readonly snapshot: string;
  /** A stream: pending commands. */
  readonly commands: string;
  /** A hash: command ids by request id. */
  readonly requests: string;
  /** A list: request ids, oldest first. */
  readonly requestOrder: string;
  /** A list: the claim history, newest last. */
  readonly claims: string;
  /** A hash: the crash ledger: attempts without a normal end, and why the session is a dead letter. */
  readonly care: string;
  /** A hash: user feedback by name. */
  readonly marks: string;
};

/**
 * The text in braces determines a key's cluster node. All keys of a session are on the same node, so that one script
 * can change them together; the id is encoded so that braces in it cannot interfere.
 */
export function buildSessionKeys(prefix: string, id: string): SessionKeys {
  const at = `${prefix}:{${encodeURIComponent(id)}}`;
  return {
    session: `${at}:session`,
    log: `${at}:log`,
    snapshot: `${at}:snapshot`,
    commands: `${at}:commands`,
    requests: `${at}:requests`,
    requestOrder: `${at}:request-order`,
    claims: `${at}:claims`,
    care: `${at}:care`,
    marks: `${at}:marks`,
  };
}

/** Session ids by last update. It is only an index: the data under the sessions' own keys is authoritative. */
export function getSessionListKey(prefix: string): string {
  return `${prefix}:sessions`;
}

/** The last fence of the whole store. */
export function getFenceKey(prefix: string): string {
  return `${prefix}:fence`;
}

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
