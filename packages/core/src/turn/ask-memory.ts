import type { Action } from '../action.ts';
import { grant } from '../memory/wish.ts';
import type { Note } from '../note.ts';
import type { Session } from '../session.ts';
import type { EventOf } from './handlers.ts';
import { move, wait, type Step } from './move.ts';
import { ignore } from './refuse.ts';
import type { Turn } from './state.ts';

/** What a person asks of an entry of working memory changes that entry, and nothing about the work under way. */
export function askMemory(session: Session, turn: Turn, event: EventOf<'memory-asked'>): Step {
  const { memory } = session;
  // Even where an event that does not fit ends the work, a key that is not there does not.
  if (memory === null) return ignore(session, turn, event, 'this session has no working memory');
  const granted = grant(memory, event);
  if (!granted.ok) return ignore(session, turn, event, granted.reason);
  const { effects, moved, freed } = granted;
  const notes: readonly Note[] =
    moved.length === 0 ? [] : [{ type: 'paged', at: event.at, moved, freedTokens: freed }];
  const store: readonly Action[] =
    effects.length === 0 ? [] : [{ type: 'store', entries: effects.map(({ entry }) => entry) }];
  const asked = { ...session, memory: granted.memory };
  return move(asked, event, { to: turn, actions: [...store, wait], notes });
}
