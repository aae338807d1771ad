import { conversationOf, items, lastItem, type Message, type Session, type TurnStatus } from '@pawl/core';
import type { Seen } from '@pawl/runtime';
import type { End } from './ended.ts';

/** A turn under way, named by the time at which the user's word that began it was heard. */
export type OpenTurn = { readonly heardAt: number };

/** How a turn ended: what it came to, and the error if it came to one. */
export type EndedTurn = OpenTurn & { readonly ending: string; readonly end: End };

export function turnKey({ heardAt }: OpenTurn): string {
  return `turn ${heardAt}`;
}

/** The turn that a session is in; null when it waits for the user or is over. */
export function turnIn(session: Session): OpenTurn | null {
  if (!isInTurn(session)) return null;
  let heardAt: number | null = null;
  for (const message of items(conversationOf(session))) if (message.role === 'user') heardAt = message.at;
  return heardAt === null ? null : { heardAt };
}

/**
 * The turn after one more event. What is heard stands last in the conversation when the model is asked; so a word said
 * meanwhile begins a turn of its own, as it does for the governor.
 */
export function nextTurn(open: OpenTurn | null, before: Session, after: Session): OpenTurn | null {
  if (before.turn === after.turn) return open;
  if (!isInTurn(after)) return null;
  const last = lastOf(after);
  return last?.role === 'user' && last !== lastOf(before) ? { heardAt: last.at } : open;
}

export function turnEnd({ event, session, actions }: Seen): Pick<EndedTurn, 'ending' | 'end'> {
  const { turn } = session;
  const error = actions.find((action) => action.type === 'show-error');
  if (turn.status === 'halted') {
    const { kind } = turn.why;
    return { ending: 'halted', end: kind === 'requested' ? { kind: 'called-off' } : failed(kind) };
  }
  if (turn.status === 'shuttingDown') return { ending: 'shut-down', end: { kind: 'called-off' } };
  if (isInTurn(session)) return { ending: 'steered', end: { kind: 'done' } };
  if (event.type === 'cancel-requested') return { ending: 'cancelled', end: { kind: 'called-off' } };
  if (error !== undefined) return { ending: 'failed', end: failed(error.kind) };
  return { ending: 'answered', end: { kind: 'done' } };
}

const failed = (error: string): End => ({ kind: 'failed', error });

const idle: ReadonlySet<TurnStatus> = new Set(['waitingForUser', 'halted', 'shuttingDown']);

/** One that is paused goes on. */
function isInTurn({ turn }: Session): boolean {
  return !idle.has(turn.status === 'paused' ? turn.held.status : turn.status);
}

function lastOf(session: Session): Message | undefined {
  return lastItem(conversationOf(session));
}
