import type { EventOfType } from '../../event.ts';
import type { Session } from '../../session.ts';
import { createAgendaHandlers } from '../agenda-handlers.ts';
import { handleMemoryCommand } from '../handle-memory-command.ts';
import type { EventHandlers } from '../handlers.ts';
import { cancelTurn, haltOnRequest, pauseTurn, shutDownTurn } from '../interrupt-turn.ts';
import { transitionTurn, showErrorFirst, type SessionStep } from '../transition-turn.ts';
import { checkProgress } from '../progress-check.ts';
import { ignoreEvent, createRefusalHandler } from '../refuse-event.ts';
import { computeRetryTime } from '../retry.ts';
import type { IoRecovery, PostToolsHook } from '../state.ts';
import { isStaleAnswer, staleAnswerReason } from '../stale-answer.ts';

const refuseDuringHooks = createRefusalHandler('hooks are running');

export const postToolsHookHandlers: EventHandlers<PostToolsHook> = {
  'user-message': refuseDuringHooks,
  'text-delta': refuseDuringHooks,
  'call-delta': refuseDuringHooks,
  'model-replied': refuseDuringHooks,
  'model-failed': refuseDuringHooks,
  'permission-decided': refuseDuringHooks,
  'tool-started': refuseDuringHooks,
  'tool-progressed': refuseDuringHooks,
  'tool-finished': refuseDuringHooks,
  'hooks-finished': handleHooksFinished,
  'hooks-failed': handleHooksFailed,
  'retry-due': refuseDuringHooks,
  'recovery-finished': refuseDuringHooks,
  'paging-requested': refuseDuringHooks,
  'paging-finished': refuseDuringHooks,
  'paging-failed': refuseDuringHooks,
  'memory-asked': handleMemoryCommand,
  ...createAgendaHandlers<PostToolsHook>(
    (turn) => turn.work.agenda,
    (turn, agenda) => ({ ...turn, work: { ...turn.work, agenda } }),
  ),
  'pause-requested': pauseTurn,
  'resume-requested': refuseDuringHooks,
  'cancel-requested': cancelTurn,
  'halt-requested': haltOnRequest,
  'shutdown-requested': shutDownTurn,
};

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
  const { at, jitter, message } = event;
  const failures = turn.retries + 1;
  const retryAt = computeRetryTime(session.settings, { at, failures, jitter });
  if (retryAt === null)
    return showErrorFirst(continueAfterHooks(session, turn, event), { kind: 'io', message });
  const to: IoRecovery = {
    status: 'errorRecovery',
    since: at,
    conversation: turn.conversation,
    origin: 'io',
    request: turn.request,
    retries: failures,
    retryAt,
    message,
    work: { kind: 'hooks', hooks: turn.work },
  };
  return transitionTurn(session, event, { to, actions: [{ type: 'wait', until: retryAt }] });
}

function continueAfterHooks(
  session: Session,
  turn: PostToolsHook,
  event: EventOfType<'hooks-finished' | 'hooks-failed'>,
): SessionStep {
  const { agenda, next } = turn.work;
  return checkProgress(session, event, { conversation: turn.conversation, agenda, next, via: [] });
}
