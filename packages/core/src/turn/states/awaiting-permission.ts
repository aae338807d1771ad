import {
  createAgendaRows,
  defineTurnState,
  interruptionRows,
  type TurnStateDefinition,
} from '../turn-table.ts';
import type { EventOfType } from '../../session/event.ts';
import { replaceArrayItem } from '../../conversation/conversation.ts';
import type { Session } from '../../session/session.ts';
import { toExecution, createFailedOutcome } from '../calls.ts';
import { executeRound } from '../execute-round.ts';
import { transitionTurn } from '../transition-turn.ts';
import { waitActions } from '../../session/action.ts';
import type { SessionStep } from '../../session/session-step.ts';
import { ignoreEvent, isStaleAnswer, staleAnswerReason } from '../refuse-event.ts';
import type { AwaitingPermission, PermissionCall } from '../../session/turn-state.ts';

export const awaitingPermissionState: TurnStateDefinition<AwaitingPermission> = defineTurnState({
  name: 'awaitingPermission',
  description: 'Waits for a person to decide on each call that needs it.',
  refusal: 'permission is being asked',
  on: {
    'permission-decided': {
      handle: handlePermissionDecided,
      to: [
        ['other calls are undecided', 'awaitingPermission', 'wait'],
        ['a call may run', 'executingTools', 'run-tools'],
        ['', 'processingResponse'],
      ],
    },
    ...createAgendaRows<AwaitingPermission>(
      'awaitingPermission',
      (turn) => turn.agenda,
      (turn, agenda) => ({ ...turn, agenda }),
    ),
    ...interruptionRows,
  },
});

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
