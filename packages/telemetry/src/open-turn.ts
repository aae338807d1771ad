import {
  getConversation,
  type ConversationMessage,
  type Session,
  type TurnStatus,
  iterateItems,
  getLastItem,
} from '@pawl/core';
import type { StepResult } from '@pawl/runtime';
import { createOperationFailure, type OperationResult } from './operation-result.ts';

/** The current turn, identified by the time of the user message that started it. */
export type OpenTurn = { readonly startedAt: number };

/** How a turn ended, and its error if it failed. */
export type EndedTurn = OpenTurn & { readonly ending: string; readonly result: OperationResult };

export function getTurnKey({ startedAt }: OpenTurn): string {
  return `turn ${startedAt}`;
}

/** Returns the session's current turn; null if it waits for the user or has ended. */
export function findOpenTurn(session: Session): OpenTurn | null {
  if (!hasOpenTurn(session)) return null;
  let startedAt: number | null = null;
  for (const message of iterateItems(getConversation(session)))
    if (message.role === 'user') startedAt = message.at;
  return startedAt === null ? null : { startedAt };
}

/**
 * Returns the current turn after one more event. A user message is the last one in the conversation when the model is
 * called; a message sent meanwhile therefore starts a new turn, as it does for the governor.
 */
export function advanceOpenTurn(open: OpenTurn | null, before: Session, after: Session): OpenTurn | null {
  if (before.turn === after.turn) return open;
  if (!hasOpenTurn(after)) return null;
  const last = getLastMessage(after);
  return last?.role === 'user' && last !== getLastMessage(before) ? { startedAt: last.at } : open;
}

export function getTurnResult({ event, session, actions }: StepResult): Pick<EndedTurn, 'ending' | 'result'> {
  const { turn } = session;
  const error = actions.find((action) => action.type === 'show-error');
  if (turn.status === 'halted') {
    const { kind } = turn.why;
    return {
      ending: 'halted',
      result: kind === 'requested' ? { kind: 'cancelled' } : createOperationFailure(kind),
    };
  }
  if (turn.status === 'shuttingDown') return { ending: 'shut-down', result: { kind: 'cancelled' } };
  if (hasOpenTurn(session)) return { ending: 'steered', result: { kind: 'done' } };
  if (event.type === 'cancel-requested') return { ending: 'cancelled', result: { kind: 'cancelled' } };
  if (error !== undefined) return { ending: 'failed', result: createOperationFailure(error.kind) };
  return { ending: 'answered', result: { kind: 'done' } };
}

const betweenTurnStatuses: ReadonlySet<TurnStatus> = new Set(['waitingForUser', 'halted', 'shuttingDown']);

/** A paused turn is still open. */
function hasOpenTurn({ turn }: Session): boolean {
  return !betweenTurnStatuses.has(turn.status === 'paused' ? turn.held.status : turn.status);
}

function getLastMessage(session: Session): ConversationMessage | undefined {
  return getLastItem(getConversation(session));
}
