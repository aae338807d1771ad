import type { Event } from '../event.ts';
import { mustPage } from '../memory/memory.ts';
import { isFull } from '../memory/window.ts';
import type { Note } from '../note.ts';
import type { Session } from '../session.ts';
import type { Step } from './move.ts';
import { pageMemory } from './pending.ts';
import type { CallingModel, Paging } from './state.ts';

/**
 * The model is not asked while working memory is too full, or while the mode is that of making room: room is made first, as
 * if the model had said that there was none. Once it has been tried, the model is asked whatever came of it.
 */
export function makeRoomFirst(before: Session, event: Event, step: Step): Step {
  const { session } = step;
  const { turn } = session;
  if (session.mode === null && session.memory === null && session.window === null) return step;
  const wasTried = event.type === 'paging-finished' || event.type === 'paging-failed';
  if (turn.status !== 'callingModel' || turn === before.turn || wasTried) return step;
  const reason = whyRoom(session);
  if (reason === null || !isNewlyAsked(before, turn)) return step;
  const { conversation, request, retries, ask } = turn;
  const to: Paging = {
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
    actions: [...actions, pageMemory(to)],
    notes: [...step.notes, note],
  };
}

function whyRoom({ memory, mode, window, settings }: Session): string | null {
  const { chart, windowTokens } = settings;
  if (window !== null && windowTokens !== null && isFull(window, windowTokens)) {
    return `the conversation takes about ${window.tokens} of ${windowTokens} tokens`;
  }
  if (memory !== null && mustPage(memory)) return 'working memory has reached its hard limit';
  const isPagingMode = mode !== null && chart !== null && chart.paging?.state === mode.state;
  return isPagingMode ? 'working memory has reached its paging limit' : null;
}

/** A state that only took a note of something does not ask again. */
function isNewlyAsked({ turn }: Session, asked: CallingModel): boolean {
  return turn.status !== 'callingModel' || turn.request !== asked.request || turn.retries !== asked.retries;
}
