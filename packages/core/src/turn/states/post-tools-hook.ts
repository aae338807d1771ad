import {
  createAgendaRows,
  afterToolsTargets,
  defineTurnState,
  roundInterruptionRows,
  type TurnStateDefinition,
} from '../turn-table.ts';
import type { EventOfType } from '../../session/event.ts';
import type { Session } from '../../session/session.ts';
import { showErrorFirst } from '../transition-turn.ts';
import type { SessionStep } from '../../session/session-step.ts';
import { checkProgress } from '../progress-check.ts';
import { ignoreEvent, isStaleAnswer, staleAnswerReason } from '../refuse-event.ts';
import { retryIo } from '../retry.ts';
import type { PostToolsHook } from '../../session/turn-state.ts';

export const postToolsHookState: TurnStateDefinition<PostToolsHook> = defineTurnState({
  name: 'postToolsHook',
  description: 'Waits for the hooks that run after tools that changed something.',
  refusal: 'hooks are running',
  on: {
    'hooks-finished': { handle: handleHooksFinished, to: afterToolsTargets },
    'hooks-failed': {
      handle: handleHooksFailed,
      to: [
        ['retries are left', 'errorRecovery', 'wait'],
        ['progress is checked', 'progressCheck', 'show-error'],
        ['turn is done', 'waitingForUser', 'show-error'],
        ['', 'callingModel', 'show-error', 'ask-model'],
      ],
    },
    ...createAgendaRows<PostToolsHook>(
      'postToolsHook',
      (turn) => turn.work.agenda,
      (turn, agenda) => ({ ...turn, work: { ...turn.work, agenda } }),
    ),
    ...roundInterruptionRows,
  },
});

function handleHooksFinished(
  session: Session,
  turn: PostToolsHook,
  event: EventOfType<'hooks-finished'>,
): SessionStep {
  if (isStaleAnswer(turn, event)) return ignoreEvent(session, turn, event, staleAnswerReason);
  return continueAfterHooks(session, turn, event);
}

/** Hooks never block the turn: after the last retry the error is shown and the turn continues. */
function handleHooksFailed(
  session: Session,
  turn: PostToolsHook,
  event: EventOfType<'hooks-failed'>,
): SessionStep {
  if (isStaleAnswer(turn, event)) return ignoreEvent(session, turn, event, staleAnswerReason);
  return (
    retryIo(session, turn, event) ??
    showErrorFirst(continueAfterHooks(session, turn, event), { kind: 'io', message: event.message })
  );
}

function continueAfterHooks(
  session: Session,
  turn: PostToolsHook,
  event: EventOfType<'hooks-finished' | 'hooks-failed'>,
): SessionStep {
  const { agenda, next } = turn.work;
  return checkProgress(session, event, { conversation: turn.conversation, agenda, next, via: [] });
}
