import {
  createAgendaRows,
  defineTurnState,
  interruptionRows,
  type TurnStateDefinition,
} from '../turn-table.ts';
import type { EventOfType } from '../../session/event.ts';
import type { Session } from '../../session/session.ts';
import { getAgenda, setPagingAgenda } from '../agenda.ts';
import { callModel } from '../enter-state.ts';
import { haltSession, ignoreEvent, refuseEvent, isStaleAnswer, staleAnswerReason } from '../refuse-event.ts';
import { transitionTurn, showErrorFirst } from '../transition-turn.ts';
import type { SessionStep } from '../../session/session-step.ts';
import { createPageMemoryAction, createRunHooksAction } from '../pending-actions.ts';
import { runRecoveryCalls } from '../apply-verdict.ts';
import { checkProgress, endTurn } from '../progress-check.ts';
import type {
  TurnAgenda,
  ErrorRecovery,
  IoRecovery,
  PagingTurn,
  PostToolsHook,
} from '../../session/turn-state.ts';

export const errorRecoveryState: TurnStateDefinition<ErrorRecovery> = defineTurnState({
  name: 'errorRecovery',
  description: 'Waits for a retry, or for a recovery from a stuck state.',
  refusal: 'error recovery is in progress',
  on: {
    'retry-due': {
      handle: handleRetryDue,
      to: [
        ['model failed', 'callingModel', 'ask-model'],
        ['hooks failed', 'postToolsHook', 'run-hooks'],
        ['paging failed', 'paging', 'page-memory'],
      ],
    },
    'recovery-finished': {
      handle: handleRecoveryFinished,
      to: [
        ['recovery halts', 'halted', 'abort', 'stop'],
        ['recovery runs calls', 'executingTools', 'run-tools'],
        ['recovery checks progress', 'progressCheck'],
        ['recovery gave up, agenda is not empty', 'progressCheck', 'show-error'],
        ['recovery gave up', 'waitingForUser', 'show-error'],
        ['recovery calls the model', 'callingModel', 'ask-model'],
      ],
    },
    ...createAgendaRows<ErrorRecovery>('errorRecovery', getAgenda, setRecoveryAgenda),
    ...interruptionRows,
  },
});

function handleRetryDue(session: Session, turn: ErrorRecovery, event: EventOfType<'retry-due'>): SessionStep {
  if (isStaleAnswer(turn, event)) return ignoreEvent(session, turn, event, staleAnswerReason);
  switch (turn.origin) {
    case 'model': {
      const { conversation, ask, retries } = turn;
      return callModel(session, event, { conversation }, { ask, retries });
    }
    case 'io':
      return retryIoWork(session, turn, event);
    case 'tool':
      return refuseEvent(session, turn, event, 'a recovery is in progress, not a retry');
    default:
      return turn satisfies never;
  }
}

function retryIoWork(session: Session, turn: IoRecovery, event: EventOfType<'retry-due'>): SessionStep {
  const { conversation, retries, work } = turn;
  const request = session.seq + 1;
  const since = event.at;
  if (work.kind === 'hooks') {
    const to: PostToolsHook = {
      status: 'postToolsHook',
      since,
      conversation,
      request,
      retries,
      work: work.hooks,
    };
    return transitionTurn(session, event, { to, actions: [createRunHooksAction(to)] });
  }
  const to: PagingTurn = { status: 'paging', since, conversation, request, retries, work: work.paging };
  return transitionTurn(session, event, { to, actions: [createPageMemoryAction(to)] });
}

/** Continues the turn with the recovery outcome the caller found. */
function handleRecoveryFinished(
  session: Session,
  turn: ErrorRecovery,
  event: EventOfType<'recovery-finished'>,
): SessionStep {
  if (turn.origin !== 'tool') return refuseEvent(session, turn, event, 'a retry is pending, not a recovery');
  if (isStaleAnswer(turn, event)) return ignoreEvent(session, turn, event, staleAnswerReason);
  const { conversation, agenda } = turn;
  const { outcome } = event;
  switch (outcome.kind) {
    case 'ask-model': {
      const advice = outcome.advice ?? turn.verdict.advice;
      return callModel(
        session,
        event,
        { conversation },
        { ask: { advice, finish: null, agenda }, retries: 0 },
      );
    }
    case 'run-tools':
      return runRecoveryCalls(session, event, { conversation, agenda }, outcome.calls);
    case 'check':
      return checkProgress(session, event, {
        conversation,
        agenda,
        next: 'ask-model',
        via: [],
        forced: true,
      });
    case 'give-up': {
      const step = endTurn(session, event, { conversation }, agenda);
      return showErrorFirst(step, { kind: 'refused', message: outcome.reason });
    }
    case 'halt':
      return haltSession(session, turn, event, {
        kind: 'stuck',
        reason: outcome.reason,
        rule: turn.verdict.rule,
      });
    default:
      return outcome satisfies never;
  }
}

function setRecoveryAgenda(turn: ErrorRecovery, agenda: TurnAgenda): ErrorRecovery {
  switch (turn.origin) {
    case 'model':
      return { ...turn, ask: { ...turn.ask, agenda } };
    case 'tool':
      return { ...turn, agenda };
    case 'io':
      return setIoWorkAgenda(turn, agenda);
    default:
      return turn satisfies never;
  }
}

function setIoWorkAgenda(turn: IoRecovery, agenda: TurnAgenda): IoRecovery {
  return turn.work.kind === 'hooks'
    ? { ...turn, work: { kind: 'hooks', hooks: { ...turn.work.hooks, agenda } } }
    : { ...turn, work: { kind: 'paging', paging: setPagingAgenda(turn.work.paging, agenda) } };
}
