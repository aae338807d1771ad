import type { EventOfType } from '../event.ts';
import type { Action } from '../action.ts';
import { applyMemoryCommand } from '../memory/memory-command.ts';
import type { Note } from '../note.ts';
import type { Session } from '../session.ts';
import { transitionTurn, waitAction, type SessionStep } from './transition-turn.ts';
import { ignoreEvent } from './refuse-event.ts';
import type { TurnState } from './state.ts';

/** Applies a user's memory command to one entry; the work in progress is not affected. */
export function handleMemoryCommand(
  session: Session,
  turn: TurnState,
  event: EventOfType<'memory-command-requested'>,
): SessionStep {
  const { memory } = session;
  // Ignore instead of refuse: a missing key must not cancel the work under the `reset` policy.
  if (memory === null) return ignoreEvent(session, turn, event, 'this session has no working memory');
  const result = applyMemoryCommand(memory, event);
  if (!result.ok) return ignoreEvent(session, turn, event, result.reason);
  const { effects, moved, freed } = result;
  const notes: readonly Note[] =
    moved.length === 0 ? [] : [{ type: 'paged', at: event.at, moved, freedTokens: freed }];
  const store: readonly Action[] =
    effects.length === 0 ? [] : [{ type: 'store', entries: effects.map(({ entry }) => entry) }];
  const updated = { ...session, memory: result.memory };
  return transitionTurn(updated, event, { to: turn, actions: [...store, waitAction], notes });
}
