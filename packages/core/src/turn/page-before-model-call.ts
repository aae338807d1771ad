import type { Event } from '../event.ts';
import { isPagingRequired } from '../memory/memory.ts';
import { isWindowFull } from '../memory/context-window.ts';
import type { Note } from '../note.ts';
import type { Session } from '../session.ts';
import type { SessionStep } from './transition-turn.ts';
import { createPageMemoryAction } from './pending-actions.ts';
import type { CallingModel, PagingTurn } from './state.ts';

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
