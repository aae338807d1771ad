import type { EventOfType } from '../../event.ts';
import { appendItems, emptyConversation } from '../../conversation/conversation.ts';
import type { ConversationMessage } from '../../conversation/message.ts';
import { halveConversation } from '../../memory/halve-conversation.ts';
import type { Session } from '../../session.ts';
import { createAgendaHandlers } from '../agenda-handlers.ts';
import { handleMemoryCommand } from '../handle-memory-command.ts';
import { callModel } from '../enter-state.ts';
import type { EventHandlers } from '../handlers.ts';
import { cancelTurn, haltOnRequest, pauseTurn, shutDownTurn } from '../interrupt-turn.ts';
import { transitionTurn, showErrorFirst, type SessionStep } from '../transition-turn.ts';
import { endModelCall, endTurn } from '../progress-check.ts';
import { ignoreEvent, createRefusalHandler } from '../refuse-event.ts';
import { computeRetryTime } from '../retry.ts';
import type { TurnAgenda, IoRecovery, PagingTurn, PagingWork } from '../state.ts';
import { isStaleAnswer, staleAnswerReason } from '../stale-answer.ts';

const refuseDuringPaging = createRefusalHandler('memory is being paged');

export const pagingHandlers: EventHandlers<PagingTurn> = {
  'user-message': refuseDuringPaging,
  'text-delta': refuseDuringPaging,
  'call-delta': refuseDuringPaging,
  'model-replied': refuseDuringPaging,
  'model-failed': refuseDuringPaging,
  'permission-decided': refuseDuringPaging,
  'tool-started': refuseDuringPaging,
  'tool-progressed': refuseDuringPaging,
  'tool-finished': refuseDuringPaging,
  'hooks-finished': refuseDuringPaging,
  'hooks-failed': refuseDuringPaging,
  'retry-due': refuseDuringPaging,
  'recovery-finished': refuseDuringPaging,
  'paging-requested': refuseDuringPaging,
  'paging-finished': handlePagingFinished,
  'paging-failed': handlePagingFailed,
  'memory-asked': handleMemoryCommand,
  ...createAgendaHandlers<PagingTurn>(
    (turn) => turn.work.ask.agenda,
    (turn, agenda) => ({ ...turn, work: setPagingAgenda(turn.work, agenda) }),
  ),
  'pause-requested': pauseTurn,
  'resume-requested': refuseDuringPaging,
  'cancel-requested': cancelTurn,
  'halt-requested': haltOnRequest,
  'shutdown-requested': shutDownTurn,
};

export function setPagingAgenda(work: PagingWork, agenda: TurnAgenda): PagingWork {
  return { ...work, ask: { ...work.ask, agenda } };
}

/** Repeats the model call that overflowed. Its failures stay counted, which bounds the number of attempts. */
function handlePagingFinished(
  session: Session,
  turn: PagingTurn,
  event: EventOfType<'paging-finished'>,
): SessionStep {
  if (isStaleAnswer(turn, event)) return ignoreEvent(session, turn, event, staleAnswerReason);
  const { asking, ask, modelRetries } = turn.work;
  const conversation =
    asking && session.settings.compact ? compactTurnConversation(session, turn, event) : turn.conversation;
  return asking
    ? callModel(session, event, { conversation }, { ask, retries: modelRetries })
    : endTurn(session, event, { conversation }, ask.agenda);
}

/** Compacts the conversation. The removed messages are in storage by now, and the log has all of them in any case. */
function compactTurnConversation(
  { id }: Session,
  { conversation }: PagingTurn,
  { at, summaries }: EventOfType<'paging-finished'>,
): PagingTurn['conversation'] {
  const { kept, compacted } = halveConversation(conversation, { id, at, summary: summaries?.conversation });
  return compacted.length === 0 ? conversation : appendItems<ConversationMessage>(emptyConversation, kept);
}

function handlePagingFailed(
  session: Session,
  turn: PagingTurn,
  event: EventOfType<'paging-failed'>,
): SessionStep {
  if (isStaleAnswer(turn, event)) return ignoreEvent(session, turn, event, staleAnswerReason);
  const { at, jitter, message } = event;
  const failures = turn.retries + 1;
  const retryAt = computeRetryTime(session.settings, { at, failures, jitter });
  if (retryAt === null) {
    // Without room the model cannot be called.
    const step = endModelCall(session, event, { conversation: turn.conversation }, turn.work.ask);
    return showErrorFirst(step, { kind: 'io', message });
  }
  const to: IoRecovery = {
    status: 'errorRecovery',
    since: at,
    conversation: turn.conversation,
    origin: 'io',
    request: turn.request,
    retries: failures,
    retryAt,
    message,
    work: { kind: 'paging', paging: turn.work },
  };
  return transitionTurn(session, event, { to, actions: [{ type: 'wait', until: retryAt }] });
}
