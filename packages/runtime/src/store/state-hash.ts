import { durableView, type Session } from '@pawl/core';
import { createHash } from 'node:crypto';

/**
 * A name for all that is durable in a session: SHA-256 over its JSON with the keys of every object in order. The same
 * events give the same one, wherever they are replayed.
 */
export function stateHash(session: Session): string {
  const text = JSON.stringify(durableView(session), inOrder);
  return createHash('sha256').update(text).digest('hex');
}

function inOrder(_: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
