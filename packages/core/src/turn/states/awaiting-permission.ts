import type { EventOfType } from '../../event.ts';
import { replaceArrayItem } from '../../array-copy.ts';
import type { Session } from '../../session.ts';
import { createAgendaHandlers } from '../agenda-handlers.ts';
import { handleMemoryCommand } from '../handle-memory-command.ts';
import { toExecution } from '../calls.ts';
import { executeRound } from '../execute-round.ts';
import type { EventHandlers } from '../handlers.ts';
import { cancelTurn, haltOnRequest, pauseTurn, shutDownTurn } from '../interrupt-turn.ts';
import { waitActions, transitionTurn, type SessionStep } from '../transition-turn.ts';
import { ignoreEvent, createRefusalHandler } from '../refuse-event.ts';
import { createFailedOutcome } from '../results.ts';
import type { AwaitingPermission, PermissionCall } from '../state.ts';
import { isStaleAnswer, staleAnswerReason } from '../stale-answer.ts';

const refuseDuringPermission = createRefusalHandler('permission is being asked');

export const awaitingPermissionHandlers: EventHandlers<AwaitingPermission> = {
  'user-message': refuseDuringPermission,
  'text-delta': refuseDuringPermission,
  'call-delta': refuseDuringPermission,
  'model-replied': refuseDuringPermission,
  'model-failed': refuseDuringPermission,
  'permission-decided': handlePermissionDecided,
  'tool-started': refuseDuringPermission,
  'tool-progressed': refuseDuringPermission,
  'tool-finished': refuseDuringPermission,
  'hooks-finished': refuseDuringPermission,
  'hooks-failed': refuseDuringPermission,
  'retry-due': refuseDuringPermission,
  'recovery-finished': refuseDuringPermission,
  'paging-requested': refuseDuringPermission,
  'paging-finished': refuseDuringPermission,
  'paging-failed': refuseDuringPermission,
  'memory-asked': handleMemoryCommand,
  ...createAgendaHandlers<AwaitingPermission>(
    (turn) => turn.agenda,
    (turn, agenda) => ({ ...turn, agenda }),
  ),
  'pause-requested': pauseTurn,
  'resume-requested': refuseDuringPermission,
  'cancel-requested': cancelTurn,
  'halt-requested': haltOnRequest,
  'shutdown-requested': shutDownTurn,
};

function handlePermissionDecided(
  session: Session,
  turn: AwaitingPermission,
  event: EventOfType<'permission-decided'>,
): SessionStep {
  if (isStaleAnswer(turn, event)) return ignoreEvent(session, turn, event, staleAnswerReason);
  const index = turn.calls.findIndex((each) => each.call.id === event.callId);
  const permission = turn.calls[index];
  if (permission === undefined) return ignoreEvent(session, turn, event, `there is no call ${event.callId}`);
  if (permission.decision !== 'pending') {
    return ignoreEvent(session, turn, event, `call ${event.callId} is already decided`);
  }
  const calls = replaceArrayItem(turn.calls, index, resolvePermission(permission, event));
  if (calls.some((each) => each.decision === 'pending')) {
    return transitionTurn(session, event, { to: { ...turn, calls }, actions: waitActions });
  }
  const { conversation, request, agenda } = turn;
  const executions = calls.map(toExecution);
  // If every call was denied, the reply needs no execution; otherwise its calls run.
  const via = executions.every((each) => each.status === 'completed')
    ? (['processingResponse'] as const)
    : [];
  return executeRound(session, event, { conversation, request, executions, agenda, via });
}

function resolvePermission(
  { call }: PermissionCall,
  event: EventOfType<'permission-decided'>,
): PermissionCall {
  if (event.decision === 'allow') return { decision: 'allowed', call };
  const suffix = event.reason === undefined ? '.' : `: ${event.reason}`;
  return {
    decision: 'denied',
    call,
    outcome: createFailedOutcome('denied', `The user did not allow this call${suffix}`),
  };
}
