import { conversationOf, createSession, step, toArray, type Session } from '@pawl/core';
import { perform, type Contender } from './contender.ts';

/** As shipped: the default profile, with progress checks, notes and all. */
export const pawl: Contender<Session> = {
  name: 'Pawl step',
  library: null,
  create: (id) => createSession({ id, at: 0, settings: { governor: { preset: 'none', rules: {} } } }),
  take(session, event) {
    const { session: next, actions } = step(session, event);
    for (const action of actions) perform(action);
    return next;
  },
  statusOf: ({ turn }) => turn.status,
  messagesOf: (session) => toArray(conversationOf(session)),
};
