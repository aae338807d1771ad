import { appendAll, emptyConversation } from '../../conversation/conversation.ts';
import type { Message } from '../../conversation/message.ts';
import { halveConversation } from '../../memory/halve.ts';
import type { Session } from '../../session.ts';
import { agendaEvents } from '../agenda-events.ts';
import { askMemory } from '../ask-memory.ts';
import { callModel } from '../enter.ts';
import type { EventOf, Handlers } from '../handlers.ts';
import { callOff, haltAsRequested, pause, shutDown } from '../leave.ts';
import { move, showing, type Step } from '../move.ts';
import { endAsk, endTurn } from '../progress-check.ts';
import { ignore, refuse } from '../refuse.ts';
import { retryAt } from '../retry.ts';
import type { Agenda, IoRecovery, Paging, PagingWork } from '../state.ts';
import { isStale, stale } from '../stale.ts';

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
  'memory-asked': askMemory,
  ...agendaEvents<Paging>(
    (turn) => turn.work.ask.agenda,
    (turn, agenda) => ({ ...turn, work: withPagingAgenda(turn.work, agenda) }),
  ),
  'pause-requested': pause,
  'resume-requested': busy,
  'cancel-requested': callOff,
  'halt-requested': haltAsRequested,
  'shutdown-requested': shutDown,
};

export function withPagingAgenda(work: PagingWork, agenda: Agenda): PagingWork {
  return { ...work, ask: { ...work.ask, agenda } };
}

/** The model call that found no room is made again; its failures stay counted, so this ends. */
function finished(session: Session, turn: Paging, event: EventOf<'paging-finished'>): Step {
  if (isStale(turn, event)) return ignore(session, turn, event, stale);
  const { asking, ask, modelRetries } = turn.work;
  const conversation =
    asking && session.settings.compact ? shortened(session, turn, event) : turn.conversation;
  return asking
    ? callModel(session, event, { conversation }, { ask, retries: modelRetries })
    : endTurn(session, event, { conversation }, ask.agenda);
}

/** What is taken out is on the shelf by now; the log has all of it in any case. */
function shortened(
  { id }: Session,
  { conversation }: Paging,
  { at, summaries }: EventOf<'paging-finished'>,
): Paging['conversation'] {
  const { keep, shelved } = halveConversation(conversation, { id, at, words: summaries?.conversation });
  return shelved.length === 0 ? conversation : appendAll<Message>(emptyConversation, keep);
}

function failed(session: Session, turn: Paging, event: EventOf<'paging-failed'>): Step {
  if (isStale(turn, event)) return ignore(session, turn, event, stale);
  const { at, jitter, message } = event;
  const failures = turn.retries + 1;
  const due = retryAt(session.settings, { at, failures, jitter });
  if (due === null) {
    // No room could be made, so the model cannot be asked.
    const ended = endAsk(session, event, { conversation: turn.conversation }, turn.work.ask);
    return showing(ended, { kind: 'io', message });
  }
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
