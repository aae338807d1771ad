import {
  createAgendaRows,
  afterToolsTargets,
  defineTurnState,
  roundInterruptionRows,
  type TurnStateDefinition,
} from '../turn-table.ts';
import type { EventOfType } from '../../session/event.ts';
import { replaceArrayItem } from '../../conversation/conversation.ts';
import { recordPhaseWork } from '../change-phases.ts';
import type { Session } from '../../session/session.ts';
import { finishToolRound } from '../execute-round.ts';
import { transitionTurn, showEphemeralChange } from '../transition-turn.ts';
import { waitActions } from '../../session/action.ts';
import type { SessionStep } from '../../session/session-step.ts';
import { ignoreEvent, isStaleAnswer, staleAnswerReason } from '../refuse-event.ts';
import type { ExecutingTools, CallExecution } from '../../session/turn-state.ts';

export const executingToolsState: TurnStateDefinition<ExecutingTools> = defineTurnState({
  name: 'executingTools',
  description: 'Waits for tools.',
  refusal: 'tools are running',
  on: {
    'tool-started': { handle: handleToolStarted, to: [['', 'executingTools', 'wait']] },
    'tool-progressed': { handle: handleToolProgressed, to: [['', 'executingTools', 'wait']] },
    'tool-finished': {
      handle: handleToolFinished,
      to: [
        ['other calls are open', 'executingTools', 'wait'],
        ['something changed', 'postToolsHook', 'run-hooks'],
        ...afterToolsTargets,
      ],
    },
    ...createAgendaRows<ExecutingTools>(
      'executingTools',
      (turn) => turn.agenda,
      (turn, agenda) => ({ ...turn, agenda }),
    ),
    ...roundInterruptionRows,
  },
});

function handleToolStarted(
  session: Session,
  turn: ExecutingTools,
  event: EventOfType<'tool-started'>,
): SessionStep {
  const target = findOpenExecution(turn, event);
  if (typeof target === 'string') return ignoreEvent(session, turn, event, target);
  const { index, execution } = target;
  if (execution.status === 'running' && execution.startedAt !== null) {
    return ignoreEvent(session, turn, event, `call ${event.callId} is already running`);
  }
  const progress = execution.status === 'running' ? execution.progress : null;
  const { intent } = event;
  const running: CallExecution = {
    status: 'running',
    call: execution.call,
    startedAt: event.at,
    progress,
    ...(intent !== undefined && { intent }),
  };
  return transitionTurn(session, event, { to: setExecution(turn, index, running), actions: waitActions });
}

function handleToolProgressed(
  session: Session,
  turn: ExecutingTools,
  event: EventOfType<'tool-progressed'>,
): SessionStep {
  const target = findOpenExecution(turn, event);
  if (typeof target === 'string') return ignoreEvent(session, turn, event, target);
  const { index, execution } = target;
  const { progress } = event;
  const running: CallExecution =
    execution.status === 'running'
      ? { ...execution, progress }
      : { status: 'running', call: execution.call, startedAt: null, progress };
  return showEphemeralChange(session, setExecution(turn, index, running), waitActions);
}

function handleToolFinished(
  before: Session,
  turn: ExecutingTools,
  event: EventOfType<'tool-finished'>,
): SessionStep {
  const target = findOpenExecution(turn, event);
  if (typeof target === 'string') return ignoreEvent(before, turn, event, target);
  const session = recordPhaseWork(before, event);
  const { index, execution } = target;
  const to = setExecution(turn, index, {
    status: 'completed',
    call: execution.call,
    outcome: event.outcome,
  });
  return to.executions.every((each) => each.status === 'completed')
    ? finishToolRound(session, event, to)
    : transitionTurn(session, event, { to, actions: waitActions });
}

type OpenExecution = Exclude<CallExecution, { readonly status: 'completed' }>;

/**
 * Returns the open execution that an answer refers to, or the reason there is none. Only the first outcome of a call
 * counts.
 */
function findOpenExecution(
  turn: ExecutingTools,
  event: { readonly callId: string; readonly request?: number },
): { readonly index: number; readonly execution: OpenExecution } | string {
  if (isStaleAnswer(turn, event)) return staleAnswerReason;
  const index = turn.executions.findIndex((each) => each.call.id === event.callId);
  const execution = turn.executions[index];
  if (execution === undefined) return `there is no call ${event.callId}`;
  if (execution.status === 'completed') return `call ${event.callId} already has its result`;
  return { index, execution };
}

function setExecution(turn: ExecutingTools, index: number, execution: CallExecution): ExecutingTools {
  const { since, conversation, request, executions, agenda } = turn;
  return {
    status: 'executingTools',
    since,
    conversation,
    request,
    executions: replaceArrayItem(executions, index, execution),
    agenda,
  };
}
