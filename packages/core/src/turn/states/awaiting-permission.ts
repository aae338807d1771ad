import { withReplaced } from '../../list.ts';
import type { Session } from '../../session.ts';
import { agendaEvents } from '../agenda-events.ts';
import { askMemory } from '../ask-memory.ts';
import { toExecution } from '../calls.ts';
import { execute } from '../execute.ts';
import type { EventOf, Handlers } from '../handlers.ts';
import { callOff, haltAsRequested, pause, shutDown } from '../leave.ts';
import { justWait, move, type Step } from '../move.ts';
import { ignore, refuse } from '../refuse.ts';
import { failure } from '../results.ts';
import type { AwaitingPermission, PermissionCall } from '../state.ts';
import { isStale, stale } from '../stale.ts';

const busy = refuse('permission is being asked');

export const awaitingPermission: Handlers<AwaitingPermission> = {
  'user-message': busy,
  'text-delta': busy,
  'call-delta': busy,
  'model-replied': busy,
  'model-failed': busy,
  'permission-decided': decided,
  'tool-started': busy,
  'tool-progressed': busy,
  'tool-finished': busy,
  'hooks-finished': busy,
  'hooks-failed': busy,
  'retry-due': busy,
  'recovery-finished': busy,
  'paging-requested': busy,
  'paging-finished': busy,
  'paging-failed': busy,
  'memory-asked': askMemory,
  ...agendaEvents<AwaitingPermission>(
    (turn) => turn.agenda,
    (turn, agenda) => ({ ...turn, agenda }),
  ),
  'pause-requested': pause,
  'resume-requested': busy,
  'cancel-requested': callOff,
  'halt-requested': haltAsRequested,
  'shutdown-requested': shutDown,
};

function decided(session: Session, turn: AwaitingPermission, event: EventOf<'permission-decided'>): Step {
  if (isStale(turn, event)) return ignore(session, turn, event, stale);
  const index = turn.calls.findIndex((each) => each.call.id === event.callId);
  const asked = turn.calls[index];
  if (asked === undefined) return ignore(session, turn, event, `there is no call ${event.callId}`);
  if (asked.decision !== 'pending') {
    return ignore(session, turn, event, `call ${event.callId} is already decided`);
  }
  const calls = withReplaced(turn.calls, index, decide(asked, event));
  if (calls.some((each) => each.decision === 'pending')) {
    return move(session, event, { to: { ...turn, calls }, actions: justWait });
  }
  const { conversation, request, agenda } = turn;
  const executions = calls.map(toExecution);
  // With nothing left to run, the reply is done with; otherwise its calls run.
  const via = executions.every((each) => each.status === 'completed')
    ? (['processingResponse'] as const)
    : [];
  return execute(session, event, { conversation, request, executions, agenda, via });
}

function decide({ call }: PermissionCall, event: EventOf<'permission-decided'>): PermissionCall {
  if (event.decision === 'allow') return { decision: 'allowed', call };
  const because = event.reason === undefined ? '.' : `: ${event.reason}`;
  return {
    decision: 'denied',
    call,
    outcome: failure('denied', `The user did not allow this call${because}`),
  };
}
