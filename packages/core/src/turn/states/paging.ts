import type { Session } from '../../session.ts';
import { agendaEvents } from '../agenda-events.ts';
import { emptyAgenda } from '../agenda.ts';
import { callModel, waitForUser } from '../enter.ts';
import type { EventOf, Handlers } from '../handlers.ts';
import { callOff, haltAsRequested, pause, shutDown } from '../leave.ts';
import { move, wait, type Step } from '../move.ts';
import { endTurn } from '../progress-check.ts';
import { ignore, isStale, refuse, stale } from '../refuse.ts';
import { retryAt } from '../retry.ts';
import type { Agenda, IoRecovery, Paging, PagingWork } from '../state.ts';

const busy = refuse('memory is being paged');

export const paging: Handlers<Paging> = {
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
  'retry-due': busy,
  'recovery-finished': busy,
  'paging-requested': busy,
  'paging-finished': finished,
  'paging-failed': failed,
  ...agendaEvents<Paging>(
    (turn) => pagingAgenda(turn.work),
    (turn, agenda) => {
      const work = withPagingAgenda(turn.work, agenda);
      return work === null ? null : { ...turn, work };
    },
  ),
  'pause-requested': pause,
  'resume-requested': busy,
  'cancel-requested': callOff,
  'halt-requested': haltAsRequested,
  'shutdown-requested': shutDown,
};

export function pagingAgenda(work: PagingWork): Agenda {
  return work.ask?.agenda ?? emptyAgenda;
}

export function withPagingAgenda(work: PagingWork, agenda: Agenda): PagingWork | null {
  return work.ask === null ? null : { ...work, ask: { ...work.ask, agenda } };
}

/** The model call that found no room is made again; its failures stay counted, so this ends. */
function finished(session: Session, turn: Paging, event: EventOf<'paging-finished'>): Step {
  if (isStale(turn, event)) return ignore(session, turn, event, stale);
  const { conversation, work } = turn;
  return work.ask === null
    ? waitForUser(session, event, { conversation })
    : callModel(session, event, { conversation }, { ask: work.ask, retries: work.modelRetries });
}

function failed(session: Session, turn: Paging, event: EventOf<'paging-failed'>): Step {
  if (isStale(turn, event)) return ignore(session, turn, event, stale);
  const { at, jitter, message } = event;
  const failures = turn.retries + 1;
  const due = retryAt(session.settings, { at, failures, jitter });
  if (due === null) return giveUp(session, turn, event);
  const to: IoRecovery = {
    status: 'errorRecovery',
    since: at,
    conversation: turn.conversation,
    origin: 'io',
    request: turn.request,
    retries: failures,
    retryAt: due,
    message,
    work: { kind: 'paging', paging: turn.work },
  };
  return move(session, event, { to, actions: [{ type: 'wait', until: due }] });
}

/** No room could be made, so the model cannot be asked: the user is told and has the word. */
function giveUp(session: Session, turn: Paging, event: EventOf<'paging-failed'>): Step {
  const { conversation, work } = turn;
  const step = endTurn(session, event, { conversation }, pagingAgenda(work));
  const actions = step.actions.filter((action) => action !== wait);
  return { ...step, actions: [{ type: 'show-error', kind: 'io', message: event.message }, ...actions] };
}
