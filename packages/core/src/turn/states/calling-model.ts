import {
  createAgendaRows,
  defineTurnState,
  interruptionRows,
  type TurnStateDefinition,
} from '../turn-table.ts';
import { assignCallIds, type Verdict } from '@pawl/governor';
import type { EventOfType } from '../../session/event.ts';
import { waitActions, type Action } from '../../session/action.ts';
import { logPatches, hasLogPatch } from '../../session/log-version.ts';
import { isBudgetExhausted, findLastCallVerdict } from '../../session/budget.ts';
import type { Session } from '../../session/session.ts';
import { createSessionFinish } from '../agenda.ts';
import {
  toPermissionCalls,
  isAllowedCall,
  toExecution,
  appendReply,
  createFailedOutcome,
  getReplyKind,
} from '../calls.ts';
import { runRound } from '../enter-state.ts';
import { executeRound } from '../execute-round.ts';
import { transitionTurn, showEphemeralChange, showErrorFirst } from '../transition-turn.ts';
import type { SessionStep } from '../../session/session-step.ts';
import { createAskPermissionAction, createPageMemoryAction } from '../pending-actions.ts';
import { checkProgress, endModelCall, endTurn } from '../progress-check.ts';
import { ignoreEvent, isStaleAnswer, staleAnswerReason } from '../refuse-event.ts';
import { computeRetryTime } from '../retry.ts';
import type {
  TurnAgenda,
  ModelCallIntent,
  AwaitingPermission,
  CallingModel,
  CallExecution,
  ModelRecovery,
  PagingTurn,
} from '../../session/turn-state.ts';

export const callingModelState: TurnStateDefinition<CallingModel> = defineTurnState({
  name: 'callingModel',
  description: 'Waits for the model.',
  refusal: 'the model is being asked',
  on: {
    'text-delta': {
      handle: (session, turn, event) =>
        handleDelta(session, turn, event, [{ type: 'show-text', text: event.text }]),
      to: [['', 'callingModel', 'show-text']],
    },
    'call-delta': {
      handle: (session, turn, event) => handleDelta(session, turn, event, waitActions),
      to: [['', 'callingModel', 'wait']],
    },
    'model-replied': { handle: handleModelReplied, to: ['processingResponse'] },
    'model-failed': {
      handle: handleModelFailed,
      to: [
        ['context overflow, retries are left', 'paging', 'page-memory'],
        ['retries are left', 'errorRecovery', 'wait'],
        ['last call ends the session', 'halted', 'show-error', 'stop'],
        ['agenda is not empty', 'progressCheck', 'show-error'],
        ['', 'waitingForUser', 'show-error'],
      ],
    },
    ...createAgendaRows<CallingModel>(
      'callingModel',
      (turn) => turn.ask.agenda,
      (turn, agenda) => ({ ...turn, ask: { ...turn.ask, agenda } }),
    ),
    ...interruptionRows,
  },
});

function handleDelta(
  session: Session,
  turn: CallingModel,
  event: EventOfType<'text-delta' | 'call-delta'>,
  actions: readonly Action[],
): SessionStep {
  if (isStaleAnswer(turn, event)) return ignoreEvent(session, turn, event, staleAnswerReason);
  return showEphemeralChange(session, turn.streaming ? turn : { ...turn, streaming: true }, actions);
}

const viaProcessing = ['processingResponse'] as const;

/** Processes the reply: skips calls, asks for permission or runs them, or ends the turn if there are none. */
function handleModelReplied(
  session: Session,
  turn: CallingModel,
  event: EventOfType<'model-replied'>,
): SessionStep {
  if (isStaleAnswer(turn, event)) return ignoreEvent(session, turn, event, staleAnswerReason);
  if (turn.ask.finish !== null) return handleLastReply(session, turn, event);
  const { agenda } = turn.ask;
  const calls = assignCallIds(event.calls, turn.request);
  const conversation = appendReply(turn.conversation, { text: event.text, calls, at: event.at });
  const via = viaProcessing;
  if (calls.length === 0) {
    return shouldContinueTurn(session, event)
      ? checkProgress(session, event, {
          conversation,
          agenda: addReplyProblem(agenda, session, event),
          next: 'ask-model',
          via,
        })
      : endTurn(session, event, { conversation, via }, agenda);
  }
  const { request } = turn;
  if (agenda.finish !== null) {
    const executions = calls.map((call): CallExecution => ({
      status: 'completed',
      call,
      outcome: skippedOutcome,
    }));
    return executeRound(session, event, { conversation, request, executions, agenda, via });
  }
  // Fast path: usually every call is allowed, so no permission list is needed.
  if (event.calls.every(isAllowedCall)) {
    const executions = calls.map((call): CallExecution => ({ status: 'pending', call }));
    return runRound(session, event, { conversation, via }, { request, executions, agenda, calls });
  }
  const permissions = toPermissionCalls(calls, event.calls);
  if (permissions.every((each) => each.decision !== 'pending')) {
    const executions = permissions.map(toExecution);
    return executeRound(session, event, { conversation, request, executions, agenda, via });
  }
  const to: AwaitingPermission = {
    status: 'awaitingPermission',
    since: event.at,
    conversation,
    request,
    calls: permissions,
    agenda,
  };
  return transitionTurn(session, event, { to, actions: [createAskPermissionAction(to)], via });
}

/** Whether a reply without calls continues the turn: a thought, or a reply that could not be parsed. */
function shouldContinueTurn(session: Session, event: EventOfType<'model-replied'>): boolean {
  return hasLogPatch(session, logPatches.seedsInSessions)
    ? getReplyKind(session, event) !== 'answer'
    : shouldContinueFormerTurn(session, event);
}

/** In older sessions, a reply continued the turn if the text caused a mode transition at the same time. */
function shouldContinueFormerTurn(
  { settings: { chart }, mode }: Session,
  { problem, at }: EventOfType<'model-replied'>,
): boolean {
  const lastChange = mode?.history.at(-1);
  const textChangedMode = lastChange !== undefined && lastChange.at === at && lastChange.cause === 'words';
  return problem !== undefined || textChangedMode || chart?.transitions.by === 'reply';
}

/** Delivers the reply's problem as advice, at the bottom of the next prompt. */
function addReplyProblem(
  agenda: TurnAgenda,
  session: Session,
  { problem }: EventOfType<'model-replied'>,
): TurnAgenda {
  if (problem === undefined) return agenda;
  const verdict = agenda.verdict;
  const advice = verdict === null ? problem : `${problem} ${verdict.advice}`;
  const problemVerdict: Verdict = {
    severity: 'advise',
    rule: 'unreadable-reply',
    reason: 'the reply could not be understood',
    advice: problem,
    evidence: [session.seq + 1],
    response: { kind: 'advise' },
  };
  return { ...agenda, verdict: { ...(verdict ?? problemVerdict), advice } };
}

const skippedOutcome = createFailedOutcome('skipped', 'Not started: the work is being finished.');

/** Handles the answer to a last call. Because it was requested without tools, any calls in it are dropped. */
function handleLastReply(
  session: Session,
  turn: CallingModel,
  event: EventOfType<'model-replied'>,
): SessionStep {
  const conversation = appendReply(turn.conversation, { text: event.text, calls: [], at: event.at });
  return endModelCall(session, event, { conversation, via: ['processingResponse'] }, turn.ask);
}

/** A last call is not retried after its deadline. */
function limitRetryTime(retryAt: number | null, { finish }: ModelCallIntent): number | null {
  return retryAt !== null && retryAt >= (finish?.deadline ?? Infinity) ? null : retryAt;
}

/** If the budget pays for no further call, the session finishes with this one. */
function finishSpentCall(session: Session, at: number, ask: ModelCallIntent): ModelCallIntent {
  const verdict = findLastCallVerdict(session, at);
  return verdict === null || ask.finish !== null ? ask : { ...ask, finish: createSessionFinish(verdict) };
}

function handleModelFailed(
  session: Session,
  turn: CallingModel,
  event: EventOfType<'model-failed'>,
): SessionStep {
  if (isStaleAnswer(turn, event)) return ignoreEvent(session, turn, event, staleAnswerReason);
  const { conversation, ask, request } = turn;
  const { error, at, jitter } = event;
  const failures = turn.retries + 1;
  if (isBudgetExhausted(session) && hasLogPatch(session, logPatches.budgetHoldsForEveryAsk)) {
    return showErrorFirst(
      endModelCall(session, event, { conversation }, finishSpentCall(session, at, ask)),
      error,
    );
  }
  const retryAt = limitRetryTime(computeRetryTime(session.settings, { at, failures, jitter }, error), ask);
  if (error.kind === 'context-overflow' && session.settings.pageOnOverflow) {
    if (failures < session.settings.maxRetries) {
      const work = { reason: error.message, ask, asking: true, modelRetries: failures };
      const to: PagingTurn = { status: 'paging', since: at, conversation, request, retries: 0, work };
      return transitionTurn(session, event, { to, actions: [createPageMemoryAction(to)] });
    }
  } else if (retryAt !== null) {
    const to: ModelRecovery = {
      status: 'errorRecovery',
      since: at,
      conversation,
      origin: 'model',
      request,
      retries: failures,
      retryAt,
      error,
      ask,
    };
    return transitionTurn(session, event, { to, actions: [{ type: 'wait', until: retryAt }] });
  }
  // No retry is left. The user's message stays in the conversation.
  return showErrorFirst(endModelCall(session, event, { conversation }, ask), error);
}
