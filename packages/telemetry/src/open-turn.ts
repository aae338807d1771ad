import {
  getConversation,
  iterateItems,
  getLastItem,
  type ConversationMessage,
  type Session,
  type TurnStatus,
} from '@pawl/core';
import type { StepResult } from '@pawl/runtime';
import type { OperationResult } from './operation-result.ts';

/** The current turn, identified by the time of the user message that started it. */
export type OpenTurn = { readonly heardAt: number };

/** How a turn ended, and its error if it failed. */
export type EndedTurn = OpenTurn & { readonly ending: string; readonly end: OperationResult };

export function getTurnKey({ heardAt }: OpenTurn): string {
  return `turn ${heardAt}`;
}

/** Returns the session's current turn; null if it waits for the user or has ended. */
export function findOpenTurn(session: Session): OpenTurn | null {
  if (!hasOpenTurn(session)) return null;
  let heardAt: number | null = null;
  for (const message of iterateItems(getConversation(session)))
    if (message.role === 'user') heardAt = message.at;
  return heardAt === null ? null : { heardAt };
}

/**
 * Returns the current turn after one more event. A user message is the last one in the conversation when the model is
 * called; a message sent meanwhile therefore starts a new turn, as it does for the governor.
 */
export function advanceOpenTurn(open: OpenTurn | null, before: Session, after: Session): OpenTurn | null {
  if (before.turn === after.turn) return open;
  if (!hasOpenTurn(after)) return null;
  const last = getLastMessage(after);
  return last?.role === 'user' && last !== getLastMessage(before) ? { heardAt: last.at } : open;
}

export function getTurnResult({ event, session, actions }: StepResult): Pick<EndedTurn, 'ending' | 'end'> {
  const { turn } = session;
  const error = actions.find((action) => action.type === 'show-error');
  if (turn.status === 'halted') {
    const { kind } = turn.why;
    return {
      ending: 'halted',
      end: kind === 'requested' ? { kind: 'called-off' } : createOperationFailure(kind),
    };
  }
  if (turn.status === 'shuttingDown') return { ending: 'shut-down', end: { kind: 'called-off' } };
  if (hasOpenTurn(session)) return { ending: 'steered', end: { kind: 'done' } };
  if (event.type === 'cancel-requested') return { ending: 'cancelled', end: { kind: 'called-off' } };
  if (error !== undefined) return { ending: 'failed', end: createOperationFailure(error.kind) };
  return { ending: 'answered', end: { kind: 'done' } };
}

const createOperationFailure = (error: string): OperationResult => ({ kind: 'failed', error });

const betweenTurnStatuses: ReadonlySet<TurnStatus> = new Set(['waitingForUser', 'halted', 'shuttingDown']);

/** A paused turn is still open. */
function hasOpenTurn({ turn }: Session): boolean {
  return !betweenTurnStatuses.has(turn.status === 'paused' ? turn.held.status : turn.status);
}

function getLastMessage(session: Session): ConversationMessage | undefined {
  return getLastItem(getConversation(session));
}
