import { conversationOf, createSession, defaultSettings, step, toArray, type Session } from '@pawl/core';
import { perform, type Contender } from './contender.ts';

/** Without the governor, which no peer has; bench/governor.ts says what that costs. */
const settings = { ...defaultSettings, governor: { preset: 'none', rules: {} } } as const;

/** As shipped but for that: with progress checks, notes and all. */
export const pawl: Contender<Session> = {
  name: 'Pawl step',
  library: null,
  create: (id) => createSession({ id, at: 0, settings }),
  take(session, event) {
    const { session: next, actions } = step(session, event);
    for (const action of actions) perform(action);
    return next;
  },
  statusOf: ({ turn }) => turn.status,
  messagesOf: (session) => toArray(conversationOf(session)),
};
