import { appendItems, emptyConversation } from '../../conversation/conversation.ts';
import type { ConversationMessage } from '../../conversation/message.ts';
import type { EventOfType, Event } from '../../session/event.ts';
import { halveConversation } from '../../memory/compact-messages.ts';
import { isWindowFull } from '../../memory/estimate-tokens.ts';
import { isPagingRequired } from '../../memory/memory.ts';
import type { Note } from '../../session/note.ts';
import type { Session } from '../../session/session.ts';
import {
  createAgendaRows,
  defineTurnState,
  interruptionRows,
  type TurnStateDefinition,
} from '../turn-table.ts';
import { callModel } from '../enter-state.ts';
import { createPageMemoryAction } from '../pending-actions.ts';
import { endModelCall, endTurn } from '../progress-check.ts';
import { ignoreEvent, isStaleAnswer, staleAnswerReason } from '../refuse-event.ts';
import { retryIo } from '../retry.ts';
import type { PagingTurn, CallingModel } from '../../session/turn-state.ts';
import { showErrorFirst } from '../transition-turn.ts';
import type { SessionStep } from '../../session/session-step.ts';
import { setPagingAgenda } from '../agenda.ts';

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
  const retry = retryIo(session, turn, event);
  if (retry !== null) return retry;
  // Without room the model cannot be called.
  const step = endModelCall(session, event, { conversation: turn.conversation }, turn.work.ask);
  return showErrorFirst(step, { kind: 'io', message: event.message });
}

/**
 * Pages before a model call if the context window or working memory is too full, or if the mode is the paging mode, as
 * if the model had reported a context overflow. After one attempt the model is called regardless of the result.
 */
export function pageBeforeModelCall(before: Session, event: Event, step: SessionStep): SessionStep {
  const { session } = step;
  const { turn } = session;
  if (session.mode === null && session.memory === null && session.window === null) return step;
  const isPagingAnswer = event.type === 'paging-finished' || event.type === 'paging-failed';
  if (turn.status !== 'callingModel' || turn === before.turn || isPagingAnswer) return step;
  const reason = findPagingReason(session);
  if (reason === null || !isNewModelCall(before, turn)) return step;
  const { conversation, request, retries, ask } = turn;
  const to: PagingTurn = {
    status: 'paging',
    since: event.at,
    conversation,
    request,
    retries: 0,
    work: { reason, asking: true, ask, modelRetries: retries },
  };
  const note: Note = {
    type: 'transition',
    at: event.at,
    from: 'callingModel',
    to: 'paging',
    cause: event.type,
    durationMs: 0,
  };
  const actions = step.actions.filter(({ type }) => type !== 'ask-model');
  return {
    session: { ...session, turn: to },
    actions: [...actions, createPageMemoryAction(to)],
    notes: [...step.notes, note],
  };
}

function findPagingReason({ memory, mode, window, settings }: Session): string | null {
  const { chart, windowTokens } = settings;
  if (window !== null && windowTokens !== null && isWindowFull(window, windowTokens)) {
    return `the conversation takes about ${window.tokens} of ${windowTokens} tokens`;
  }
  if (memory !== null && isPagingRequired(memory)) return 'working memory has reached its hard limit';
  const isPagingMode = mode !== null && chart !== null && chart.paging?.state === mode.state;
  return isPagingMode ? 'working memory has reached its paging limit' : null;
}

/** Whether this state makes a new model call; a state that only changed its agenda does not. */
function isNewModelCall({ turn }: Session, next: CallingModel): boolean {
  return turn.status !== 'callingModel' || turn.request !== next.request || turn.retries !== next.retries;
}
