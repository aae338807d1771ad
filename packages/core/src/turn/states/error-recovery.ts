import type { Session } from '../../session.ts';
import { agendaOf } from '../agenda.ts';
import { agendaEvents } from '../agenda-events.ts';
import { askMemory } from '../ask-memory.ts';
import { callModel } from '../enter.ts';
import type { EventOf, Handlers } from '../handlers.ts';
import { callOff, halt, haltAsRequested, pause, shutDown } from '../leave.ts';
import { move, showing, type Step } from '../move.ts';
import { pageMemory, runHooks } from '../pending.ts';
import { checkProgress, endTurn, runInstead } from '../progress-check.ts';
import { ignore, refuse, refuseNow } from '../refuse.ts';
import type { Agenda, ErrorRecovery, IoRecovery, Paging, PostToolsHook } from '../state.ts';
import { isStale, stale } from '../stale.ts';
import { withPagingAgenda } from './paging.ts';

const busy = refuse('an error is being recovered from');

export const errorRecovery: Handlers<ErrorRecovery> = {
  'user-message': busy,
  'text-delta': busy,
  'call-delta': busy,
  'model-replied': busy,
  'model-failed': busy,
  'permission-decided': busy,
  'tool-started': busy,
  'tool-progressed': busy,
  'tool-finished': busy,
  'hooks-finished': busy,
  'hooks-failed': busy,
  'retry-due': retry,
  'recovery-finished': recovered,
  'paging-requested': busy,
  'paging-finished': busy,
  'paging-failed': busy,
  'memory-asked': askMemory,
  ...agendaEvents<ErrorRecovery>(agendaOf, withAgenda),
  'pause-requested': pause,
  'resume-requested': busy,
  'cancel-requested': callOff,
  'halt-requested': haltAsRequested,
  'shutdown-requested': shutDown,
};

function retry(session: Session, turn: ErrorRecovery, event: EventOf<'retry-due'>): Step {
  if (isStale(turn, event)) return ignore(session, turn, event, stale);
  switch (turn.origin) {
    case 'model': {
      const { conversation, ask, retries } = turn;
      return callModel(session, event, { conversation }, { ask, retries });
    }
    case 'io':
      return retryWork(session, turn, event);
    case 'tool':
      return refuseNow(session, turn, event, 'a recovery is under way, not a wait for a retry');
    default:
      return turn satisfies never;
  }
}

function retryWork(session: Session, turn: IoRecovery, event: EventOf<'retry-due'>): Step {
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
    return move(session, event, { to, actions: [runHooks(to)] });
  }
  const to: Paging = { status: 'paging', since, conversation, request, retries, work: work.paging };
  return move(session, event, { to, actions: [pageMemory(to)] });
}

/** The caller found a way out of a stuck state, or none. */
function recovered(session: Session, turn: ErrorRecovery, event: EventOf<'recovery-finished'>): Step {
  if (turn.origin !== 'tool') return refuseNow(session, turn, event, 'a retry is waited for, not a recovery');
  if (isStale(turn, event)) return ignore(session, turn, event, stale);
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
      return runInstead(session, event, { conversation, agenda }, outcome.calls);
    case 'check':
      return checkProgress(session, event, {
        conversation,
        agenda,
        next: 'ask-model',
        via: [],
        asked: true,
      });
    case 'give-up': {
      const ended = endTurn(session, event, { conversation }, agenda);
      return showing(ended, { kind: 'refused', message: outcome.reason });
    }
    case 'halt':
      return halt(session, turn, event, { kind: 'stuck', reason: outcome.reason, rule: turn.verdict.rule });
    default:
      return outcome satisfies never;
  }
}

function withAgenda(turn: ErrorRecovery, agenda: Agenda): ErrorRecovery {
  switch (turn.origin) {
    case 'model':
      return { ...turn, ask: { ...turn.ask, agenda } };
    case 'tool':
      return { ...turn, agenda };
    case 'io':
      return withWorkAgenda(turn, agenda);
    default:
      return turn satisfies never;
  }
}

function withWorkAgenda(turn: IoRecovery, agenda: Agenda): IoRecovery {
  return turn.work.kind === 'hooks'
    ? { ...turn, work: { kind: 'hooks', hooks: { ...turn.work.hooks, agenda } } }
    : { ...turn, work: { kind: 'paging', paging: withPagingAgenda(turn.work.paging, agenda) } };
}
