import { createAgendaRows } from '../agenda-rows.ts';
import { defineTurnState, interruptionRows, type TurnStateDefinition } from '../turn-table.ts';
import type { EventOfType } from '../../event.ts';
import { appendItems, emptyConversation } from '../../conversation/conversation.ts';
import type { ConversationMessage } from '../../conversation/message.ts';
import { halveConversation } from '../../memory/compact-messages.ts';
import type { Session } from '../../session.ts';
import { callModel } from '../enter-state.ts';
import { transitionTurn, showErrorFirst, type SessionStep } from '../transition-turn.ts';
import { endModelCall, endTurn } from '../progress-check.ts';
import { ignoreEvent, isStaleAnswer, staleAnswerReason } from '../refuse-event.ts';
import { computeRetryTime } from '../retry.ts';
import type { TurnAgenda, IoRecovery, PagingTurn, PagingWork } from '../state.ts';

export const pagingState: TurnStateDefinition<PagingTurn> = defineTurnState({
  name: 'paging',
  description: 'Waits for paging to make room.',
  refusal: 'memory is being paged',
  on: {
    'paging-finished': {
      handle: handlePagingFinished,
      to: [
        ['a model call is waiting', 'callingModel', 'ask-model'],
        ['agenda is not empty', 'progressCheck'],
        ['', 'waitingForUser', 'wait'],
      ],
    },
    'paging-failed': {
      handle: handlePagingFailed,
      to: [
        ['retries are left', 'errorRecovery', 'wait'],
        ['last call ends the session', 'halted', 'show-error', 'stop'],
        ['agenda is not empty', 'progressCheck', 'show-error'],
        ['', 'waitingForUser', 'show-error'],
      ],
    },
    ...createAgendaRows<PagingTurn>(
      'paging',
      (turn) => turn.work.ask.agenda,
      (turn, agenda) => ({ ...turn, work: setPagingAgenda(turn.work, agenda) }),
    ),
    ...interruptionRows,
  },
});

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
