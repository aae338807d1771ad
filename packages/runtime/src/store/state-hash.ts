import { toDurableSession, type Session } from '@pawl/core';
import { createHash } from 'node:crypto';

/**
 * A SHA-256 hash of a session's durable state, over JSON with sorted object keys. The same events give the same hash,
 * wherever they are replayed.
 */
export function computeStateHash(session: Session): string {
  const text = JSON.stringify(toDurableSession(session), sortObjectKeys);
  return createHash('sha256').update(text).digest('hex');
}

function sortObjectKeys(_: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
