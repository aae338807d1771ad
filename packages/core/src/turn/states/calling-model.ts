import type { Action } from '../../action.ts';
import { behaviours, isAtLeast } from '../../behaviour.ts';
import { isSpent, lastAskDue } from '../../governor/budget.ts';
import type { Verdict } from '../../governor/verdict.ts';
import type { Session } from '../../session.ts';
import { agendaEvents } from '../agenda-events.ts';
import { endOfSession } from '../agenda.ts';
import { askMemory } from '../ask-memory.ts';
import { askedFor, isAllowed, toExecution, withIds, withReply } from '../calls.ts';
import { runRound } from '../enter.ts';
import { execute } from '../execute.ts';
import type { EventOf, Handlers } from '../handlers.ts';
import { callOff, haltAsRequested, pause, shutDown } from '../leave.ts';
import { justWait, move, show, showing, type Step } from '../move.ts';
import { askPermission, pageMemory } from '../pending.ts';
import { checkProgress, endAsk, endTurn } from '../progress-check.ts';
import { ignore, refuse } from '../refuse.ts';
import { failure } from '../results.ts';
import { retryAt } from '../retry.ts';
import type {
  Agenda,
  Ask,
  AwaitingPermission,
  CallingModel,
  Execution,
  ModelRecovery,
  Paging,
} from '../state.ts';
import { isStale, stale } from '../stale.ts';

const busy = refuse('the model is being asked');

export const callingModel: Handlers<CallingModel> = {
  'user-message': busy,
  'text-delta': (session, turn, event) =>
    stream(session, turn, event, [{ type: 'show-text', text: event.text }]),
  'call-delta': (session, turn, event) => stream(session, turn, event, justWait),
  'model-replied': replied,
  'model-failed': failed,
  'permission-decided': busy,
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
  ...agendaEvents<CallingModel>(
    (turn) => turn.ask.agenda,
    (turn, agenda) => ({ ...turn, ask: { ...turn.ask, agenda } }),
  ),
  'pause-requested': pause,
  'resume-requested': busy,
  'cancel-requested': callOff,
  'halt-requested': haltAsRequested,
  'shutdown-requested': shutDown,
};

function stream(
  session: Session,
  turn: CallingModel,
  event: EventOf<'text-delta' | 'call-delta'>,
  actions: readonly Action[],
): Step {
  if (isStale(turn, event)) return ignore(session, turn, event, stale);
  return show(session, turn.streaming ? turn : { ...turn, streaming: true }, actions);
}

/** Looks at the reply: calls to skip, ask about or run, or none and the turn is over. */
function replied(session: Session, turn: CallingModel, event: EventOf<'model-replied'>): Step {
  if (isStale(turn, event)) return ignore(session, turn, event, stale);
  if (turn.ask.finish !== null) return finished(session, turn, event);
  const { agenda } = turn.ask;
  const calls = withIds(event.calls, turn.request);
  const conversation = withReply(turn.conversation, { text: event.text, calls, at: event.at });
  const via = ['processingResponse'] as const;
  if (calls.length === 0) {
    return goesOn(session, event)
      ? checkProgress(session, event, {
          conversation,
          agenda: withProblem(agenda, session, event),
          next: 'ask-model',
          via,
        })
      : endTurn(session, event, { conversation, via }, agenda);
  }
  const { request } = turn;
  if (agenda.finish !== null) {
    const executions = calls.map((call): Execution => ({ status: 'completed', call, outcome: skipped }));
    return execute(session, event, { conversation, request, executions, agenda, via });
  }
  // Nothing to ask about or to deny, as nearly always: no need for a list of decisions first.
  if (event.calls.every(isAllowed)) {
    const executions = calls.map((call): Execution => ({ status: 'pending', call }));
    return runRound(session, event, { conversation, via }, { request, executions, agenda, calls });
  }
  const permissions = askedFor(calls, event.calls);
  if (permissions.every((each) => each.decision !== 'pending')) {
    const executions = permissions.map(toExecution);
    return execute(session, event, { conversation, request, executions, agenda, via });
  }
  const to: AwaitingPermission = {
    status: 'awaitingPermission',
    since: event.at,
    conversation,
    request,
    calls: permissions,
    agenda,
  };
  return move(session, event, { to, actions: [askPermission(to)], via });
}

/**
 * Where the reply decides about the mode, or its words have just led to another, words alone are a step like any other; and
 * what nobody understood is no answer.
 */
function goesOn({ settings: { chart }, mode }: Session, { problem, at }: EventOf<'model-replied'>): boolean {
  const last = mode?.history.at(-1);
  const ledOn = last !== undefined && last.at === at && last.cause === 'words';
  return problem !== undefined || ledOn || chart?.hops.by === 'reply';
}

/** What was wrong with the reply is told as advice is: at the bottom of the next prompt. */
function withProblem(agenda: Agenda, session: Session, { problem }: EventOf<'model-replied'>): Agenda {
  if (problem === undefined) return agenda;
  const verdict = agenda.verdict;
  const said = verdict === null ? problem : `${problem} ${verdict.advice}`;
  const unread: Verdict = {
    level: 'suspect',
    rule: 'unreadable-reply',
    reason: 'the reply could not be understood',
    advice: problem,
    evidence: [session.seq + 1],
    response: { kind: 'advise' },
  };
  return { ...agenda, verdict: { ...(verdict ?? unread), advice: said } };
}

const skipped = failure('skipped', 'Not started: the work is being finished.');

/** The answer to a last call. It was asked without tools, so calls in it are dropped, not run. */
function finished(session: Session, turn: CallingModel, event: EventOf<'model-replied'>): Step {
  const conversation = withReply(turn.conversation, { text: event.text, calls: [], at: event.at });
  return endAsk(session, event, { conversation, via: ['processingResponse'] }, turn.ask);
}

/** A last answer is not tried for again once it would come too late. */
function retryInTime(due: number | null, { finish }: Ask): number | null {
  return due !== null && due >= (finish?.deadline ?? Infinity) ? null : due;
}

/** With nothing left to ask with, this was the last answer there could be. */
function spentAsk(session: Session, at: number, ask: Ask): Ask {
  const verdict = lastAskDue(session, at);
  return verdict === null || ask.finish !== null ? ask : { ...ask, finish: endOfSession(verdict) };
}

function failed(session: Session, turn: CallingModel, event: EventOf<'model-failed'>): Step {
  if (isStale(turn, event)) return ignore(session, turn, event, stale);
  const { conversation, ask, request } = turn;
  const { error, at, jitter } = event;
  const failures = turn.retries + 1;
  if (isSpent(session) && isAtLeast(session, behaviours.budgetHoldsForEveryAsk)) {
    return showing(endAsk(session, event, { conversation }, spentAsk(session, at, ask)), error);
  }
  const due = retryInTime(retryAt(session.settings, { at, failures, jitter }, error), ask);
  if (error.kind === 'context-overflow' && session.settings.pageOnOverflow) {
    if (failures < session.settings.maxRetries) {
      const work = { reason: error.message, ask, asking: true, modelRetries: failures };
      const to: Paging = { status: 'paging', since: at, conversation, request, retries: 0, work };
      return move(session, event, { to, actions: [pageMemory(to)] });
    }
  } else if (due !== null) {
    const to: ModelRecovery = {
      status: 'errorRecovery',
      since: at,
      conversation,
      origin: 'model',
      request,
      retries: failures,
      retryAt: due,
      error,
      ask,
    };
    return move(session, event, { to, actions: [{ type: 'wait', until: due }] });
  }
  // Nothing more can be tried. What the user said stays in the conversation.
  return showing(endAsk(session, event, { conversation }, ask), error);
}
