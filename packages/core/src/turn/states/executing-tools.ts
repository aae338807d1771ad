import { withReplaced } from '../../list.ts';
import { recordPhaseWork } from '../../phases/record.ts';
import type { Session } from '../../session.ts';
import { agendaEvents } from '../agenda-events.ts';
import { askMemory } from '../ask-memory.ts';
import { afterTools } from '../execute.ts';
import type { EventOf, Handlers } from '../handlers.ts';
import { callOff, haltAsRequested, pause, shutDown } from '../leave.ts';
import { justWait, move, show, type Step } from '../move.ts';
import { ignore, refuse } from '../refuse.ts';
import type { ExecutingTools, Execution } from '../state.ts';
import { isStale, stale } from '../stale.ts';

const busy = refuse('tools are running');

export const executingTools: Handlers<ExecutingTools> = {
  'user-message': busy,
  'text-delta': busy,
  'call-delta': busy,
  'model-replied': busy,
  'model-failed': busy,
  'permission-decided': busy,
  'tool-started': started,
  'tool-progressed': progressed,
  'tool-finished': finished,
  'hooks-finished': busy,
  'hooks-failed': busy,
  'retry-due': busy,
  'recovery-finished': busy,
  'paging-requested': busy,
  'paging-finished': busy,
  'paging-failed': busy,
  'memory-asked': askMemory,
  ...agendaEvents<ExecutingTools>(
    (turn) => turn.agenda,
    (turn, agenda) => ({ ...turn, agenda }),
  ),
  'pause-requested': pause,
  'resume-requested': busy,
  'cancel-requested': callOff,
  'halt-requested': haltAsRequested,
  'shutdown-requested': shutDown,
};

function started(session: Session, turn: ExecutingTools, event: EventOf<'tool-started'>): Step {
  const found = find(turn, event);
  if (typeof found === 'string') return ignore(session, turn, event, found);
  const { index, execution } = found;
  if (execution.status === 'running' && execution.startedAt !== null) {
    return ignore(session, turn, event, `call ${event.callId} is already running`);
  }
  const progress = execution.status === 'running' ? execution.progress : null;
  const { intent } = event;
  const running: Execution = {
    status: 'running',
    call: execution.call,
    startedAt: event.at,
    progress,
    ...(intent !== undefined && { intent }),
  };
  return move(session, event, { to: withExecution(turn, index, running), actions: justWait });
}

function progressed(session: Session, turn: ExecutingTools, event: EventOf<'tool-progressed'>): Step {
  const found = find(turn, event);
  if (typeof found === 'string') return ignore(session, turn, event, found);
  const { index, execution } = found;
  const { progress } = event;
  const running: Execution =
    execution.status === 'running'
      ? { ...execution, progress }
      : { status: 'running', call: execution.call, startedAt: null, progress };
  return show(session, withExecution(turn, index, running), justWait);
}

function finished(before: Session, turn: ExecutingTools, event: EventOf<'tool-finished'>): Step {
  const found = find(turn, event);
  if (typeof found === 'string') return ignore(before, turn, event, found);
  const session = recordPhaseWork(before, event);
  const { index, execution } = found;
  const to = withExecution(turn, index, {
    status: 'completed',
    call: execution.call,
    outcome: event.outcome,
  });
  return to.executions.every((each) => each.status === 'completed')
    ? afterTools(session, event, to)
    : move(session, event, { to, actions: justWait });
}

type Open = Exclude<Execution, { readonly status: 'completed' }>;

/** The open execution an answer is about, or why there is none. The first outcome of a call is the one that counts. */
function find(
  turn: ExecutingTools,
  event: { readonly callId: string; readonly request?: number },
): { readonly index: number; readonly execution: Open } | string {
  if (isStale(turn, event)) return stale;
  const index = turn.executions.findIndex((each) => each.call.id === event.callId);
  const execution = turn.executions[index];
  if (execution === undefined) return `there is no call ${event.callId}`;
  if (execution.status === 'completed') return `call ${event.callId} already has its result`;
  return { index, execution };
}

function withExecution(turn: ExecutingTools, index: number, execution: Execution): ExecutingTools {
  const { since, conversation, request, executions, agenda } = turn;
  return {
    status: 'executingTools',
    since,
    conversation,
    request,
    executions: withReplaced(executions, index, execution),
    agenda,
  };
}
